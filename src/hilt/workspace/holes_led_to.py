"""Folders and files that are as good as protected names, because something in their repository leads to them.

A link with a protected name, the folder that `core.hooksPath` names, and the real folder of a
repository whose `.git` is a file. Text alone tells none of them: they are looked for on disk, and
remembered for as long as what they were read from has not changed.
"""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hilt.workspace.hole_names import ENDINGS, GIT, IN_GIT, OTHERS_IN_GIT, named_by

MOST_REMEMBERED = 4_096
"""Folders of which is remembered what they lead to."""
MOST_BYTES = 256 * 1024
"""Bytes of one file of settings that are read."""
MOST_INCLUDES = 8
"""Files of settings that are followed from one."""


def led_to_from(folder: str) -> tuple[tuple[str, str], ...]:
    """The real paths that something directly in a folder protects, each with its name for people."""
    try:
        seen = os.stat(folder)
    except OSError:
        return ()
    return _led_to(folder, (seen.st_ino, seen.st_mtime_ns, *_age(f"{folder}/{GIT}/config"), *_age(f"{folder}/{GIT}")))


def holes_in(folder: Path) -> Iterator[Path]:
    """The protected names of one folder that are there."""
    for entry in _entries_of(folder):
        for name in named_by(entry):
            path = folder.joinpath(entry, *name[1:])
            if os.path.lexists(path):
                yield path
        if entry == GIT:
            yield from _others_in(folder / entry)
        if entry.endswith(ENDINGS) or (entry == GIT and (folder / entry).is_file()):
            yield folder / entry


def _others_in(repository: Path) -> Iterator[Path]:
    """The protected names of the submodules and other working trees whose repositories lie in this one."""
    for kind in OTHERS_IN_GIT:
        for other in _entries_of(repository / kind):
            yield from (path for name in IN_GIT if os.path.lexists(path := repository / kind / other / name))


def hole_led_to(real: str, root: str) -> str:
    """As `hole_of`, for what a folder between the path and its root leads to; empty for none."""
    folder = root
    waiting = [step for step in real[len(root) :].split("/") if step]
    while True:
        for target, name in led_to_from(folder):
            if real == target or real.startswith(f"{target}/"):
                return name
        if len(waiting) <= 1:
            return ""
        folder = f"{folder.rstrip('/')}/{waiting.pop(0)}"


def git_folders(folder: Path) -> tuple[Path, ...]:
    """The folders git keeps a working tree's repository in: its own, and the one it shares with others."""
    place = folder / GIT
    if place.is_file():
        text = _text(place)
        if not text.startswith("gitdir:"):
            return ()
        place = Path(os.path.realpath(folder / text.removeprefix("gitdir:").strip()))
    if not place.is_dir():
        return ()
    shared = _text(place / "commondir").strip()
    return (place, Path(os.path.realpath(place / shared))) if shared else (place,)


@lru_cache(maxsize=MOST_REMEMBERED)
def _led_to(folder: str, _age: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(_find(Path(folder)))


def _find(folder: Path) -> Iterator[tuple[str, str]]:
    for path in holes_in(folder):
        if (real := os.path.realpath(path)) != str(path):
            yield real, path.name
    repositories = git_folders(folder)
    for repository in repositories:
        if repository != folder / GIT:
            yield from ((str(repository / name), f"{GIT}/{name}") for name in IN_GIT)
    if repositories:
        for named in _hooks_paths((*(repository / "config" for repository in repositories), *_personal())):
            yield os.path.realpath(folder / named), "core.hooksPath"


def _personal() -> tuple[Path, ...]:
    home = Path(os.path.expanduser("~"))
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return home / ".gitconfig", settings / "git/config", Path("/etc/gitconfig")


def _hooks_paths(files: tuple[Path, ...]) -> Iterator[str]:
    """Every folder that these settings, and those they include, name for hooks."""
    waiting = list(files)
    for _ in range(len(files) + MOST_INCLUDES):
        if not waiting:
            return
        file = waiting.pop(0)
        for section, key, value in _settings(_text(file)):
            if section == "core" and key == "hookspath" and value:
                yield value
            elif section.startswith("include") and key == "path":
                waiting.append(file.parent / value)


def _settings(text: str) -> Iterator[tuple[str, str, str]]:
    """Section and key in lower case, and the value as git reads it, `~` written out."""
    section = ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            section, _, line = line[1:].partition("]")
            section = section.split('"')[0].strip().casefold()
        key, equals, value = line.partition("=")
        if equals and not line.startswith(("#", ";")):
            plain = value.split(" #")[0].split(" ;")[0].strip().replace('"', "").replace("\\\\", "\\")
            yield section, key.strip().casefold(), os.path.expanduser(plain)


def _entries_of(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(file: Path) -> str:
    """The beginning of a regular file; empty for anything else."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _age(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns
