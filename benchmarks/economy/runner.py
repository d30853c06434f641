"""Every job with every system, each on the same workspace, put back as it was after every job."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random

from economy.job import Job, missing
from economy.jobs import plan
from economy.peers import NotAvailable
from economy.planting import World, copied, plant
from economy.site import Site, served
from economy.systems import OPENERS, Opened
from economy.talk import Call, Cannot, Talk

UNSEEN = (".git", "__pycache__")
GRACE_S = 3.0
"""So long what a system ended may take to be gone."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one system did one job: the faults are what is wrong, none when it is right."""

    job: str
    faults: tuple[str, ...]
    calls: tuple[Call, ...] = ()

    @property
    def right(self) -> bool:
        return not self.faults

    @property
    def tokens(self) -> int:
        return sum(call.sent + call.returned for call in self.calls)


@dataclass(kw_only=True)
class Day:
    """One system's day."""

    system: str
    unavailable: str = ""
    declared: dict[str, int] = field(default_factory=dict)
    resident: tuple[str, ...] = ()
    outcomes: dict[str, Outcome] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The world as planted, where systems see it, and the jobs in it."""

    world: World
    at: Path
    jobs: list[Job]
    home: Path


@contextmanager
def staged(seed: int) -> Iterator[Stage]:
    """Plant a world for a seed, and serve its site."""
    with tempfile.TemporaryDirectory(prefix="economy-") as folder:
        base = Path(folder).resolve()
        world = plant(base / "planted", seed)
        site = Site(Random(seed), world.token())
        with served(site):
            at = base / "work"
            yield Stage(world=world, at=at, jobs=plan(world, at, site), home=base / "homes")


async def day(stage: Stage, system: str, only: Iterable[str] = ()) -> Day:
    """All jobs, or those named, by one system."""
    done = Day(system=system)
    home = stage.home / system
    home.mkdir(parents=True)
    copied(stage.world.root, stage.at)
    try:
        async with OPENERS[system](stage.at, home) as opened:
            done.declared, done.resident = opened.declared, opened.resident
            scripts = import_module(f"economy.scripts.{system}")
            for job in stage.jobs:
                if not only or job.name in only:
                    done.outcomes[job.name] = await outcome(stage, opened, scripts, job)
    except (NotAvailable, BaseExceptionGroup) as error:
        if not isinstance(error, NotAvailable) and error.subgroup(NotAvailable) is None:
            raise
        done.unavailable = str(error)
    return done


async def outcome(stage: Stage, opened: Opened, scripts: object, job: Job) -> Outcome:
    """One job by one system, and what of it is wrong."""
    script = getattr(scripts, job.name, None)
    if script is None:
        return Outcome(job=job.name, faults=("no tool for it",))
    if job.before:
        job.before(stage.at)
    listing = Listing(stage.at)
    faults: list[str] = []
    async with opened.talking() as answering:
        talk = Talk(answering=answering, elsewhere=lambda: job.meanwhile and job.meanwhile(stage.at))
        try:
            await script(talk, job.inputs)
        except Cannot as error:
            faults.append(str(error))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            faults.append(f"the script could not read an answer: {type(error).__name__}: {error}")
        calls, text = tuple(talk.calls), talk.text
        if opened.listing and job.name == "tasks":
            text += "\n" + await answering(opened.listing, {})
    faults += [f"did not learn: {name}" for name in missing(job, text)]
    faults += damage(job, stage.at, listing)
    faults += complaint(job, stage.at, text)
    listing.put_back(stage.world.root, history=not job.keeps_history)
    return Outcome(job=job.name, faults=tuple(faults), calls=calls)


def damage(job: Job, at: Path, listing: "Listing") -> list[str]:
    """Files that do not hold what they must, and changed ones that had to stay."""
    faults = []
    for path, content in job.writes.items():
        found = (at / path).read_bytes() if (at / path).is_file() else None
        if found != content:
            faults.append(f"{path} does not hold what it must")
    touched = [path for path in listing.changed() if path not in job.writes and path not in job.may_write]
    return faults + [f"damage: {path}" for path in touched]


def complaint(job: Job, at: Path, text: str) -> list[str]:
    """What the job's state lacks, looked at until it is well or the grace is over."""
    if job.state is None:
        return []
    deadline = time.monotonic() + GRACE_S
    while (said := job.state(at, text)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [said] if said else []


class Listing:
    """The files of a workspace at one moment, but for git's own and what Python compiles."""

    def __init__(self, at: Path) -> None:
        self._at = at
        self.files = files(at)

    def changed(self) -> list[str]:
        now = files(self._at)
        return sorted(path for path in self.files.keys() | now.keys() if self.files.get(path) != now.get(path))

    def put_back(self, planted: Path, *, history: bool) -> None:
        """Make all as planted: what the system changed and what the job had prepared."""
        wanted, now = files(planted), files(self._at)
        for path in now.keys() - wanted.keys():
            (self._at / path).unlink()
        for path, was in wanted.items():
            if now.get(path) != was:
                (self._at / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(planted / path, self._at / path)
        for path in sorted(now.keys() - wanted.keys(), reverse=True):
            self._without_empty((self._at / path).parent)
        if history:
            copied(planted / ".git", self._at / ".git")

    def _without_empty(self, folder: Path) -> None:
        while folder != self._at and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def files(at: Path) -> dict[str, tuple[int, int, int]]:
    """Size, time and mode of every file, by path."""
    found = {}
    for folder, folders, names in os.walk(at):
        folders[:] = [name for name in folders if name not in UNSEEN]
        for name in names:
            path = f"{folder}/{name}"
            stat = os.lstat(path)
            found[os.path.relpath(path, at)] = (stat.st_size, stat.st_mtime_ns, stat.st_mode)
    return found
