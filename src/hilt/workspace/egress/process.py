"""The process of the proxy: it takes open ports from sandboxes and serves each while its command lives.

It lives until whoever started it is gone and the last sandbox has ended: a command in the
background keeps its way out.
"""

import os
import socket
from contextlib import suppress

import anyio
from anyio.abc import SocketListener, SocketStream, TaskGroup, UNIXSocketStream

from hilt.workspace.egress.events import Event, written
from hilt.workspace.egress.hosts import Hosts
from hilt.workspace.egress.proxy import Proxy

MOST_SANDBOXES = 256
"""Sandboxes that are served at once."""
HANDED_WITHIN_S = 10.0
TAKEN = b"+"


class Desk:
    """Where sandboxes hand out their ports. `serve` ends when it is to: see `leave_when_idle`."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._served = 0
        self._leaving = False
        self._group: TaskGroup | None = None

    async def serve(self, listener: SocketListener) -> None:
        """Take ports from whoever connects."""
        async with anyio.create_task_group() as group:
            self._group = group
            await listener.serve(self._take)

    def leave_when_idle(self) -> None:
        """End with the last command that is served."""
        self._leaving = True
        self._maybe_leave()

    async def _take(self, stream: SocketStream) -> None:
        async with stream:
            if not isinstance(stream, UNIXSocketStream):
                return
            with anyio.move_on_after(HANDED_WITHIN_S), suppress(OSError, anyio.EndOfStream, anyio.BrokenResourceError):
                _, handed = await stream.receive_fds(16, 2)
                if self._group is not None and len(handed) == 2 and self._served < MOST_SANDBOXES:
                    port, process = handed
                    self._served += 1
                    self._group.start_soon(self._serve_one, port, process)
                    await stream.send(TAKEN)
                    return
                for each in handed:
                    os.close(each)

    async def _serve_one(self, port: int, process: int) -> None:
        """Serve one port until the process that handed it out has ended."""
        try:
            listener = await SocketListener.from_socket(port)
            async with listener, anyio.create_task_group() as group:
                group.start_soon(self._proxy.serve, listener)
                await anyio.wait_readable(process)
                group.cancel_scope.cancel()
        except (OSError, ValueError):  # what was handed is no port, or no process
            return
        finally:
            os.close(process)
            self._served -= 1
            self._maybe_leave()

    def _maybe_leave(self) -> None:
        if self._leaving and not self._served and self._group is not None:
            self._group.cancel_scope.cancel()


async def _run(listening: int, hosts: list[str]) -> None:
    desk = Desk(Proxy(Hosts(hosts), _tell))
    listener = await SocketListener.from_socket(socket.socket(fileno=listening))
    async with listener, anyio.create_task_group() as group:
        group.start_soon(_watch, desk)
        await desk.serve(listener)
        group.cancel_scope.cancel()


async def _watch(desk: Desk) -> None:
    """Wait until whoever started this is gone: the other end of standard input is closed then."""
    await anyio.wait_readable(0)
    desk.leave_when_idle()


def _tell(event: Event) -> None:
    try:
        os.write(1, written(event).encode())
    except OSError:  # nobody listens any more
        return


def main(listening: int, hosts: list[str]) -> None:
    """Serve the listening socket with this number, for these hosts."""
    anyio.run(_run, listening, hosts)
