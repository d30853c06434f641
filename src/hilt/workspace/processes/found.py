"""A job that another process started, known by its folder: who runs it, how it ended, and how to end it."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import cast

from hilt.workspace.processes.command import EXIT_FILE, STATUS_FILE
from hilt.workspace.processes.identity import Identity
from hilt.workspace.processes.messages import Message


def is_running(place: Path) -> bool:
    """Whether the monitor of the job in this folder still runs: the same process, not only the same number."""
    monitor = monitor_of(place)
    return monitor is not None and monitor.alive


def monitor_of(place: Path) -> Identity | None:
    """The monitor that a kept job's folder names."""
    known = read_json(place / STATUS_FILE)
    if known is None:
        return None
    return Identity(pid=cast("int", known["pid"]), start=cast("int", known["start"]), boot=cast("str", known["boot"]))


def exit_of(place: Path) -> Message | None:
    """What the monitor wrote at the end; None while it runs, or where it could not."""
    return read_json(place / EXIT_FILE)


def ask_to_stop(place: Path) -> bool:
    """Have the job's monitor end it; False where it does not run any more."""
    monitor = monitor_of(place)
    if monitor is None:
        return False
    try:
        watched = os.pidfd_open(monitor.pid)
    except OSError:
        return False
    try:
        # The descriptor holds on to one process, so what is alive now cannot be another one at the signal.
        if not monitor.alive:
            return False
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(watched, signal.SIGTERM)
        return True
    finally:
        os.close(watched)


def read_json(path: Path) -> Message | None:
    try:
        return cast("Message", json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
