"""Hilt's child that starts commands, so that nothing process-wide ever happens in the host.

It is single-threaded and small, so that a fork costs little and is safe. It keeps one monitor
forked ahead, which waits on the host's socket itself: a request then waits for no fork and no
hop. It adopts what a killed monitor leaves behind, and ends it; it lives until the host is gone
and the last monitor has ended.
"""

import gc
import os
import select
import signal
import socket
from contextlib import suppress

from hilt.workspace.processes.messages import receive
from hilt.workspace.processes.monitor import Monitor
from hilt.workspace.processes.spawn import SUBREAPER, set_process
from hilt.workspace.processes.tree import children, kill_below, reap


def serve(descriptor: int) -> None:
    """Answer the host on the socket with this number until it is gone."""
    host = os.getppid()
    os.chdir("/")
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):  # some are the threading library's own
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    set_process(SUBREAPER, 1)
    gc.freeze()
    _Launcher(socket.socket(fileno=descriptor), host).run()


class _Launcher:
    def __init__(self, channel: socket.socket, host: int) -> None:
        self._channel = channel
        self._host = _watched(host)
        self._monitors: set[int] = set()
        self._spare: int | None = None
        self._listening = True
        self._wake, self._waker = _pipe()
        self._taken, self._takes = _pipe()

    def run(self) -> None:
        signal.signal(signal.SIGCHLD, _ignore)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        while self._listening or self._monitors:
            if self._listening and self._spare is None:
                self._fork_ahead()
            ready, _, _ = select.select([self._wake, self._taken], [], [])
            if self._taken in ready:
                os.read(self._taken, 1)
                self._note_taken()
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._bury()

    def _fork_ahead(self) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self._become_monitor()
            finally:
                os._exit(0)
        self._spare = pid

    def _become_monitor(self) -> None:
        request, descriptors = receive(self._channel)
        if request is None:
            return
        os.write(self._takes, b"1")
        for each in (self._wake, self._waker, self._taken, self._takes):
            os.close(each)
        self._channel.close()
        Monitor(request, descriptors, host=self._host).run()

    def _note_taken(self) -> None:
        if self._spare is not None:
            self._monitors.add(self._spare)
            self._spare = None

    def _bury(self) -> None:
        """Forget monitors that ended, and end what a killed one left: it has become our child.

        The one forked ahead ends by itself only when the host is gone.
        """
        for pid, status in reap()[1]:
            if pid == self._spare:
                self._spare = None
                self._listening = status != 0
            self._monitors.discard(pid)
        strays = set(children(os.getpid())) - self._monitors - {self._spare}
        for stray in strays:
            kill_below(stray)
            with suppress(OSError):
                os.kill(stray, signal.SIGKILL)


def _pipe() -> tuple[int, int]:
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    return reading, writing


def _watched(host: int) -> int | None:
    """A descriptor that is readable when the host ends, however many hold its sockets."""
    try:
        return os.pidfd_open(host)
    except (OSError, AttributeError):
        return None


def _ignore(*_: object) -> None:
    """A handler, so that the wake-up descriptor is written to."""
