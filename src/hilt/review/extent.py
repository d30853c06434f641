"""How much one call would change: a folder moved or removed touches all it holds, and a person should know how much."""

from collections.abc import Iterator
from dataclasses import dataclass

from hilt.calls.resolver import PathFact
from hilt.declarations.effects import Deed
from hilt.policy.facts import Facts
from hilt.results.failures import Refused, ToolFailure
from hilt.review.reviewer import View, When
from hilt.review.verdict import APPROVED, Verdict
from hilt.workspace.workspace import Workspace

MOST_FILES = 100
"""Files that one call may touch unasked (`review.files`); 0 turns the reviewer off."""
MOST_FOLDERS = 500
"""Folders that are counted through; a tree of more is too large whatever it holds."""
NAMED = 5
"""Files that a reason names."""


@dataclass(slots=True, kw_only=True)
class _Count:
    """Files found so far, the first few by name."""

    most: int
    files: int = 0
    folders: int = 0
    names: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        return self.files > self.most or self.folders > MOST_FOLDERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtentReviewer:
    """Escalates a call that would touch more than `most` files: paths it changes, and all that folders among them hold.

    Of a command, the paths it provably writes to.
    """

    workspace: Workspace
    most: int = MOST_FILES
    name: str = "extent"
    when: When = "before"
    deeds: frozenset[Deed] = frozenset({"write", "destroy", "run"})
    irreversible: bool = False
    waits: bool = False

    async def review(self, view: View) -> Verdict:
        """How many files, and the first of them."""
        if view.facts is None:
            return APPROVED
        count = _Count(most=self.most)
        for fact in _changed(view.facts):
            await self._add(fact, count)
            if count.over:
                break
        if not count.over:
            return APPROVED
        named = ", ".join(count.names)
        return Verdict(
            word="escalate",
            reason=f"it would touch more than {self.most} files, among them {named}"
            if count.files > self.most
            else f"it would touch more than {MOST_FOLDERS} folders",
            suggestion="name a smaller part, or the files themselves",
        )

    async def _add(self, fact: PathFact, count: _Count) -> None:
        if fact.kind != "folder":
            self._found(fact.real, count)
            return
        waiting = [fact.real]
        while waiting and not count.over:
            folder = waiting.pop()
            count.folders += 1
            try:
                entries = await self.workspace.list_folder(folder)
            except (ToolFailure, Refused):  # not readable: what the call itself will be told
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if entry.kind == "folder" and not entry.link:
                    waiting.append(path)
                else:
                    self._found(path, count)

    def _found(self, path: str, count: _Count) -> None:
        count.files += 1
        if len(count.names) < NAMED:
            count.names += (self.workspace.display(path),)


def _changed(facts: Facts) -> Iterator[PathFact]:
    """The paths a call changes, as far as is known: its own where it writes, and those a command writes to.

    The folder that a command starts in is none of them.
    """
    if facts.deeds & {"write", "destroy"} and not facts.commands:
        yield from (fact for fact in facts.paths if fact.inside)
    for command in facts.commands:
        yield from (fact for fact in command.writes if fact.inside)
