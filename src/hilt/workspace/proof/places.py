"""Where the paths of a command really point: its words, the folder it runs in, and the resolver's answer."""

import glob
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from hilt.calls.resolver import PathFact
from hilt.policy.programs.words import Word

Resolve = Callable[[str], PathFact]
FREE = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/tty"})
MOST_NAMES = 500
"""Names a pattern may stand for; each is looked at, for one may be a link that leads out."""
MOST_ENTRIES = 3000
"""Entries below a folder that are looked through for links, where links are followed."""
_ODD_CLASSES = ("[:", "[.", "[=", "[]", "[!]")
_TAKEN_APART = frozenset(" \t\n*?[\\")
_BY_PROCESS = ("/proc", "/dev/fd", "/dev/tcp", "/dev/udp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The facts of one word, or why there are none."""

    facts: tuple[PathFact, ...] = ()
    why: str = ""


def place(word: Word, folders: tuple[str, ...] | None, resolve: Resolve) -> Found:
    """The facts for one word that names a path."""
    if word.text is not None:
        return _of_text(word.text, folders, resolve)
    if word.glob:
        return _of_pattern(word, folders, resolve)
    return Found() if word.found else Found(why="which path it names is known only when it runs")


def _of_text(text: str, folders: tuple[str, ...] | None, resolve: Resolve) -> Found:
    if text in FREE:
        return Found()
    if text.startswith("/"):
        return _at((text,), resolve)
    if folders is None:
        return Found(why="which folder it is in is not known")
    return _at(tuple(os.path.join(folder, text) if text else folder for folder in folders), resolve)


def _at(paths: tuple[str, ...], resolve: Resolve) -> Found:
    facts = tuple(map(resolve, paths))
    for fact in facts:
        if _depends_on_process(fact):
            return Found(facts=facts, why=f"{fact.asked} leads elsewhere in another process, or to the network")
    return Found(facts=facts)


def _depends_on_process(fact: PathFact) -> bool:
    """Whether a path, or a link on its way, goes through what each process sees differently."""
    path = os.path.normpath(fact.asked).replace("//", "/")
    if path.startswith(_BY_PROCESS) or fact.real.startswith(_BY_PROCESS):
        return True
    if path == fact.real:
        return False
    at, steps = "/", path.split("/")
    for step in steps:
        at = os.path.join(at, step)
        if os.path.islink(at):
            at = os.path.join(os.path.dirname(at), os.readlink(at))
            if os.path.normpath(at).startswith(_BY_PROCESS):
                return True
    return False


def _of_pattern(word: Word, folders: tuple[str, ...] | None, resolve: Resolve) -> Found:
    """A pattern is looked at as it would be expanded now: each name, and where it leads."""
    if folders is None and not word.glob.startswith("/"):
        return Found(why="which folder it is in is not known")
    if any(each in word.glob for each in _ODD_CLASSES):
        return Found(why="a pattern with such classes is not looked at")
    facts: list[PathFact] = []
    for folder in folders or ("/",):
        names = list(islice(glob.iglob(word.glob, root_dir=folder), MOST_NAMES + 1))
        if len(names) > MOST_NAMES:
            return Found(why=f"it stands for more than {MOST_NAMES} names")
        if word.split and any(set(name) & _TAKEN_APART for name in names):
            return Found(why="a name it stands for is taken apart at its blanks")
        if word.dashed and any(name.startswith("-") for name in names):
            return Found(why="a name it stands for begins with a dash, and so is an option")
        facts.append(resolve(os.path.join(folder, _literal_folder(word.start))))
        facts += (resolve(os.path.join(folder, name)) for name in names)
    return Found(facts=tuple(facts))


def _literal_folder(start: str) -> str:
    """The folder in which a pattern begins to vary."""
    return start.rpartition("/")[0] or ("/" if start.startswith("/") else ".")


def _plain(fact: PathFact) -> bool:
    return fact.inside and fact.kind in ("file", "folder", "missing") and not fact.hole


def links_below(folder: str, resolve: Resolve) -> Found:
    """Links anywhere below a folder that lead out of the roots; `why` where there is too much to look through."""
    facts: list[PathFact] = []
    for count, entry in enumerate(entries_below(folder)):
        if count >= MOST_ENTRIES:
            return Found(why=f"links are followed below {folder}, which holds more than {MOST_ENTRIES:,} entries")
        if entry.is_symlink():
            fact = resolve(entry.path)
            facts += () if _plain(fact) else (fact,)
    return Found(facts=tuple(facts))


def entries_below(folder: str) -> "Iterator[os.DirEntry[str]]":
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
