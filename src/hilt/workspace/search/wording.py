"""What searches have in common to say: what they could not read, what they left out, where files lie."""

import os
from collections.abc import Sequence

from hilt.results.failures import InvalidArguments
from hilt.workspace.names import visible
from hilt.workspace.search.command import VCS_FOLDERS, Selection
from hilt.workspace.search.counts import MOST_COUNTED, Reach
from hilt.workspace.search.refusals import Unreadable
from hilt.workspace.workspace import Workspace

VERSION_CONTROL = " ".join(VCS_FOLDERS)


def searched_path(workspace: Workspace, path: str | None) -> str:
    """The path given, or the only root. Raises InvalidArguments where there are several to choose from."""
    if path is not None:
        return path
    roots = [str(root) for root in workspace.roots]
    if len(roots) > 1:
        raise InvalidArguments(
            f"path is missing, and the workspace has {len(roots)} roots",
            f"give path {' or '.join(map(visible, roots))}",
        )
    return roots[0]


def unreadable_note(trouble: Unreadable) -> str:
    """What could not be looked into, with the first few reasons."""
    more = ", such as" if trouble.count > len(trouble.examples) else ":"
    return f"{counted(trouble.count, 'path', 'paths')} could not be read{more} {'; '.join(trouble.examples)}"


def covered(reach: Reach, selection: Selection) -> str:
    """How many files an empty search looked into."""
    fitting = ", ".join(
        f"{name} {visible(value)}" for name, value in (("glob", selection.glob), ("type", selection.file_type)) if value
    )
    if not reach.searched:
        return f"no file to search{f' for {fitting}' if fitting else ''}"
    return f"{at_least(reach.searched)} searched{f' ({fitting})' if fitting else ''}"


def left_out_note(reach: Reach) -> str:
    """What an empty search did not look into, and how it can."""
    if reach.left_out == 0:
        return "not searched: binary files; no file is ignored or hidden"
    hidden = f"{at_least(reach.left_out)} ignored or hidden" if reach.left_out else "files ignored or hidden"
    return f"not searched: {hidden} (give one, or its folder, as path), binary files"


def at_least(files: int) -> str:
    """A number of files that was counted up to a bound."""
    return f"over {MOST_COUNTED:,} files" if files >= MOST_COUNTED else counted(files, "file", "files")


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def shared_folder(paths: Sequence[str]) -> str:
    """The folder, with its final slash, that several absolute paths lie in; empty where saying it saves nothing."""
    if len(set(paths)) < 2:
        return ""
    folder = os.path.commonpath(paths)
    return "" if folder == "/" else f"{folder}/"


def left_out_names_note(reach: Reach) -> str:
    """What an empty search for names passed over, and how it can look there."""
    if not reach.left_out:
        return f"no ignored or hidden file fits either; {VERSION_CONTROL} were not looked into"
    return (
        f"{at_least(reach.left_out)} that {'fits is' if reach.left_out == 1 else 'fit are'} ignored or hidden; "
        "give the folder as path, or spell the leading dot of a hidden name in the pattern"
    )
