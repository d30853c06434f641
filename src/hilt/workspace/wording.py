"""What an operating system's refusal means to the model that asked, and what it can do next."""

import errno
import os
import stat
from collections.abc import Sequence

from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused, Retryable, ToolFailure
from hilt.workspace.facts import absolute, mounted_reason, outside_reason, root_list
from hilt.workspace.names import differing_code_points, nearest, quoted, visible
from hilt.workspace.roots import Root

LONGEST_PATH = 4_095
LONGEST_NAME = 255
"""Bytes, on nearly every file system; only for words, for the system itself refuses what is longer."""
OUTSIDE = "outside-roots"
CHANGED = "path-changed"

_BUSY = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFREG: "a file",
}


def misshapen_path(roots: Sequence[Root], asked: str, wrong: str) -> InvalidArguments:
    """The failure for an argument that is no absolute path."""
    step = f"give an absolute path, for example {quoted(absolute(roots, asked))}"
    return InvalidArguments(f"the path {quoted(asked)} {_verb(wrong)}", step)


def outside(roots: Sequence[Root], asked: str, real: str) -> Refused:
    """The refusal of a path that leads out of the workspace."""
    return _outside(roots, outside_reason(roots, asked, real))


def mounted(roots: Sequence[Root], asked: str, origin: str) -> Refused:
    """The refusal of a path below a root at which something from outside is mounted."""
    return _outside(roots, mounted_reason(roots, asked, origin))


def _outside(roots: Sequence[Root], reason: str) -> Refused:
    return Refused(
        visible(reason),
        f"give a path below the {root_list(roots)}",
        "ask the person to open this folder to the session",
        by="rule",
        rule=OUTSIDE,
    )


def changed(asked: str) -> Refused:
    """The refusal of a path that turned to another file between deciding and opening."""
    return Refused(
        f"{visible(asked)} pointed elsewhere when it was opened than when it was allowed",
        "call again once nothing is renaming or linking there",
        by="rule",
        rule=CHANGED,
    )


def missing(asked: str, parent: str, name: str, names: Sequence[str]) -> EnvironmentFailure:
    """The failure for a path of which `name` in the existing folder `parent` is missing."""
    found = nearest(name, names)
    target = os.path.join(parent, name)
    led = "" if asked.endswith(f"/{name}") or f"/{name}/" in asked else f" (it leads to {visible(target)})"
    problem = f"{visible(asked)} does not exist{led}"
    if not found:
        step = _where(parent, names)
        return EnvironmentFailure(f"{problem}: {visible(parent)} holds nothing named like {visible(name)}", step)
    listed = ", ".join(visible(other) for other in found)
    if any("\udc80" <= character <= "\udcff" for character in found[0]):
        return EnvironmentFailure(
            f"{problem}; {visible(parent)} has {listed}, but a name with bytes that are not UTF-8 fits in no argument",
            "ask the person to rename it",
            "search inside it with a glob that has * for these bytes",
        )
    points = differing_code_points(name, found[0])
    if points:
        problem = f"{problem}; a name that looks alike does: {points}"
    else:
        problem = f"{problem}; {visible(parent)} has {listed}"
    rest = _after(asked, name)
    return EnvironmentFailure(problem, f"give the path {quoted(os.path.join(parent, found[0], *rest))}")


def root_gone(root: Root) -> EnvironmentFailure:
    """The failure for any path of a workspace whose folder was there when the session began."""
    return EnvironmentFailure(
        f"the workspace {visible(root.real)} is gone: its folder was moved or deleted",
        "report it to the person, who can put it back or start Hilt with another",
    )


def wrong_kind(asked: str, mode: int, wanted: str) -> EnvironmentFailure:
    """The failure for a folder, pipe, socket or device where something else is needed."""
    kind = _KINDS.get(stat.S_IFMT(mode), "of an unknown kind")
    step = f"give the path of {wanted} inside it" if stat.S_ISDIR(mode) else f"give the path of {wanted}"
    return EnvironmentFailure(f"{visible(asked)} is {kind}, not {wanted}", step)


def not_a_folder(asked: str, file: str) -> EnvironmentFailure:
    """The failure for a path that goes on below a file."""
    return EnvironmentFailure(
        f"{visible(asked)} does not exist: {visible(file)} is a file, not a folder", f"give the path {quoted(file)}"
    )


def system_failure(asked: str, error: OSError) -> ToolFailure:
    """The failure for what the operating system said about a path that is inside and exists."""
    shown = visible(asked)
    if error.errno in (errno.EACCES, errno.EPERM):
        return EnvironmentFailure(
            f"no permission to open {shown}", "use another file, or report that this one cannot be read"
        )
    if error.errno == errno.ELOOP:
        return EnvironmentFailure(
            f"the links of {shown} form a loop or point into the kernel", "give the path of the file itself"
        )
    if error.errno == errno.ENAMETOOLONG:
        whole = len(os.fsencode(asked)) > LONGEST_PATH
        what = (
            f"is longer than a path may be ({LONGEST_PATH:,} bytes)"
            if whole
            else (f"has a name longer than the file system allows ({LONGEST_NAME} bytes)")
        )
        return InvalidArguments(f"{shown[:80]}... {what}", "give a shorter path")
    if error.errno in _BUSY:
        return Retryable(f"{shown} cannot be opened now: {error.strerror}", "call again in a moment", retry_after_s=1.0)
    return EnvironmentFailure(f"{shown} cannot be read: {error.strerror}", "use another file, or report this one")


def _verb(wrong: str) -> str:
    return f"is {wrong}" if wrong.startswith("not ") else wrong


def _where(parent: str, names: Sequence[str]) -> str:
    if not names:
        return f"look elsewhere: {visible(parent)} is empty"
    shown = ", ".join(visible(name) for name in sorted(names)[:5])
    more = len(names) - 5
    return f"give a path that exists; {visible(parent)} holds {shown}" + (f" and {more} more" if more > 0 else "")


def _after(asked: str, name: str) -> list[str]:
    """The components that follow the missing one, as far as the text shows them."""
    parts = [part for part in asked.split("/") if part not in ("", ".")]
    return parts[parts.index(name) + 1 :] if parts.count(name) == 1 else []
