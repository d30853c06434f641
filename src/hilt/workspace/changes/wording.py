"""What a failed or unusual change of a file means to the model that asked, and what it can do next."""

import errno
import os
import stat
from collections.abc import Sequence

from hilt.errors import HiltError
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Retryable, ToolFailure
from hilt.workspace.names import quoted, visible
from hilt.workspace.wording import system_failure

_FULL = (errno.ENOSPC, errno.EDQUOT)
_DENIED = (errno.EACCES, errno.EPERM)


def too_large(asked: str, size: int, most: int) -> EnvironmentFailure:
    """The failure for a file that is not changed as a whole."""
    return EnvironmentFailure(
        f"{visible(asked)} has {size:,} bytes; the largest file that is changed is {most:,}",
        "change it with a program made for files of this size, or report it",
    )


def unreadable(asked: str, error: OSError) -> ToolFailure:
    """The failure for a file that was opened and does not let itself be read."""
    return system_failure(asked, error)


def unwritable(asked: str, error: OSError) -> ToolFailure:
    """The failure for content that could not be written; the old content is there."""
    if error.errno == errno.ENAMETOOLONG:
        return system_failure(asked, error)
    shown = visible(asked)
    kept = "nothing was changed"
    if error.errno in _FULL:
        return EnvironmentFailure(
            f"{shown} was not written: the disk is full ({error.strerror}); {kept}",
            "free some room, then call again",
            "report it to the person",
        )
    if error.errno == errno.EFBIG:
        return EnvironmentFailure(
            f"{shown} was not written: the content is larger than this system lets a file be; {kept}",
            "write less at once, or report it to the person",
        )
    if error.errno == errno.EROFS:
        return EnvironmentFailure(
            f"{shown} was not written: it lies on a file system that is read-only; {kept}", "write elsewhere"
        )
    if error.errno in _DENIED:
        return EnvironmentFailure(
            f"{shown} was not written: its folder or the file itself does not let it be changed "
            f"({error.strerror}); {kept}",
            "write elsewhere, or report it to the person",
        )
    return EnvironmentFailure(
        f"{shown} was not written: {error.strerror}; {kept}", "write elsewhere, or report it to the person"
    )


def read_only(asked: str, mode: int) -> EnvironmentFailure:
    """The failure for a file whose mode lets nobody write, or not us."""
    bits = stat.filemode(mode)
    why = "is read-only" if not mode & 0o222 else "may not be written by this user"
    return EnvironmentFailure(
        f"{visible(asked)} {why} ({bits}); nothing was changed",
        "leave it as it is, or ask the person to make it writable",
    )


def changed_meanwhile(asked: str) -> InvalidArguments:
    """The refusal of a change whose file somebody else changed while it was being made."""
    return InvalidArguments(
        f"{visible(asked)} was changed by somebody else while this change was made; nothing was written",
        "look at it again, then call again with what it holds now",
    )


def through_a_link(asked: str, real: str) -> str:
    """Told where a link was asked for: it stays, and its target has the new content."""
    return f"{visible(asked)} is a link; its target {visible(real)} was written"


def other_names(links: int) -> str:
    """Told where a file had other names (hard links)."""
    others = "the other one keeps" if links == 2 else f"the other {links - 1} keep"
    return f"the file had {links} names (hard links); {others} the old content"


def not_kept(lost: Sequence[str]) -> str:
    """Told where something beside the content could not be carried over."""
    return f"not kept, for this user may not set it: the file's {', '.join(lost)}"


def appeared(asked: str) -> InvalidArguments:
    """The refusal of a new file whose name something has."""
    return InvalidArguments(
        f"{visible(asked)} exists; nothing was written", "look at it first, or give a path where nothing is"
    )


def below_a_file(asked: str, file: str) -> EnvironmentFailure:
    """The failure for a new path that goes on below a file."""
    return EnvironmentFailure(
        f"{visible(asked)} cannot be made: {visible(file)} is a file, not a folder; nothing was written",
        f"give a path below the folder {quoted(file.rpartition('/')[0] or '/')}",
    )


def no_file_name(asked: str) -> InvalidArguments:
    """The refusal of a path that ends as a folder's does, where a file's is needed."""
    return InvalidArguments(
        f"{visible(asked)} ends in a slash and names a folder, not a file", "add the name of the file to it"
    )


def taken(asked: str, found: os.stat_result, name: str) -> InvalidArguments:
    """The refusal of a move to a name that something has."""
    if stat.S_ISDIR(found.st_mode):
        inside = quoted(os.path.join(asked.rstrip("/"), name))
        return InvalidArguments(
            f"{visible(asked)} is a folder that exists; nothing was moved", f"to move into it give {inside}"
        )
    return InvalidArguments(
        f"{visible(asked)} exists; nothing was moved", "give a path where nothing is, or first move that one away"
    )


def into_itself(source: str, asked: str) -> InvalidArguments:
    """The refusal of a move of a folder to somewhere in it."""
    return InvalidArguments(
        f"{visible(asked)} is or lies in {visible(source)}, which cannot move into itself", "give a path outside it"
    )


def a_root(asked: str) -> InvalidArguments:
    """The refusal to take away what a root is or lies in."""
    return InvalidArguments(
        f"{visible(asked)} is a root of the workspace, or holds one, and stays where it is", "give a path below it"
    )


def not_empty(asked: str, files: int, folders: int, size: int) -> InvalidArguments:
    """The refusal to remove a folder with something in it, unasked."""
    what = [f"{count:,} {one if count == 1 else one + 's'}" for count, one in ((files, "file"), (folders, "folder"))]
    held = " and ".join(each for each in what if not each.startswith("0 "))
    return InvalidArguments(
        f"{visible(asked)} holds {held}, {size:,} bytes; nothing was removed",
        "give recursive=true to remove all of it",
        "remove only what is meant",
    )


def not_as_left(asked: str) -> EnvironmentFailure:
    """The refusal to take back a change whose file has changed again since."""
    return EnvironmentFailure(
        f"{visible(asked)} is no longer what the change left there; nothing was changed",
        "undo the later changes first, or put it right by hand",
    )


def holds_a_mount(asked: str) -> EnvironmentFailure:
    """The refusal to remove what another file system is mounted on or in."""
    return EnvironmentFailure(
        f"{visible(asked)} is or holds a mounted file system; nothing was removed", "report it to the person"
    )


def unremovable(asked: str, error: OSError) -> ToolFailure:
    """The failure for what could not be removed; it is there."""
    if error.errno in (errno.EFBIG, *_FULL):
        return unkept(asked, error)
    if error.errno in _DENIED:
        return EnvironmentFailure(
            f"{visible(asked)} was not removed: its folder does not let it ({error.strerror})",
            "leave it, or report it to the person",
        )
    return EnvironmentFailure(f"{visible(asked)} was not removed: {error.strerror}", "leave it, or report it")


def unkept(asked: str, error: OSError | HiltError) -> EnvironmentFailure:
    """The failure for what could not be kept for undoing and so was not removed."""
    why = error.strerror if isinstance(error, OSError) else error.problem
    less = "free some room" if isinstance(error, OSError) and error.errno in _FULL else "remove less at once"
    return EnvironmentFailure(
        f"{visible(asked)} was not removed, for it could not be kept to be had back ({why})",
        f"{less}, or ask the person to remove it",
    )


def busy(asked: str, error: OSError) -> Retryable:
    """The failure for what was changed while it was copied to another file system."""
    return Retryable(f"{visible(asked)} was not moved: {error.strerror}", "call again once nothing writes to it")
