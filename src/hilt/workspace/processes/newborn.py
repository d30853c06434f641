"""What `git init` itself makes of the protected names of a repository, and which may stay: it runs nothing."""

import os
import re
import stat

LONGEST_CONFIG = 8 << 10
_SAMPLE = ".sample"
_SECTION = re.compile(r'\[(core|user|init|remote "[^"\\]*"|branch "[^"\\]*")\]')
_CORE = (
    "repositoryformatversion",
    "filemode",
    "bare",
    "logallrefupdates",
    "ignorecase",
    "precomposeunicode",
    "symlinks",
)
_HARMLESS = {
    "core": _CORE,
    "user": ("name", "email"),
    "init": ("defaultbranch",),
    "branch": ("remote", "merge"),
    "remote": ("url", "fetch"),
}
_RUNS = "::"
"""In an address of a remote: the name of a program that is run for it."""


def is_harmless(folder: int, step: str, name: str) -> bool:
    """Whether what has appeared under a protected name in an open folder is what git makes by itself."""
    if name.endswith(".git/hooks") and step == "hooks":
        return _only_samples(folder, step)
    return name.endswith(".git/config") and step == "config" and _plain_config(folder, step)


def _only_samples(folder: int, step: str) -> bool:
    try:
        hooks = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return False
    try:
        return all(each.endswith(_SAMPLE) for each in os.listdir(hooks))
    finally:
        os.close(hooks)


def _plain_config(folder: int, step: str) -> bool:
    try:
        file = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        content = os.read(file, LONGEST_CONFIG + 1)
    finally:
        os.close(file)
    return len(content) <= LONGEST_CONFIG and _all_known(content.decode("utf-8", "replace"))


def _all_known(text: str) -> bool:
    """Whether every line is a setting that only says what a repository is. Anything written unusually is not."""
    known: tuple[str, ...] = ()
    for line in map(str.strip, text.splitlines()):
        section = _SECTION.fullmatch(line)
        if section:
            known = _HARMLESS[section[1].split(" ")[0]]
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if line and not (equals and key.lower() in known and "\\" not in value and _RUNS not in value):
            return False
    return True
