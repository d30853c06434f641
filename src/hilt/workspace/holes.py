"""Names inside a workspace that run code or set policy later, without anybody running the project.

Git, a shell, an editor or an agent reads them as soon as it is used in their folder. So a session
that may write everywhere else may not write here unasked, also where nothing has the name yet.

What runs only where somebody runs the project is none of them: `Makefile`, `package.json`,
`conftest.py`, what is installed in a virtual environment, a pipeline's file. Nor is what an agent
only reads as words, such as `AGENTS.md`.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.workspace.roots import Root, by_real_path, steps

DEEPEST = 3
"""Levels of folders below a root in which existing holes are looked for."""
MOST_FOLDERS = 1_000
"""Folders of one root that are looked into."""

_GIT = ".git"
# `commondir` makes git take its configuration and hooks from elsewhere.
_IN_GIT = ("hooks", "config", "config.worktree", "commondir")
_OTHERS_IN_GIT = ("modules", "worktrees")
"""Below these git keeps the folders of submodules and of other working trees, each with hooks or settings."""
_ALL = (
    *(f"{_GIT}/{name}" for name in _IN_GIT),
    # git beside its own folder
    ".gitmodules .gitconfig .githooks .husky .pre-commit-config.yaml lefthook.yml .lefthook.yml .config/git",
    # Hilt
    "hilt.toml .config/hilt .local/state/hilt",
    # other agents
    ".mcp.json .claude.json .claude/settings.json .claude/settings.local.json .claude/hooks .claude/commands",
    ".claude/agents .claude/skills .claude/plugins .agents/skills .codex .cursor .gemini .windsurf .opencode",
    "opencode.json .aider.conf.yml .continue",
    # editors
    ".vscode .idea .zed .fleet .devcontainer .devcontainer.json .vimrc .nvimrc .exrc .nvim.lua .dir-locals.el",
    ".emacs .emacs.d .config/nvim .config/zed",
    # shells
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin",
    ".zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .envrc .direnvrc .config/fish",
    # what starts with a session, a login or a program
    ".ssh .gnupg .pam_environment .xinitrc .xsession .xprofile .xsessionrc .config/autostart .config/systemd",
    ".config/environment.d .tmux.conf .screenrc .ripgreprc .curlrc .wgetrc .gdbinit .lldbinit .pdbrc .Rprofile",
    ".irbrc .pryrc",
)
_ENDINGS = (".code-workspace",)
_NAMES: tuple[tuple[str, ...], ...] = tuple(tuple(name.split("/")) for line in _ALL for name in line.split())
_SHARED = frozenset({".config", ".local", ".agents"})
"""Folders that hold much else: where one is missing, it need not stay so."""
# A package manager fills and empties these; nobody opens a project, a shell or a repository in them.
_PASSED_OVER = frozenset({"node_modules", "site-packages", ".venv", "venv", "__pycache__", ".tox", ".nox", "target"})


def _by_first() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name in _NAMES:
        first = name[0].casefold()
        found[first] = (*found.get(first, ()), name)
    return found


_BY_FIRST = _by_first()


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """The holes of one root: those that exist; paths that must stay absent; and whether all of it was looked at.

    `pinned` are the folders that lead to an existing hole and are none themselves: one that is
    renamed takes its holes along, and another can be put in its place.
    """

    there: tuple[Path, ...]
    absent: tuple[Path, ...]
    pinned: tuple[Path, ...]
    whole: bool


def hole_of(real: str, roots: Sequence[Root]) -> str:
    """The protected name that a canonical path is, lies in, or would bring along; empty for none.

    A folder that holds protected names alone counts (`.git`, `.claude`): whatever takes its place
    brings them. A name that a root itself has, or lies in, was granted with the root.
    """
    spot = by_real_path(roots, real)
    granted = len(steps(spot.root.real)) if spot else 0
    path = [step.casefold() for step in steps(real)]
    for place in range(len(path)):
        found = _name_at(path, place)
        if found and place + len(found) > granted:
            return "/".join(found)
    return ""


def _name_at(path: list[str], place: int) -> tuple[str, ...]:
    """The protected name that begins at this step, or the part of one that the path ends with."""
    first = path[place]
    if first.endswith(_ENDINGS):
        return (f"*{next(end for end in _ENDINGS if first.endswith(end))}",)
    if first == _GIT and path[place + 1 : place + 2] and path[place + 1] in _OTHERS_IN_GIT:
        return _other_git(path, place)
    bare = first.endswith(_GIT) and place + 1 < len(path)
    for name in _BY_FIRST.get(_GIT if bare else first, ()):
        rest = path[place + 1 : place + len(name)]
        if tuple(rest) == name[1 : 1 + len(rest)]:
            return name[: 1 + len(rest)]
    return ()


def _other_git(path: list[str], place: int) -> tuple[str, ...]:
    """As `_name_at`, in the folder of a submodule or of another working tree."""
    for step in path[place + 2 :]:
        if step in _IN_GIT:
            return (_GIT, path[place + 1], "*", step)
    return ()


def holes_below(root: Path, deepest: int = DEEPEST) -> Below:
    """The holes of one root, looked for so many levels deep. Blocks.

    Absent are only those directly in the root and in the folders of repositories that were found: a
    name that could appear in any folder cannot be held off in all of them. For several steps the
    first that is missing is given. What a link leads to is not looked into.
    """
    there: dict[Path, None] = {}
    absent: dict[Path, None] = dict.fromkeys(_missing(root))
    looked = 0
    for looked, folder in enumerate(_folders(root, deepest), start=1):  # noqa: B007  the last number is wanted
        for path, exists in _named_in(folder):
            (there if exists else absent)[path] = None
    pinned = {above: None for path in there for above in path.parents if root in above.parents and above not in there}
    return Below(there=tuple(there), absent=tuple(absent), pinned=tuple(pinned), whole=looked < MOST_FOLDERS)


def _missing(root: Path) -> Iterator[Path]:
    """For every name the first step that is not there, directly below a root."""
    for name in _NAMES:
        path = root
        for step in name:
            path = path / step
            if not os.path.lexists(path):
                if step not in _SHARED:
                    yield path
                break


def _named_in(folder: Path) -> Iterator[tuple[Path, bool]]:
    """The protected names of one folder that are there, and what a repository in it has not."""
    for entry in _names(folder):
        for name in _BY_FIRST.get(_GIT if entry.endswith(_GIT) else entry.casefold(), ()):
            path = folder.joinpath(entry, *name[1:])
            exists = os.path.lexists(path)
            if exists or (entry.endswith(_GIT) and (folder / entry).is_dir()):
                yield path, exists
        if entry.endswith(_ENDINGS) or (entry == _GIT and (folder / entry).is_file()):
            yield folder / entry, True


def _folders(root: Path, deepest: int) -> Iterator[Path]:
    """The root and the folders below it, nearest first, within bounds."""
    waiting = [(root, 0)]
    for count in range(MOST_FOLDERS):
        if count >= len(waiting):
            return
        folder, depth = waiting[count]
        yield folder
        if depth < deepest and len(waiting) < MOST_FOLDERS:
            waiting += [(each, depth + 1) for each in _plain_folders(folder)]


def _plain_folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [
                folder / entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                and entry.name not in _PASSED_OVER
                and not entry.name.endswith(_GIT)
            ]
    except OSError:
        return []


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
