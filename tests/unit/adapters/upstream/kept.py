"""One `Upstream` for a test: of a server that misbehaves in a named way, run beside the test and closed after it."""

import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from hilt.adapters.upstream import Limits, Place, StdioPlace, Upstream

ROOT = Path(__file__).parents[4]
SERVER = ROOT / "tests" / "servers" / "stdio.py"
WITHIN_S = 30.0
QUICK = Limits(start_s=15, list_s=15, first_delay_s=0.1, longest_delay_s=0.4, frame_bytes=1 << 20)


def place(way: str, folder: Path, *words: str, **options: object) -> StdioPlace:
    """The command of a server that goes wrong in that way."""
    return StdioPlace((sys.executable, str(SERVER), way, str(folder), *words), **options)  # type: ignore[arg-type]


@asynccontextmanager
async def kept(where: Place, limits: Limits = QUICK, *, within_s: float = WITHIN_S) -> AsyncGenerator[Upstream]:
    """An Upstream whose `run` goes on beside the test."""
    upstream = Upstream("files", where, limits)
    with anyio.fail_after(within_s):
        async with anyio.create_task_group() as group:
            group.start_soon(upstream.run)
            yield upstream
            await upstream.close()


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something to become true; the test's own bound ends it."""
    while not happened():  # noqa: ASYNC110  # what is waited for happens in another process
        await anyio.sleep(0.01)


def texts(result: object) -> Sequence[str]:
    return [block["text"] for block in result["content"]]  # type: ignore[index]


def notes(folder: Path) -> list[str]:
    file = folder / "notes"
    return file.read_text().splitlines() if file.is_file() else []
