"""What the tools about commands say alike: the output shown, what was done to it, and what continues it."""

import os
from collections.abc import Mapping, Sequence
from typing import cast

from anyio import to_thread

from hilt.results.envelope import Artifact, Limit, OtherTool, Truncation
from hilt.workspace.capture import SHOWN_BYTES, Capture, capture
from hilt.workspace.exit_codes import SIGNALLED

QUICKLY_READ = 64 << 10
"""Bytes of output that are made readable where they are; more are handed to a thread."""


def output_text(items: Sequence[object]) -> str:
    """The output alone: the code stands in the line above it."""
    return "\n".join(str(cast("Mapping[str, object]", item)["output"]) for item in items)


def exit_code(status: int | None) -> int | None:
    """As shells count: 128 and the signal's number for what a signal ended."""
    return status if status is None or status >= 0 else SIGNALLED - status


async def output_of(log: int, start: int = 0, end: int | None = None) -> Capture:
    """What is shown of the log behind a descriptor, from `start` to `end`, or as long as it is now."""
    size = (os.fstat(log).st_size if end is None else end) - start

    def read(offset: int, count: int) -> bytes:
        return os.pread(log, min(count, max(0, size - offset)), start + offset)

    return capture(read, size) if size <= QUICKLY_READ else await to_thread.run_sync(capture, read, size)


def extent(seen: Capture) -> str:
    """How long the output is, for a summary; empty where all of it is shown."""
    lines = f"{seen.lines:,} {'line' if seen.lines == 1 else 'lines'}"
    return f"; output {lines}, {seen.bytes:,} bytes" if seen.cut else ""


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
