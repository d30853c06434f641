"""The jobs a session has: commands that went to the background, by names short enough for a model to repeat."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hilt.calls.memos import Memos
from hilt.calls.session import Session

KEY = "command:jobs"
MOST_REMEMBERED = 30
"""Jobs of one session that are known by name; of more, the oldest that have ended are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownJob:
    """A job by its name. `read` is the offset in its log up to which its output was shown."""

    name: str
    command: str
    place: Path
    began: float
    read: int = 0


async def remember_job(memos: Memos, session: Session, command: str, place: Path, read: int) -> str:
    """Give a job the session's next name."""
    known = {"command": command, "place": str(place), "began": time.time(), "read": read}

    def add(value: object) -> tuple[object, str]:
        book = _book(value)
        number = cast("int", book["next"])
        name = f"job_{number}"
        return {"next": number + 1, "jobs": {**_jobs(book), name: known}}, name

    return await memos.change(session, KEY, add)


async def known_jobs(memos: Memos, session: Session) -> dict[str, KnownJob]:
    """Every job of the session by name, the oldest first."""
    jobs = _jobs(_book(await memos.get(session, KEY)))
    return {
        name: KnownJob(
            name=name,
            command=str(each["command"]),
            place=Path(str(each["place"])),
            began=cast("float", each["began"]),
            read=cast("int", each["read"]),
        )
        for name, each in jobs.items()
    }


async def note_read(memos: Memos, session: Session, name: str, read: int) -> None:
    """Remember up to where a job's output was shown."""

    def move(value: object) -> tuple[object, None]:
        book = _book(value)
        jobs = _jobs(book)
        if name in jobs:
            jobs = {**jobs, name: {**jobs[name], "read": read}}
        return {**book, "jobs": jobs}, None

    await memos.change(session, KEY, move)


async def forget_jobs(memos: Memos, session: Session, names: frozenset[str]) -> None:
    """Take jobs off the list; their numbers are not given again."""

    def drop(value: object) -> tuple[object, None]:
        book = _book(value)
        return {**book, "jobs": {name: each for name, each in _jobs(book).items() if name not in names}}, None

    await memos.change(session, KEY, drop)


def _book(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if value is not None else {"next": 1, "jobs": {}}


def _jobs(book: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    return cast("Mapping[str, Mapping[str, object]]", book["jobs"])
