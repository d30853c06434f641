"""The jobs a session has: commands that went to the background, by names short enough for a model to repeat."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hilt.calls.memos import Memos
from hilt.calls.session import Session
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.processes import FoundJob, Job, Processes

KEY = "command:jobs"
MOST_NAMED = 10
MOST_REMEMBERED = 30
"""Jobs of one session that are known by name; of more, the oldest that have ended are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownJob:
    """A job by its name. `read` is the offset in its log up to which its output was shown."""

    name: str
    command: str
    argv: tuple[str, ...]
    place: Path
    began: float
    read: int = 0


async def remember_job(
    memos: Memos, session: Session, place: Path, *, command: str, argv: Sequence[str], read: int
) -> str:
    """Give a job the session's next name. `command` is its text, `argv` its words where no shell runs it."""
    known = {"command": command, "argv": list(argv), "place": str(place), "began": time.time(), "read": read}

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
            argv=tuple(cast("list[str]", each["argv"])),
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


async def forget_ended(memos: Memos, session: Session, processes: Processes) -> None:
    """Of more jobs than are remembered, take the oldest off the list that have ended, with their output."""
    jobs = await known_jobs(memos, session)
    excess = len(jobs) - MOST_REMEMBERED
    for each in jobs.values():
        if excess <= 0:
            return
        job = processes.job_at(each.place)
        if job is not None:
            await job.wait(0, whole=True)
        if job is None or job.ended is not None:
            await _forget(memos, session, each.name)
            await processes.remove(each.place)
            excess -= 1


async def _forget(memos: Memos, session: Session, name: str) -> None:
    def drop(value: object) -> tuple[object, None]:
        book = _book(value)
        return {**book, "jobs": {known: each for known, each in _jobs(book).items() if known != name}}, None

    await memos.change(session, KEY, drop)


async def find_job(memos: Memos, session: Session, processes: Processes, name: str) -> tuple[KnownJob, Job | FoundJob]:
    """A job of the session by its name. Raises InvalidArguments naming those there are."""
    jobs = await known_jobs(memos, session)
    known = jobs.get(name)
    if known is None:
        there = f"there is {', '.join(list(jobs)[-MOST_NAMED:])}" if jobs else "no command of it is in the background"
        raise InvalidArguments(f"this session has no job {name!r}: {there}", "give the name of a job that is there")
    job = processes.job_at(known.place)
    if job is None:
        raise EnvironmentFailure(
            f"the folder of {name} was removed, its output with it; whether it still runs is not known",
            "look for it with ps",
            "run it again",
        )
    return known, job


def _book(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if value is not None else {"next": 1, "jobs": {}}


def _jobs(book: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    return cast("Mapping[str, Mapping[str, object]]", book["jobs"])
