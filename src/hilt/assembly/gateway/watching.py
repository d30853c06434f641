"""Hot reload: the settings are looked at again every few seconds, and servers follow them."""

from collections.abc import Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from hilt.assembly import consents
from hilt.assembly.config import Config
from hilt.assembly.gateway.gateway import Gateway
from hilt.assembly.gateway.named import files_of, servers_of
from hilt.assembly.sources import user_file
from hilt.errors import HiltError
from hilt.store.home import place

EVERY_S = 2.0
"""Seconds between two looks at the files."""

Stamp = tuple[tuple[str, int, int, int], ...]


async def follow(gateway: Gateway, config: Config, *, every_s: float = EVERY_S) -> None:
    """Bring a running gateway to what the settings say, each time that one of their files is another, until cancelled.

    A yes to a server counts as such a change. Only servers follow; what else is set holds until the next start.
    Settings that cannot be read change nothing. What a person accepted of quarantined tools is offered too.
    """
    again = config.again
    if again is None:
        return
    before: Stamp | None = None  # so that a change since the settings were read is not missed
    first, agreed = await to_thread.run_sync(servers_of, config), await to_thread.run_sync(consents.all)
    while True:
        await anyio.sleep(every_s)
        for member in gateway.members():
            await member.answered()
        now = await to_thread.run_sync(_stamp, _watched(config))
        if now == before:
            continue
        begun, before = before is not None, now
        try:
            config = await to_thread.run_sync(again)
            servers = await to_thread.run_sync(servers_of, config)
        except Exception as error:  # whatever stands in them, the servers that run must not end for it
            why = error.problem if isinstance(error, HiltError) else type(error).__name__
            gateway.tell(f"the settings changed and cannot be read, so servers stay as they are: {why}")
            continue
        if servers.faults:
            gateway.tell(f"servers stay as they are: {servers.faults[0].problem}")
            continue
        if begun or servers.specs != first.specs or agreed != await to_thread.run_sync(consents.all):
            await gateway.take(servers.specs)


def _watched(config: Config) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((*files_of(config), user_file(), place() / consents.KEPT)))


def _stamp(files: Sequence[Path]) -> Stamp:
    """What tells a file from what it was; content is read again only where this differs."""
    found: list[tuple[str, int, int, int]] = []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        found.append((str(file), state.st_mtime_ns, state.st_size, state.st_ino))
    return tuple(found)
