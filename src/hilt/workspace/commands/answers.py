"""What the tools about commands say alike: the output shown, what was done to it, and what continues it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from anyio import to_thread

from hilt.results.envelope import Artifact, Limit, OtherTool, Truncation
from hilt.workspace.commands.capture import LAST_LINES, SHOWN_BYTES, Capture, capture
from hilt.workspace.commands.capture_choice import shortened
from hilt.workspace.commands.capture_text import Changes, readable_lines
from hilt.workspace.commands.exit_codes import SIGNALLED
from hilt.workspace.commands.exit_explained import explained
from hilt.workspace.commands.last_command import LastCommand, invoked_by, read_last
from hilt.workspace.commands.shell import read_report
from hilt.workspace.text import boundary

LONGEST_CHARACTER = 4
QUICKLY_READ = 64 << 10
"""Bytes of output that are made readable where they are; more are handed to a thread."""


def output_text(items: Sequence[object]) -> str:
    """The output alone: the code stands in the line above it."""
    return "\n".join(str(cast("Mapping[str, object]", item)["output"]) for item in items)


def exit_code(status: int | None) -> int | None:
    """As shells count: 128 and the signal's number for what a signal ended."""
    return status if status is None or status >= 0 else SIGNALLED - status


async def output_of(log: int, start: int = 0) -> Capture:
    """What is shown of the log behind a descriptor, from `start` to where it ends now."""
    size = max(0, os.fstat(log).st_size - start)

    def read(offset: int, count: int) -> bytes:
        return os.pread(log, min(count, max(0, size - offset)), start + offset)

    return capture(read, size) if size <= QUICKLY_READ else await to_thread.run_sync(capture, read, size)


async def summary_of(code: int, command: str, argv: Sequence[str], place: Path, environment: Mapping[str, str]) -> str:
    """The exit code in words, of a shell's `command` or a program's `argv`; `place` is the job's folder."""
    report = read_report(place)
    pipeline = report.pipeline if report else ()
    if not code and not any(pipeline):
        return f"exit code {code}"
    if argv:
        invoked = invoked_by(argv)
        last = LastCommand(candidates=(invoked,) if invoked else (), pipeline=(), programs=frozenset())
    else:
        last = read_last(command)
    return await to_thread.run_sync(explained, code, last, pipeline, environment)


def extent(seen: Capture) -> str:
    """How long the output is, for a summary; empty where all of it is shown."""
    return f"; output {seen.bytes:,} bytes" if seen.cut else ""


def cut_of(seen: Capture, otherwise: OtherTool | None) -> Truncation | None:
    """The cut, and the call of another tool that reads the whole."""
    if not seen.cut:
        return None
    return Truncation(
        shown=seen.shown,
        total=seen.lines,
        unit="lines",
        limit=Limit(name="bytes", value=SHOWN_BYTES),
        next={},
        otherwise=otherwise,
    )


def told(seen: Capture, artifact: Artifact | None = None) -> list[str]:
    """Notes on what was done to the output before it was shown."""
    notes = list(seen.changes.told())
    if notes and artifact is not None:
        notes[-1] += f"; the raw bytes are in {artifact.id}"
    if seen.unsearched:
        notes.append(f"{seen.unsearched:,} bytes in the middle were not searched for errors")
    return notes


def page_of(log: int, offset: int) -> tuple[str, int, list[str]]:
    """A page of the log from `offset`, the offset behind it, and notes. It ends with a line where one does."""
    raw = os.pread(log, SHOWN_BYTES + LONGEST_CHARACTER, offset)
    if len(raw) > SHOWN_BYTES:
        border = raw.rfind(b"\n", 0, SHOWN_BYTES)
        raw = raw[: border + 1 if border >= 0 else boundary(raw, SHOWN_BYTES)]
    changes = Changes()
    lines = readable_lines(raw, 1, changes)
    return "\n".join(line.text for line in lines), offset + len(raw), list(changes.told())


def last_lines(log: int) -> str:
    """The end of the log, as it is shown when something was stopped."""
    size = os.fstat(log).st_size
    raw = os.pread(log, SHOWN_BYTES, max(0, size - SHOWN_BYTES))
    lines = readable_lines(raw, 1, Changes())[-LAST_LINES:]
    return "\n".join(map(shortened, (line.text for line in lines)))
