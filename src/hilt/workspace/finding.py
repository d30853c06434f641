"""From the text of a path to what it names inside the roots, or to the refusal that says why not."""

import errno
import os
from collections.abc import Callable, Sequence

from hilt.calls.resolver import PathFact
from hilt.workspace import wording
from hilt.workspace.changes import wording as changing_wording
from hilt.workspace.descent import FOLDER, NamePlace, open_spot, parent_of
from hilt.workspace.facts import fact, misshapen
from hilt.workspace.handles import FileHandle
from hilt.workspace.mounts import has_foreign, mounted_from
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
        self.check_not_mounted(asked, _real(asked) if has_foreign(self._roots) else "")
        spelled = by_spelling(self._roots, asked)
        if spelled is not None:
            try:
                return open_spot(spelled, flags, follow=True)
            except OSError as error:
                if error.errno not in _LEADS_OUT:
                    raise self._failure(asked, error) from None
        real = _real(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        try:
            return open_spot(spot, flags, follow=False)
        except OSError as error:
            raise self._failure(asked, error) from None

    def check_not_mounted(self, asked: str, real: str) -> None:
        """Refuse what lies in a folder from outside that is mounted below a root."""
        if real and (origin := mounted_from(real, self._roots)):
            raise wording.mounted(self._roots, asked, origin)

    def new_spot(self, asked: str, allowed: PathFact | None) -> Spot:
        """Where a path that need not exist really lies."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        if asked.endswith("/"):
            raise changing_wording.no_file_name(asked)
        real = _real(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        self.check_not_mounted(asked, real)
        self.check_still(asked, allowed, real)
        if not spot.relative:
            raise changing_wording.appeared(asked)
        return spot

    def name_spot(self, asked: str, allowed: PathFact | None) -> Spot:
        """Where a name lies, whatever has it: a link is not followed, the folders above it are."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        real = _real(asked)
        self.check_not_mounted(asked, real)
        self.check_still(asked, allowed, real)
        above, _, name = asked.rstrip("/").rpartition("/")
        if name not in ("", ".", ".."):
            real = os.path.join(os.path.realpath(above or "/"), name)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        self.check_not_mounted(asked, real)
        return spot

    def check_still(self, asked: str, allowed: PathFact | None, real: str, links: int = 1) -> None:
        """Refuse to change what is no longer what was allowed: elsewhere, with more names, or a protected thing now."""
        if allowed is None:
            return
        more = links > max(allowed.links, 1)
        if real != allowed.real or more or fact(self._roots, asked).hole != allowed.hole:
            raise wording.changed(asked)

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
        real = _real(asked)
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


def _real(asked: str) -> str:
    """The canonical path; EnvironmentFailure for one that holds a link which may not be read."""
    try:
        return os.path.realpath(asked)
    except OSError as error:
        raise wording.system_failure(asked, error) from None
