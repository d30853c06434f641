"""A file, link or folder under another name, also on another file system."""

import errno
import os
from contextlib import suppress

from hilt.workspace.changes.renaming import rename_without_replacing
from hilt.workspace.changes.staging import Staging, fresh_name
from hilt.workspace.changes.trees import copy_tree, extent, remove_tree
from hilt.workspace.descent import NamePlace

_staging = Staging()


def put_elsewhere(source: NamePlace, target: NamePlace) -> None:
    """Move to a name that nothing has. Raises FileExistsError, and OSError where it cannot be done.

    On another file system it is copied to a private folder there (else, hidden, to the folder it is
    meant for), gets its name when it is whole and was not changed meanwhile, and is then removed
    here.
    """
    try:
        rename_without_replacing(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_over(source, target)


def _copy_over(source: NamePlace, target: NamePlace) -> None:
    before = extent(source)
    folders = _staging.folders(target)
    try:
        part = NamePlace(folder=next(folders), name=fresh_name())
        try:
            copy_tree(source, part)
            if extent(part).digest != before.digest or extent(source).digest != before.digest:
                raise OSError(errno.EBUSY, "it was changed while it was copied", source.name)
            rename_without_replacing(part, target)
        except BaseException:
            with suppress(OSError):
                remove_tree(part)
            raise
    finally:
        folders.close()
    remove_tree(source)


def contains(folder: str, path: str) -> bool:
    """Whether a canonical path is a folder's own or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
