"""From the text of a path to what it names inside the roots, or to the refusal that says why not."""

import errno
import os
from collections.abc import Callable, Sequence

from hilt.calls.resolver import PathFact
from hilt.workspace import wording
from hilt.workspace.changes import wording as changing_wording
from hilt.workspace.descent import FOLDER, NamePlace, open_spot, parent_of
from hilt.workspace.facts import misshapen
from hilt.workspace.handles import FileHandle
from hilt.workspace.roots import Root, Spot, by_real_path, by_spelling
from hilt.workspace.threads import Outcome

_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_LEADS_OUT = (errno.EXDEV, errno.ELOOP)
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


class Finder:
    """Finds below these roots. Everything blocks, and raises as `Workspace.open` does."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots = roots

    def look(self, asked: str) -> os.stat_result:
        """What a path is, without opening it: opening a pipe or a device would already act on it."""
        descriptor = self.descend(asked, _PATH_ONLY)
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def descend(self, asked: str, flags: int) -> int:
        """Open `asked` inside the roots: as spelled, or, where a link leads out, where it really is."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        spelled = by_spelling(self._roots, asked)
        if spelled is not None:
            try:
                return open_spot(spelled, flags, follow=True)
            except OSError as error:
                if error.errno not in _LEADS_OUT:
                    raise self._failure(asked, error) from None
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        try:
            return open_spot(spot, flags, follow=False)
        except OSError as error:
            raise self._failure(asked, error) from None

    def new_spot(self, asked: str, allowed: PathFact | None) -> Spot:
        """Where a path that need not exist really lies."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        if asked.endswith("/"):
            raise changing_wording.no_file_name(asked)
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        if allowed is not None and real != allowed.real:
            raise wording.changed(asked)
        if not spot.relative:
            raise changing_wording.appeared(asked)
        return spot

    def name_spot(self, asked: str, allowed: PathFact | None) -> Spot:
        """Where a name lies, whatever has it: a link is not followed, the folders above it are."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        real = os.path.realpath(asked)
        if allowed is not None and real != allowed.real:
            raise wording.changed(asked)
        above, _, name = asked.rstrip("/").rpartition("/")
        if name not in ("", ".", ".."):
            real = os.path.join(os.path.realpath(above or "/"), name)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        return spot

    def at_name(self, asked: str, spot: Spot, action: Callable[[NamePlace], Outcome]) -> Outcome:
        """Do something with what has a name. Raises as `open` does where nothing has it."""
        try:
            with parent_of(spot) as place:
                if place.look() is not None:
                    return action(place)
        except OSError as error:
            if error.errno not in (*_ABSENT, *_LEADS_OUT):
                raise wording.system_failure(asked, error) from None
        raise self._missing(asked, spot)

    def spot_of(self, file: FileHandle) -> Spot:
        spot = by_real_path(self._roots, file.real)
        if spot is None:  # renamed out of the roots since it was opened
            raise wording.changed(file.path)
        return spot

    def _failure(self, asked: str, error: OSError) -> Exception:
        if error.errno not in _ABSENT:
            return wording.system_failure(asked, error)
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            return wording.outside(self._roots, asked, real)
        return self._missing(asked, spot)

    def _missing(self, asked: str, spot: Spot) -> Exception:
        """Walk down from the root to the component that is not there, and read its neighbours' names."""
        parent = ""
        for name in spot.relative.split("/"):
            folder_spot = Spot(root=spot.root, relative=parent)
            try:
                folder = open_spot(folder_spot, FOLDER, follow=True)
            except OSError as error:
                if error.errno == errno.ENOTDIR:
                    return wording.not_a_folder(asked, folder_spot.path)
                if error.errno == errno.ENOENT and not parent:
                    return wording.root_gone(spot.root)
                return wording.system_failure(asked, error)
            try:
                names = os.listdir(folder)
            finally:
                os.close(folder)
            if name not in names:
                return wording.missing(asked, folder_spot.path, name, names)
            parent = f"{parent}/{name}" if parent else name
        return wording.changed(asked)
