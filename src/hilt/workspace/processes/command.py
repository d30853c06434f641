"""What is to be run, as a value that can be sent to the launcher."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LOG_FILE, STATUS_FILE, EXIT_FILE, INPUT_FILE = "log", "status.json", "exit.json", "input"
"""What lies in a job's folder: the output; of a kept one who runs it and how it ended; where a terminal is typed to."""
KEPT_BYTES = 1 << 30
"""The most of one command's output that is kept on disk; what comes after is counted, and its end kept."""
LAST_BYTES = 64 << 10
"""The end of the output that is kept behind a gap."""
CHILDREN_GRACE_S = 0.5
"""Seconds that children may go on after the command itself has ended before they are told of."""
STOP_GRACE_S = 1.0
"""Seconds between asking a tree to end and killing it."""
KILL_WITHIN_S = 5.0
"""Seconds after which what even a KILL did not end is given up on, and told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds the kernel holds each process of a command to; None leaves the host's own."""

    cpu_s: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program, its arguments and surroundings.

    `argv[0]` is looked for on the PATH of `environment`, which is all the environment there is
    (what commands are given of the host's when None). `tty` gives it a terminal of its own for
    input and output; else input is `stdin`, a descriptor, or nothing, and both outputs go into one
    log. `passes` are descriptors it finds as 3, 4 and so on; `writes` are paths of its own that it
    may write although it is isolated.
    """

    argv: tuple[str, ...]
    folder: str
    environment: Mapping[str, str] | None = None
    tty: bool = False
    stdin: int | None = None
    passes: tuple[int, ...] = ()
    limits: Limits = field(default_factory=Limits)
    writes: tuple[str, ...] = ()
