"""The process's standard streams, taken for the protocol before anything else can write there.

Imports nothing of weight: a server claims its streams first, and loads the rest afterwards.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

STDIN, STDOUT, STDERR = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """Two descriptors that only the transport knows. `shared`: standard error ends where one of them does."""

    read: int
    write: int
    shared: bool = False


def claim_streams() -> Wire:
    """Move the client's pipes to descriptors of their own.

    From now on whoever reads standard input finds its end, and whatever is printed goes to
    standard error. Programs started later do not inherit the pipes, and a forked child loses them.
    """
    sys.stdout.flush()
    shared = any(_same(each, STDERR) for each in (STDIN, STDOUT))
    wire = Wire(read=os.dup(STDIN), write=os.dup(STDOUT), shared=shared)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, STDIN)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:  # started without a standard error
        os.dup2(nowhere, STDOUT)
    os.close(nowhere)
    os.register_at_fork(after_in_child=partial(_let_go, wire))
    return wire


def _same(one: int, other: int) -> bool:
    try:
        return os.path.samestat(os.fstat(one), os.fstat(other))
    except OSError:
        return False


def _let_go(wire: Wire) -> None:
    for descriptor in (wire.read, wire.write):
        with suppress(OSError):
            os.close(descriptor)
