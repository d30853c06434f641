"""Where a path argument really points: the facts policy decides on.

Asking never raises and never opens: a path that cannot be used is `inside=False` with the reason,
or inside and `missing`. The answer may be stale a moment later, so opening checks again.
"""

import errno
import os
import stat
from collections.abc import Sequence
from functools import cache, lru_cache

from hilt.calls.resolver import PathFact, PathKind
from hilt.store.home import VARIABLE, place
from hilt.workspace.hole_names import hole_of
from hilt.workspace.holes_led_to import hole_led_to
from hilt.workspace.mounts import mounted_from
from hilt.workspace.roots import Root, by_real_path, steps

_KERNEL_MOUNTS = ("/proc", "/sys")


def fact(roots: Sequence[Root], asked: str) -> PathFact:
    """The fact for one path. For a missing one: its deepest existing parent, then the rest."""
    wrong = misshapen(asked)
    if wrong:
        instead = absolute(roots, asked)
        return PathFact(asked=asked, real=asked, inside=False, kind="missing", why=wrong, instead=instead)
    try:
        real = os.path.realpath(asked)
    except OSError as error:  # a link that may not be read, as of another user's process in /proc
        why = f"{asked} cannot be followed: {error.strerror}"
        return PathFact(asked=asked, real=asked, inside=False, kind="missing", why=why)
    spot = by_real_path(roots, real)
    kind, trouble, links = _kind(real)
    if spot is None:
        return PathFact(
            asked=asked,
            real=real,
            inside=False,
            kind=kind,
            why=outside_reason(roots, asked, real),
            hole=hole_of(real, roots),
            links=links,
        )
    if elsewhere := mounted_from(real, roots):
        why = mounted_reason(roots, asked, elsewhere)
        return PathFact(asked=asked, real=elsewhere, inside=False, kind=kind, why=why, links=links)
    hole = hole_of(real, roots) or _by_name(roots, asked, real) or hole_led_to(real, spot.root.real) or _own(real)
    return PathFact(asked=asked, real=real, inside=True, kind=kind, why=trouble, hole=hole, links=links)


def _by_name(roots: Sequence[Root], asked: str, real: str) -> str:
    """The protected name of a link that is asked for by a path: what it leads to is what the name holds."""
    return hole_of(asked, roots) if asked != real else ""


def _own(real: str) -> str:
    """What a path in Hilt's own state is called: there its answers, permissions and memory are kept."""
    state = _state(os.environ.get(VARIABLE))
    return "Hilt's own state" if real == state or real.startswith(f"{state}/") else ""


@lru_cache(maxsize=4)
def _state(_named: str | None) -> str:
    return os.path.realpath(place())


def misshapen(asked: str) -> str:
    """Why `asked` is no usable absolute path; empty when it is one."""
    if not asked.startswith("/"):
        return "not absolute"
    if "\0" in asked:
        return "holds a NUL character"
    try:
        os.fsencode(asked)
    except UnicodeEncodeError:
        return "holds half a surrogate pair, which no file name can"
    return ""


def absolute(roots: Sequence[Root], asked: str) -> str:
    """The absolute path that a misshapen one may have meant: below the first root, if it stays there."""
    root = roots[0].real
    meant = os.path.normpath(os.path.join(root, asked))
    plain = bool(asked) and asked[0] != "~" and not misshapen(meant) and "://" not in asked and "\\" not in asked
    return meant if plain and by_real_path(roots[:1], meant) else root


def outside_reason(roots: Sequence[Root], asked: str, real: str) -> str:
    """Why a path is outside, naming the roots."""
    led = "" if steps(asked) == steps(real) else f" leads to {real}, which"
    return f"{asked}{led} is outside the workspace ({root_list(roots)})"


def mounted_reason(roots: Sequence[Root], asked: str, origin: str) -> str:
    """Why a path below a root is outside all the same."""
    return f"{asked} is mounted from {origin}, which is outside the workspace ({root_list(roots)})"


def root_list(roots: Sequence[Root], most: int = 3) -> str:
    named = ", ".join(root.real for root in roots[:most])
    more = len(roots) - most
    return f"{'root' if len(roots) == 1 else 'roots'} {named}" + (f" and {more} more" if more > 0 else "")


def _kind(real: str) -> tuple[PathKind, str, int]:
    """What is there, what is wrong with it, and how many names it has."""
    try:
        found = os.stat(real)
    except OSError as error:
        return "missing", "its links form a loop" if error.errno == errno.ELOOP else "", 1
    if (
        any(real == mount or real.startswith(mount + "/") for mount in _KERNEL_MOUNTS)
        or found.st_dev in _kernel_devices()
    ):
        return "special", "", 1
    if stat.S_ISDIR(found.st_mode):
        return "folder", "", 1
    return ("file", "", found.st_nlink) if stat.S_ISREG(found.st_mode) else ("special", "", 1)


@cache
def _kernel_devices() -> frozenset[int]:
    """The device numbers of the kernel's own file systems, so that another name for them is seen too."""
    devices: set[int] = set()
    for mount in _KERNEL_MOUNTS:
        try:
            devices.add(os.stat(mount).st_dev)
        except OSError:
            continue
    return frozenset(devices - {os.stat("/").st_dev})
