"""What is found while a script is read, and what one command adds to it."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hilt.calls.resolver import PathFact, SimpleCommand, Unproved
from hilt.policy.programs.drivers import DRIVERS, SCRIPT, read_driver
from hilt.policy.programs.judging import SHELLS, SYSTEM_FOLDERS, judge
from hilt.policy.programs.words import Doubt, Use, Word
from hilt.workspace.proof.listed import links_tracked, parted, trouble_below, trouble_tracked
from hilt.workspace.proof.on_path import of_workspace
from hilt.workspace.proof.places import Found, Resolve, links_below, place
from hilt.workspace.proof.repositories import trouble
from hilt.workspace.proof.shell_state import Names, Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a word stands, for whoever is told of it."""

    node: str
    line: int
    column: int


_DECIDES = re.compile(r"/(?:\.git(?:/|$)|(?:HEAD|config|config\.worktree|commondir|gitdir|objects|refs)$)")
"""Names by which git knows a repository, and its configuration, also one that lies in a folder like any other."""
NOWHERE = Spot(node="command", line=1, column=1)


@dataclass(slots=True, kw_only=True)
class Gathered:
    """Everything told of a command line, in the order it was found."""

    resolve: Resolve
    commands: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    heads: dict[tuple[int, int], str | None] = field(default_factory=dict[tuple[int, int], str | None])
    """The name of each command the script itself has, by its line and column: what another parser must find too."""
    reads: dict[str, PathFact] = field(default_factory=dict[str, PathFact])
    writes: dict[str, PathFact] = field(default_factory=dict[str, PathFact])
    unproved: list[Unproved] = field(default_factory=list[Unproved])
    families: set[str] = field(default_factory=set[str])
    others: int = 0
    """Doubts that are no driver's."""

    def doubt(self, spot: Spot, reason: str, *, family: str = "", own: bool = False) -> None:
        told = Unproved(node=spot.node, line=spot.line, column=spot.column, reason=reason, own=own)
        if told not in self.unproved:
            self.unproved.append(told)
        if family:
            self.families.add(family)
        else:
            self.others += 1

    def list(self, spot: Spot, command: SimpleCommand) -> None:
        """One more command, which a loop may give twice."""
        self.heads[spot.line, spot.column] = command.words[0]
        if command not in self.commands:
            self.commands.append(command)

    @property
    def driver(self) -> str:
        """The families of drivers, where they are all that is unproved and nothing outside is touched."""
        inside = all(fact.inside for fact in (*self.reads.values(), *self.writes.values()))
        return "+".join(sorted(self.families)) if not self.others and inside else ""

    def read(self, found: Found, spot: Spot) -> None:
        self.reads |= {fact.asked: fact for fact in found.facts}
        if found.why:
            self.doubt(spot, found.why)

    def write(self, found: Found, spot: Spot) -> None:
        self.writes |= {fact.asked: fact for fact in found.facts}
        outside = [fact for fact in found.facts if not fact.inside]
        if found.why:
            self.doubt(spot, found.why)
        elif any(_DECIDES.search(fact.real) for fact in found.facts):
            self.doubt(spot, "what is written there may decide what git runs")
        elif any(os.path.basename(fact.asked).startswith("-") for fact in found.facts):
            self.doubt(spot, "a name that begins with a dash is an option for what takes all names that are there")
        elif outside:
            self.doubt(spot, f"it writes outside the workspace: {outside[0].why or outside[0].asked}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One simple command: its words, where each stands, and the shell that runs it."""

    words: Sequence[Word]
    spots: Sequence[Spot]
    shell: Shell


def take(invoked: Invocation, into: Gathered) -> Use:
    """Judge one command, and gather what it touches."""
    use = _judged(invoked, into)
    _list(invoked, use, into)
    for doubt in use.doubts:
        into.doubt(_spot(invoked, doubt), doubt.reason, family=use.driver, own=True)
    folders = invoked.shell.folders
    for word in use.reads:
        found = place(word, folders, into.resolve)
        into.read(_without_revisions(found) if use.repositories else found, invoked.spots[0])
    for word in use.writes:
        into.write(place(word, folders, into.resolve), invoked.spots[0])
    _check_programs(use, invoked, into)
    _check_names(use, invoked, into)
    _check_surroundings(use, invoked, into)
    return use


def _judged(invoked: Invocation, into: Gathered) -> Use:
    name = invoked.words[0].text
    names = invoked.shell.input
    use = judge(invoked.words, given=Word() if names is None else Word(found=True, dashed=names.dashed))
    if name is None or "/" not in name or name.startswith(SYSTEM_FOLDERS):
        return use
    facts = place(invoked.words[0], invoked.shell.folders, into.resolve).facts
    if not facts or not all(fact.inside for fact in facts):
        return use
    base = os.path.basename(name)
    renamed = (Word(text=base, dashed=False), *invoked.words[1:])
    if base in DRIVERS:
        return read_driver(base, renamed) or use
    return Use(doubts=(Doubt(at=0, reason=f"{name} is a program of the project"),), driver=SCRIPT)


def _list(invoked: Invocation, use: Use, into: Gathered) -> None:
    """The command, and those it was seen to run in turn."""
    folders = invoked.shell.folders
    folder = folders[0] if folders and len(folders) == 1 else None
    into.list(invoked.spots[0], SimpleCommand(words=texts_of(invoked.words), folder=folder))
    around: list[str] = []
    before: Sequence[Word] = invoked.words
    for inner in use.inner:
        nested = tuple(before)[-len(inner) :] == inner or not around
        around = [*around, before[0].text or ""] if nested else [around[0]]
        listed = SimpleCommand(words=texts_of(inner), folder=folder, wrappers=tuple(around))
        into.commands += [] if listed in into.commands else [listed]
        before = inner


def texts_of(words: Sequence[Word]) -> tuple[str | None, ...]:
    return tuple(word.text for word in words)


def _spot(invoked: Invocation, doubt: Doubt) -> Spot:
    return invoked.spots[min(doubt.at, len(invoked.spots) - 1)]


def _without_revisions(found: Found) -> Found:
    """What is no path there is a revision for git, and leads nowhere."""
    return Found(
        facts=tuple(fact for fact in found.facts if not (fact.inside and fact.kind == "missing")), why=found.why
    )


def _check_programs(use: Use, invoked: Invocation, into: Gathered) -> None:
    """Programs that are known by name, but that the workspace itself would give: the tables know others."""
    for words in (invoked.words, *use.inner):
        name, folders = words[0].text, invoked.shell.folders
        if found := of_workspace(name, folders, into.resolve):
            reason = f"{name} is a program of the project, {found}"
            into.doubt(invoked.spots[0], reason, family=use.driver or SCRIPT, own=True)


def _check_names(use: Use, invoked: Invocation, into: Gathered) -> None:
    """Links among what is read: those below folders that are followed, and those among names that were found."""
    spot = invoked.spots[0]
    for word in use.followed:
        for folder in invoked.shell.folders or ():
            if word.text is not None:
                into.read(links_below(os.path.join(folder, word.text), into.resolve), spot)
    names = invoked.shell.input
    if names is not None and any(word.found for word in use.reads):
        look_at_links(names, into, spot, whole=use.whole)
    renamed = [fact for word in use.renamed for fact in place(word, invoked.shell.folders, into.resolve).facts]
    if any(os.path.islink(fact.asked.rstrip("/")) for fact in renamed):
        into.doubt(spot, "a link that gets another name, or loses its own, changes what later paths mean")
    elif any(fact.kind == "folder" for fact in renamed[:-1]):
        into.doubt(spot, "what a folder holds gets other names with it")


def look_at_links(names: Names, into: Gathered, spot: Spot, *, whole: bool = False) -> None:
    """Where names that are read lead, and whether each stays one name: they are `whole` where a NUL parts them."""
    made = [
        fact.asked[len(each) :] for each in names.below for fact in into.writes.values() if fact.asked.startswith(each)
    ]
    troubles = (
        () if whole else (*map(trouble_below, names.below), *map(trouble_tracked, names.tracked), *map(parted, made))
    )
    for why in filter(None, troubles):
        into.doubt(spot, why)
    for each in names.links:
        if os.path.isdir(each) and not os.path.islink(each):
            into.read(links_below(each, into.resolve), spot)
        elif os.path.islink(each):
            into.read(Found(facts=(into.resolve(each),)), spot)


def _check_surroundings(use: Use, invoked: Invocation, into: Gathered) -> None:
    """What lies about where it runs and decides what runs: the configuration of git."""
    folders = invoked.shell.folders
    if use.repositories and folders is None:
        into.doubt(invoked.spots[0], "which folder it runs in is not known, and so neither what is configured there")
    for folder in folders or ():
        for relative in use.repositories:
            if why := trouble(os.path.join(folder, relative), inside=lambda path: into.resolve(path).inside):
                into.doubt(invoked.spots[0], why)


def names_printed(use: Use, shell: Shell) -> Names | None:
    """What the lines that a command prints name, where they do."""
    if use.prints == "revisions":
        return Names(dashed=False)
    if not use.prints or shell.folders is None:
        return None
    links = _joined(use.links, shell.folders)
    dashed = use.prints != "paths"
    if use.repositories:
        links += [link for folder in shell.folders for link in links_tracked(folder)]
        return Names(links=tuple(links), tracked=shell.folders, dashed=dashed)
    if any(parted(word.text or word.glob) for word in use.reads):
        return None
    return Names(links=tuple(links), below=tuple(_joined(use.reads, shell.folders)), dashed=dashed)


def _joined(words: Sequence[Word], folders: Sequence[str]) -> list[str]:
    return [os.path.join(folder, word.text) for folder in folders for word in words if word.text is not None]


def is_shell(words: Sequence[Word]) -> bool:
    return bool(words) and words[0].text in SHELLS
