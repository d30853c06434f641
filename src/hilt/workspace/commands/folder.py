"""The folder a session's commands start in: where the last one ended, as long as that is in the workspace."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hilt.calls.memos import Memos
from hilt.calls.resolver import PathFact
from hilt.calls.session import Session

KEY = "command:folder"


class Folders(Protocol):
    """What is asked of a workspace here."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """The canonical roots."""
        ...

    def path(self, asked: str) -> PathFact:
        """The fact for one path."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a command starts. `note` says why it is not where the last one ended."""

    folder: str
    note: str = ""


async def next_folder(memos: Memos, session: Session, workspace: Folders) -> str:
    """Where the session's next command will start; nothing is remembered or told."""
    remembered = await memos.get(session, KEY)
    return (_usable(remembered, workspace) if isinstance(remembered, str) else "") or str(workspace.roots[0])


async def start_folder(memos: Memos, session: Session, workspace: Folders) -> Start:
    """The remembered folder, or the nearest above it that is there, or the first root."""
    root = str(workspace.roots[0])
    remembered = await memos.get(session, KEY)
    if not isinstance(remembered, str):
        return Start(folder=root)
    usable = _usable(remembered, workspace)
    if usable == remembered:
        return Start(folder=remembered)
    await memos.put(session, KEY, usable or root)
    gone = f"the folder of the last command, {remembered}, is no more in the workspace; this one started in "
    return Start(folder=usable or root, note=gone + (usable or root))


async def end_folder(memos: Memos, session: Session, workspace: Folders, started: str, ended: str) -> str:
    """Remember where a command ended, and what is to be said about it: nothing where it did not move."""
    if ended == started:
        return ""
    root = str(workspace.roots[0])
    inside = workspace.path(ended).inside
    await memos.put(session, KEY, ended if inside else root)
    if inside:
        return f"the next command starts in {ended}"
    return f"it ended in {ended}, outside the workspace; the next command starts in {root}"


def _usable(folder: str, workspace: Folders) -> str:
    """The folder or the nearest above it that is a folder in the workspace; empty for none."""
    for each in (Path(folder), *Path(folder).parents):
        fact = workspace.path(str(each))
        if fact.inside and fact.kind == "folder" and os.access(each, os.X_OK):
            return str(each)
    return ""
