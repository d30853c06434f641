"""`Processes`: the part that starts commands and finds again those that go on."""

import json
import logging
import os
import secrets
import shutil
import socket
import tempfile
import time
import weakref
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from anyio import to_thread

from hilt.results.failures import EnvironmentFailure, Retryable
from hilt.workspace.processes.client import Launcher
from hilt.workspace.processes.command import LOG_FILE, Command
from hilt.workspace.processes.found import FoundJob, is_running
from hilt.workspace.processes.guarding import mend
from hilt.workspace.processes.job import Job
from hilt.workspace.processes.walls import Confining, Walls

PLACE_BYTES = 8
_log = logging.getLogger(__name__)
MOST_RUNNING = 64
"""Commands of one `Processes` that may run at once."""
MOST_SPARE = 8
"""Emptied folders that are kept for the next commands."""
OLD_AFTER_S = 7 * 24 * 3_600
"""Seconds after which the folder of a job that ended, or was lost in a crash, is removed."""


class Processes:
    """Starts commands in a child of ours, each in a session of its own below a monitor of its own.

        job = await processes.start(Command(argv=("make", "all"), folder="/repo"))
        if (number := await job.started()) is not None:
            ...  # could not be run: an errno
        if not await job.wait(120):
            ...  # runs on; job.stop() ends the whole tree, job.close() too
        job.ended.status, os.pread(job.log, 1000, 0)
        await job.remove()

    Nothing process-wide is done in the host: no signal handler, umask, limit, folder, environment
    or `prctl` of it changes. A cancelled caller closes its job, which ends the tree. What is still
    running when the host ends, however that happens, is ended too, but for jobs of the background that are to be kept.
    `folder` gives where jobs keep their logs; None is a private folder that is removed at `close`. With
    `outlive`, jobs that went to the background are kept beyond this process. `isolation` confines
    every command that is started here; None starts them bare. `told` are the principals and sessions
    that know of it.
    """

    def __init__(
        self,
        folder: Callable[[], Path] | None = None,
        *,
        outlive: bool = False,
        isolation: Confining | None = None,
    ) -> None:
        self.isolation = isolation
        self.told: set[tuple[str, str]] = set()
        self._folder = folder
        self._outlive = outlive and folder is not None
        self._root: Path | None = None
        self._launcher = Launcher()
        self._jobs: set[Job] = set()
        self._spare: list[tuple[int, Path]] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of a command that is given no other."""
        return given_environment(self.isolation)

    async def start(self, command: Command, *, place: Path | None = None) -> Job:
        """Start a command; see `Job.started` for whether it runs. Its folder is `place`, else a new one.

        Raises Retryable where `MOST_RUNNING` run already, EnvironmentFailure where this machine has
        no room for another process or file.
        """
        self._jobs = {each for each in self._jobs if each.is_open}
        if sum(each.ended is None for each in self._jobs) >= MOST_RUNNING:
            raise Retryable(f"{MOST_RUNNING} commands run already", "wait for one to end, or stop one")
        try:
            return self._start(command, place or self.new_place())
        except OSError as fault:
            raise EnvironmentFailure(
                f"no process can be started: {fault.strerror or fault}",
                "wait for other commands to end, or stop one",
                "report it to the person",
            ) from fault

    def new_place(self) -> Path:
        """A new, private folder for one job, to which the caller may add files before `start`."""
        root = self._jobs_root()
        while self._spare:
            owner, place = self._spare.pop()
            if owner == os.getpid() and place.is_dir():  # a fork of this process must leave them to it
                return place
        place = root / secrets.token_hex(PLACE_BYTES)
        place.mkdir(mode=0o700)
        return place

    def _take_back(self, place: Path) -> None:
        """Keep an emptied folder for another job: to remove and make one takes longer than many a command."""
        if len(self._spare) < MOST_SPARE and place.parent == self._root:
            self._spare.append((os.getpid(), place))
        else:
            _remove([place])

    def _jobs_root(self) -> Path:
        """The folder of all jobs; made anew should a command have removed it."""
        if self._root is None or not self._root.is_dir():
            if self._folder is None:
                self._root = Path(tempfile.mkdtemp(prefix="hilt-jobs-"))
                weakref.finalize(self, _remove_own, self._root, os.getpid())  # for hosts that never close
            else:
                self._root = self._folder()
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            _mend_all(self._root)
            for each in (self._root, aside_of(self._root)):
                remove_old(each)
        return self._root

    def _start(self, command: Command, place: Path) -> Job:
        log = os.open(place / LOG_FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(0)
        stdin = () if command.stdin is None else (command.stdin,)
        try:
            with theirs:
                request = _request(command, place, self.isolation)
                self._launcher.request(request, [theirs.fileno(), log, *stdin, *command.passes])
        except OSError:
            ours.close()
            os.close(log)
            raise
        job = Job(place, ours, log, self._take_back)
        self._jobs.add(job)
        return job

    async def background(self, job: Job) -> None:
        """Let a job run on behind its call; where jobs outlive this process, this one does."""
        await job.background(keep=self._outlive)

    def job_at(self, place: Path) -> Job | FoundJob | None:
        """The job with this folder: of this process, or as its folder tells; None where nothing is left of it."""
        own = next((each for each in self._jobs if each.place == place and each.is_open), None)
        return own or (FoundJob(place) if place.is_dir() else None)

    async def remove(self, place: Path) -> None:
        """Remove what is left of a job, its output too; end it, should it run."""
        job = self.job_at(place)
        if isinstance(job, Job):
            job.close()
        await to_thread.run_sync(_remove, [place])

    async def close(self) -> None:
        """End every job that is not kept, and remove what was only for this process."""
        open_jobs = [job for job in self._jobs if job.is_open]
        self._jobs = set()
        for job in open_jobs:
            job.close()
        kept = any(job.kept for job in open_jobs)
        await to_thread.run_sync(lambda: self._launcher.close(wait=not kept))
        if self.isolation is not None:
            await to_thread.run_sync(self.isolation.close)
        gone = [job.place for job in open_jobs if not job.kept]
        if self._folder is None and self._root is not None:
            gone.append(self._root)
        gone += [place for owner, place in self._spare if owner == os.getpid()]
        self._spare, self._root = [], None
        await to_thread.run_sync(_remove, gone)


def _mend_all(root: Path) -> None:
    """Put right what commands changed of protected names whose monitors were killed."""
    for place in root.iterdir():
        for each in mend(str(place)):
            _log.warning("after a crash: %s", each)


def aside_of(root: Path) -> Path:
    """Where lies what jobs changed of protected names: beside their folder, for it outlives them."""
    return root.with_name(f"{root.name}-aside")


def remove_old(root: Path) -> None:
    """Remove the folders of jobs that nobody has written to for long and whose monitor is gone."""
    old = time.time() - OLD_AFTER_S
    for place in root.iterdir() if root.is_dir() else ():
        with suppress(OSError):
            if place.stat().st_mtime < old and not is_running(place):
                shutil.rmtree(place, ignore_errors=True)


def _remove_own(root: Path, owner: int) -> None:
    """Not in a fork of the owner, which may end before it."""
    if os.getpid() == owner:
        _remove([root])


def _remove(places: Sequence[Path]) -> None:
    for place in places:
        shutil.rmtree(place, ignore_errors=True)


def host_environment() -> Mapping[str, str]:
    """This process's environment, byte for byte: what is no UTF-8 travels as lone surrogates."""
    return {_text(name): _text(value) for name, value in os.environb.items()}


def given_environment(isolation: Confining | None) -> Mapping[str, str]:
    """What of it commands are given: all where nothing isolates them."""
    return host_environment() if isolation is None else isolation.environment(host_environment())


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _request(command: Command, place: Path, isolation: Confining | None) -> Mapping[str, object]:
    environment = dict(given_environment(isolation) if command.environment is None else command.environment)
    walls = Walls()
    if isolation is not None:
        walls = isolation.walls(command, place, environment)
        environment |= walls.environment
    return {
        "argv": [*walls.prefix, *command.argv],
        "program": command.argv[0],
        "prefix": len(walls.prefix),
        "grants": walls.grants,
        "filter": b64encode(walls.filter).decode(),
        "guarded": json.dumps(asdict(walls.guarded)) if walls.guarded else None,
        "folder": command.folder,
        "environment": environment,
        "tty": command.tty,
        "stdin": command.stdin is not None,
        "limits": {name: bound for name, bound in asdict(command.limits).items() if bound is not None},
        "place": str(place),
    }
