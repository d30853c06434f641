"""Names inside a workspace that run code or set policy later, without anybody running the project.

Git, a shell, an editor or an agent reads them as soon as it is used in their folder. So a session
that may write everywhere else may not write here unasked, also where nothing has the name yet.

What runs only where somebody runs the project is none of them: `Makefile`, `package.json`,
`conftest.py`, what is installed in a virtual environment, a pipeline's file. Nor is what an agent
only reads as words, such as `AGENTS.md`.
"""

from collections.abc import Sequence

from hilt.workspace.roots import Root, by_real_path, steps

GIT = ".git"
# `commondir` makes git take its configuration and hooks from elsewhere.
IN_GIT = ("hooks", "config", "config.worktree", "commondir")
OTHERS_IN_GIT = ("modules", "worktrees")
"""Below these git keeps the folders of submodules and of other working trees, each with hooks or settings."""
_ALL = (
    *(f"{GIT}/{name}" for name in IN_GIT),
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
ENDINGS = (".code-workspace",)
NAMES: tuple[tuple[str, ...], ...] = tuple(tuple(name.split("/")) for line in _ALL for name in line.split())
SHARED = frozenset({".config", ".local", ".agents"})
"""Folders that hold much else: where one is missing, it need not stay so."""


def _by_first() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name in NAMES:
        first = name[0].casefold()
        found[first] = (*found.get(first, ()), name)
    return found


_BY_FIRST = _by_first()


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
    if first.endswith(ENDINGS):
        return (f"*{next(end for end in ENDINGS if first.endswith(end))}",)
    if first == GIT and path[place + 1 : place + 2] and path[place + 1] in OTHERS_IN_GIT:
        return _other_git(path, place)
    if first.endswith(GIT) and first != GIT and place + 1 == len(path):
        return ()
    for name in named_by(first):
        rest = path[place + 1 : place + len(name)]
        if tuple(rest) == name[1 : 1 + len(rest)]:
            return name[: 1 + len(rest)]
    return ()


def _other_git(path: list[str], place: int) -> tuple[str, ...]:
    """As `_name_at`, in the folder of a submodule or of another working tree."""
    for step in path[place + 2 :]:
        if step in IN_GIT:
            return (GIT, path[place + 1], "*", step)
    return ()


def named_by(first: str) -> tuple[tuple[str, ...], ...]:
    """The protected names that begin with this step; a folder such as `server.git` is a repository too."""
    return _BY_FIRST.get(GIT if first.endswith(GIT) else first.casefold(), ())
