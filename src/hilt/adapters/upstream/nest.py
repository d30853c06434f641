"""Where the processes of servers live: one small parent for many, that ends each whole, and all when the host dies."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from anyio import CancelScope

from hilt.workspace.processes import Processes
from hilt.workspace.processes.supervisor import MOST_RUNNING

MOST_SERVERS = MOST_RUNNING // 2
"""Servers below one parent: one that is ending and its successor may run side by side."""


@dataclass(slots=True)
class _Nest:
    owner: int = field(default_factory=os.getpid)
    processes: Processes = field(default_factory=Processes)
    servers: int = 0


_nests: list[_Nest] = []


@asynccontextmanager
async def nest() -> AsyncGenerator[Processes]:
    """A place for one server to run in, as long as the context lasts."""
    mine = next((each for each in _nests if each.owner == os.getpid() and each.servers < MOST_SERVERS), None)
    if mine is None:
        mine = _Nest()
        _nests.append(mine)
    mine.servers += 1
    try:
        yield mine.processes
    finally:
        mine.servers -= 1
        if not mine.servers:
            _nests.remove(mine)
            with CancelScope(shield=True):
                await mine.processes.close()
