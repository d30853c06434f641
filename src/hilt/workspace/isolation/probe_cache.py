"""What earlier probes came to, in one file of the person's own: a file anybody else could have written is ignored."""

import hashlib
import json
import os
import platform
import stat
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from hilt.calls.resolver import Property
from hilt.declarations.schema import is_array, is_object
from hilt.workspace.commands.environment import command_environment
from hilt.workspace.isolation.isolation import Isolation
from hilt.workspace.isolation.probe_scene import Proof, Weakness
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.identity import boot

_ROOMS = Path(__file__).parents[1]
FILE = "isolation.json"
FORM = 1
"""Raised where what is tried, or how it is written down, becomes another."""
MOST_KEPT = 32
"""Ways to isolate whose proofs are kept, the latest."""
MOST_BYTES = 64 << 10
FAILED_FOR_S = 600.0
"""Seconds for which it is remembered that nothing could be run: a busy or changed machine is no lasting reason."""
_OURS = tuple(str(each) for room in ("isolation", "processes") for each in sorted(_ROOMS.joinpath(room).glob("*.py")))
_PROPERTIES = frozenset(get_args(Property))
_WEAKNESSES = frozenset(get_args(Weakness))


def mark(isolation: Isolation, root: Path) -> str:
    """The name of one way to isolate, for one user of one boot: everything but the folders of this try goes in."""
    environment = command_environment().given
    walls = isolation.walls(Command(argv=("true",), folder=str(root)), root, environment)
    walls = replace(walls, guarded=None)  # names and copies of this try alone
    who = (FORM, _boot(), os.getuid(), os.getgid(), sorted(os.getgroups()), platform.release(), isolation.rung)
    programs = [_age(each) for each in (*walls.prefix[:1], *_OURS)]
    text = repr((who, programs, walls)).replace(str(root.parent), "")
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def recall(folder: Path, name: str) -> Proof | None:
    """What is known of one way; None where it was not tried yet, or failed long enough ago to be tried again."""
    known = _kept(folder).get(name)
    proof = _proof(known) if is_object(known) else None
    if proof is None or proof.works or not is_object(known):
        return proof
    at = known.get("at")
    return proof if isinstance(at, float) and 0 <= time.time() - at < FAILED_FOR_S else None


def remember(folder: Path, name: str, proof: Proof) -> None:
    """Write a proof down. Where that cannot be, it is tried again the next time."""
    kept = {each: value for each, value in _kept(folder).items() if each != name}
    kept = dict(list(kept.items())[1 - MOST_KEPT :])
    kept[name] = {
        "works": proof.works,
        "proved": sorted(proof.proved),
        "weaknesses": list(proof.weaknesses),
        "trouble": proof.trouble,
        "at": time.time(),
    }
    fresh = folder / f"{FILE}.{os.getpid()}"
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(fresh, folder / FILE)
    except OSError:
        fresh.unlink(missing_ok=True)


def _kept(folder: Path) -> Mapping[str, object]:
    try:
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return {}
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            return {}
        try:
            kept: object = json.loads(file.read(MOST_BYTES))
        except ValueError:
            return {}
    return kept if is_object(kept) else {}


def _proof(known: Mapping[str, object]) -> Proof | None:
    """What was written down, where it still has the form it was written in."""
    works, trouble = known.get("works"), known.get("trouble")
    proved, weaknesses = known.get("proved"), known.get("weaknesses")
    if not (isinstance(works, bool) and isinstance(trouble, str) and is_array(proved) and is_array(weaknesses)):
        return None
    return Proof(
        works=works,
        proved=frozenset(each for each in _PROPERTIES if each in proved),
        weaknesses=tuple(each for each in _WEAKNESSES if each in weaknesses),
        trouble=trouble,
    )


def _boot() -> str:
    try:
        return boot()
    except OSError:
        return ""


def _age(program: str) -> tuple[int, ...]:
    try:
        found = os.stat(program)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode)
