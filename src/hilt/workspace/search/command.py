"""What is searched for and in which files, as ripgrep's options.

Ripgrep lets a positive `--glob` override ignore files, hidden names and `--type` alike; Hilt does
not. A glob of one name becomes a file type, which overrides none of them. Any other glob is
searched as it is, and what it found is held against a listing made without it (`listing`).
Options are written `--name=value`, so that no pattern or glob can become an option.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

VCS_FOLDERS = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")
HERE = ("--", "./")
_OWN_TYPE = "hiltglob"
_NO_VCS = tuple(f"--glob=!{name}" for name in VCS_FOLDERS)
_NOTHING_HIDDEN = "--glob=!.*"
_DOT_NAME = re.compile(r"(?:^|[/{,])(\.[^/{},]+)")
_DOT_NAME_LAST = re.compile(r"(?:^|[/{,])\.[^/]+$")
_CARRIAGE_RETURN = re.compile(r"\r|\\r|\\x0d|\\x\{0*d\}|\\u000d|\\u\{0*d\}|\\cM", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which files: those a glob names, relative to the folder searched, and of a type; None is every one.

    A name that begins with a dot is found only where the glob spells the dot.
    """

    glob: str | None = None
    file_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to find: a regular expression of ripgrep's own engine, which takes linear time.

    Without `multiline` lines are matched one by one, and `$` also stands before CRLF.
    """

    pattern: str
    ignore_case: bool = False
    multiline: bool = False


def matching(query: Query) -> list[str]:
    """The options that say what matches."""
    options = [f"--regexp={query.pattern}"]
    if query.ignore_case:
        options.append("--ignore-case")
    if query.multiline:
        options.append("--multiline")
    if not _CARRIAGE_RETURN.search(query.pattern):
        options.append("--crlf")  # a pattern that names the carriage return itself would be refused with it
    return options


def selecting(selection: Selection) -> list[str]:
    """The options that choose files. Where `overrides`, they choose ignored files and other types too."""
    glob = selection.glob
    if glob is None or glob.startswith("!"):
        return [*_typed(selection), *([] if glob is None else [f"--glob={glob}"])]
    if not overrides(selection):
        return [f"--type-add={_OWN_TYPE}:{_one_name(glob)}", f"--type={_OWN_TYPE}", _NOTHING_HIDDEN]
    chosen = f"--glob={_relative(glob)}"
    dotted = _DOT_NAME.findall(glob)
    if not dotted:
        return [chosen, _NOTHING_HIDDEN]
    again = [chosen] if _DOT_NAME_LAST.search(glob) else []
    return ["--hidden", chosen, _NOTHING_HIDDEN, *(f"--glob={name}/" for name in dotted), *again, *_NO_VCS]


def listing(selection: Selection) -> list[str]:
    """The options of a listing of all that may be searched, with `selection`'s glob left out."""
    hidden = ["--hidden", *_NO_VCS] if selection.glob and _DOT_NAME.search(selection.glob) else []
    return [*_typed(selection), *hidden]


def unrestricted(selection: Selection) -> list[str]:
    """The options that choose files by `selection` alone: ignored and hidden ones too, version control never."""
    named = [] if selection.glob is None else [f"--glob={_relative(selection.glob)}"]
    return ["--no-ignore", "--hidden", *_typed(selection), *named, *_NO_VCS]


def overrides(selection: Selection) -> bool:
    """Whether `selecting` must use a positive glob, which chooses ignored files and other types too."""
    glob = selection.glob
    if glob is None or glob.startswith("!"):
        return False
    name = _one_name(glob)
    plain = (
        "/" not in name and name not in ("", "**") and not _DOT_NAME.search(name) and not name.startswith("include:")
    )
    return not plain or selection.file_type is not None


def _typed(selection: Selection) -> list[str]:
    return [] if selection.file_type is None else [f"--type={selection.file_type}"]


def _one_name(glob: str) -> str:
    """The glob without what only says "at any depth"."""
    while glob.startswith("**/"):
        glob = glob[3:]
    return glob


def _relative(glob: str) -> str:
    """As git would read it from a line of its own: no leading comment sign."""
    return f"\\{glob}" if glob.startswith("#") else glob


def in_version_control(path: str) -> str | None:
    """The version control folder that `path` is or lies in."""
    return next((step for step in path.split("/") if step in VCS_FOLDERS), None)


def named(files: Sequence[str]) -> list[str]:
    """Files as arguments, after which no option can follow."""
    return ["--", *files]
