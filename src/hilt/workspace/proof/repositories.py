"""Whether git, started in a folder, would run programs that the repository's own configuration names.

`git status` alone runs what `core.fsmonitor` says. Only keys known to run nothing are let pass; the
person's own configuration, outside the repository, is theirs and not looked at.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hilt.workspace.proof.places import entries_below

MOST_BYTES = 256 << 10
MOST_FILES = 30_000
MOST_INDEX_BYTES = 32 << 20
DEEPEST = 3
_HARMLESS = re.compile(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|"
    r"safecrlf|abbrev|quotepath|compression|untrackedcache|preloadindex|commitgraph|multipackindex|longpaths|excludesfile|"
    r"whitespace|checkstat|trustctime|protecthfs|protectntfs|sharedrepository|bigfilethreshold|sparsecheckout|"
    r"sparsecheckoutcone|hidedotfiles|fscache)|"
    r"remote\..+\.(?:url|fetch|pushurl|push|tagopt|prune|prunetags|mirror|gh-resolved|skipfetchall|skipdefaultupdate)|"
    r"remote\.pushdefault|"
    r"branch\..+\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number|base)|"
    r"branch\.(?:autosetuprebase|autosetupmerge|sort)|"
    r"user\..+|author\..+|committer\..+|init\..+|pull\..+|push\.(?!.*receivepack).+|fetch\..+|color\..+|column\..+|"
    r"advice\..+|gc\.(?!.*hook).+|alias\.(?!whatchanged|pack-redundant).+|rerere\..+|status\..+|index\..+|feature\..+|pack\..+|transfer\..+|maintenance\..+|rebase\.auto.+|"
    r"diff\.(?:renames|renamelimit|algorithm|mnemonicprefix|noprefix|colormoved|colormovedws|context|interhunkcontext|"
    r"submodule|ignoresubmodules|statgraphwidth|wserrorhighlight|suppressblankempty|indentheuristic|relative|dirstat)|"
    r"merge\.(?:conflictstyle|ff|log|renames|stat|directoryrenames|renamelimit)|"
    r"log\.(?:date|decorate|follow|abbrevcommit|mailmap|showroot|excludedecoration|diffmerges)|"
    r"blame\.(?!.*command|ignorerevsfile).+|grep\.(?:linenumber|column|patterntype|extendedregexp|threads|fullname)|"
    r"commit\.(?:gpgsign|template|verbose|cleanup|status)|tag\.(?:gpgsign|sort)|format\.numbered|"
    r"submodule\.(?:recurse|active|fetchjobs|.+\.(?:url|active|branch|ignore|shallow))|"
    r"extensions\.(?:worktreeconfig|noop)|lfs\..+|worktree\..+|stash\..+|versionsort\..+|"
    r"http\..*(?:postbuffer|version|sslverify)|safe\.directory|github\..+|gitlab\..+|receive\.deny.+"
)
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=|$)")
_RUN_BY_LOOKING = ("post-index-change", "fsmonitor-watchman", "query-watchman")
_GITLINK = b"\x00\x00\xe0\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The folders of one: the one it belongs to, its own, and the one it shares with its other worktrees."""

    top: str
    own: str
    shared: str


Inside = Callable[[str], bool]
"""Whether a path lies in the workspace."""


def trouble(folder: str, depth: int = 0, *, inside: Inside = lambda _: True) -> str:
    """What would run, or be read elsewhere, naming the key or the file; empty where nothing would."""
    found = repository_of(folder)
    if found is None:
        return ""
    if isinstance(found, str):
        return found
    for file in (f"{found.shared}/config", f"{found.own}/config.worktree"):
        if why := _in_config(file, found if depth > 0 else None):
            return why
    return _in_hooks(found) or _elsewhere(found, inside) or _in_submodules(found, depth, inside)


def _elsewhere(found: Repository, inside: Inside) -> str:
    """What git would read that is not where it looks as if it were: another's repository, objects, files by links."""
    marker = os.path.join(found.top, ".git")
    moved = os.path.islink(marker) or os.path.isfile(marker)
    linked = moved and os.path.realpath(_line(f"{found.own}/gitdir") or "/") == os.path.realpath(marker)
    linked = linked or (moved and os.path.realpath(os.path.dirname(_line(f"{found.own}/gitdir")) or "/") == found.top)
    if moved and not linked and not inside(found.own):
        return f"{marker} leads to {found.own}, outside the workspace"
    worktree = linked and os.path.dirname(os.path.dirname(found.own)) == found.shared
    if found.shared != found.own and not worktree and not inside(found.shared):
        return f"{found.own}/commondir leads to {found.shared}, outside the workspace"
    return _in_alternates(found, inside) or _in_links(found.own, inside) or _in_links(found.shared, inside)


def _in_alternates(found: Repository, inside: Inside) -> str:
    objects = f"{found.shared}/objects"
    if not os.path.lexists(f"{objects}/info/alternates"):
        return ""
    for line in (_content(f"{objects}/info/alternates", MOST_BYTES) or b"?").splitlines():
        path = os.path.realpath(os.path.join(objects, os.fsdecode(line)))
        if line.startswith(b'"') or not inside(path) or os.path.lexists(f"{path}/info/alternates"):
            return f"{objects}/info/alternates has objects of {path}"
    return ""


def _in_links(folder: str, inside: Inside) -> str:
    """The files of a repository are read through links: `git status` shows what the list of a rebase holds."""
    if not inside(folder):  # a person's own, of which the workspace is a part
        return ""
    for count, entry in enumerate(entries_below(folder)):
        if count >= MOST_FILES:
            return f"{folder} holds more than {MOST_FILES:,} entries, too many to be looked through for links"
        if entry.is_symlink() and not inside(os.path.realpath(entry.path)):
            return f"{entry.path} leads to {os.path.realpath(entry.path)}, outside the workspace"
    return ""


def repository_of(folder: str) -> Repository | str | None:
    """The repository git would find from a folder; a text where that is not clear; None where there is none."""
    at = os.path.realpath(folder)
    while True:
        has = {name for name in ("HEAD", "objects", "refs", "commondir") if os.path.lexists(os.path.join(at, name))}
        if has >= {"HEAD", "commondir"} or has >= {"HEAD", "objects", "refs"}:
            return f"{at} is a repository without a worktree, whose configuration anyone may have brought"
        marker = os.path.join(at, ".git")
        if os.path.lexists(marker):
            return _at(at, marker)
        if at == os.path.dirname(at):
            return None
        at = os.path.dirname(at)


def _at(top: str, marker: str) -> Repository | str:
    own = marker
    if os.path.isfile(marker):
        named = _line(marker)
        if not named.startswith("gitdir: "):
            return f"{marker} is no file of git"
        own = os.path.join(top, named.removeprefix("gitdir: "))
    shared = own
    if os.path.lexists(f"{own}/commondir"):
        shared = os.path.join(own, _line(f"{own}/commondir"))
    return Repository(top=top, own=os.path.realpath(own), shared=os.path.realpath(shared))


def _line(path: str) -> str:
    return (_content(path, MOST_BYTES) or b"").decode("utf-8", "replace").strip()


def _content(path: str, most: int) -> bytes | None:
    """The bytes of a regular file; None where it is missing, too long or none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(most + 1)
    return content if len(content) <= most else None


def _in_config(path: str, inner: Repository | None) -> str:
    """What is wrong with a file of configuration; that of a submodule, `inner`, says where its files are."""
    if not os.path.lexists(path):
        return ""
    content = _content(path, MOST_BYTES)
    if content is None:
        return f"{path} cannot be read, or is too long to be looked at"
    try:
        for key, value in _keys(content.decode("utf-8", "replace")):
            if key == "core.worktree" and inner and os.path.realpath(os.path.join(inner.own, value)) == inner.top:
                continue
            if not _HARMLESS.fullmatch(key):
                return f"{key} in {path} may run a program"
    except ValueError as error:
        return f"{path}: {error}"
    return ""


def _keys(text: str) -> Iterator[tuple[str, str]]:
    """Keys in lower case, and values as written. Raises ValueError for a line that is not understood."""
    section = ""
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.strip()
        if line.endswith("\\"):
            raise ValueError(f"line {number} goes on in the next, which is not looked at")
        while found := _SECTION.match(line):
            section = found[1].lower() + (f".{found[2].lower()}" if found[2] is not None else "")
            line = line[found.end() :].strip()
        if not line or line[0] in "#;":
            continue
        key = _KEY.match(line)
        if key is None or not section:
            raise ValueError(f"line {number} is not understood")
        yield f"{section}.{key[1].lower()}", line[key.end() :].strip().strip('"')


def _in_hooks(found: Repository) -> str:
    for folder in {found.shared, found.own}:
        for name in _RUN_BY_LOOKING:
            if os.path.lexists(f"{folder}/hooks/{name}"):
                return f"{folder}/hooks/{name} may be run"
    return ""


def _in_submodules(found: Repository, depth: int, inside: Inside) -> str:
    """git looks into what it calls a gitlink, with the configuration that it finds there."""
    index = _content(f"{found.own}/index", MOST_INDEX_BYTES)
    if index is None:
        return f"{found.own}/index is too long to be looked at" if os.path.lexists(f"{found.own}/index") else ""
    if any(name.startswith("sharedindex.") for name in _names(found.own)):
        return "its index is in parts, which are not looked at"
    if _GITLINK not in index:
        return ""
    if depth >= DEEPEST:
        return f"submodules are looked at {DEEPEST} deep"
    try:
        inner = [os.path.join(found.top, path) for path in paths_of(index, _GITLINK)]
    except (ValueError, IndexError):
        return f"{found.own}/index is not understood"
    return next(
        filter(None, (trouble(each, depth + 1, inside=inside) for each in inner if os.path.lexists(f"{each}/.git"))), ""
    )


def tracked_in(folder: str) -> tuple[str, tuple[str, ...]]:
    """The folder a repository belongs to, and the names below it that it tracks; none where there is no repository."""
    found = repository_of(folder)
    if not isinstance(found, Repository):
        return folder, ()
    index = _content(f"{found.own}/index", MOST_INDEX_BYTES) or b""
    try:
        return found.top, tuple(paths_of(index, b""))
    except (ValueError, IndexError):  # `trouble` has told of it
        return found.top, ()


def paths_of(index: bytes, mode: bytes) -> Iterator[str]:
    """The paths of an index whose entries have this mode, of all for an empty one."""
    version, count = int.from_bytes(index[4:8]), int.from_bytes(index[8:12])
    at, before = 12, b""
    for _ in range(count if index[:4] == b"DIRC" else 0):
        flags = int.from_bytes(index[at + 60 : at + 62])
        start = at + 62 + (2 if version >= 3 and flags & 0x4000 else 0)
        if version == 4:
            drop, start = _varint(index, start)
            end = index.index(b"\0", start)
            path = before[: len(before) - drop] + index[start:end]
            following = end + 1
        else:
            end = index.index(b"\0", start)
            path = index[start:end]
            following = at + ((end - at) // 8 + 1) * 8
        if mode in (b"", index[at + 24 : at + 28]):
            yield os.fsdecode(path)
        at, before = following, path


def _varint(index: bytes, at: int) -> tuple[int, int]:
    value = index[at] & 0x7F
    while index[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (index[at] & 0x7F)
    return value, at + 1


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
