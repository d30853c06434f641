"""Faults of the host's own tools: the model hears that a tool is faulty, the host hears all."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from hilt.errors import HiltError

_log = logging.getLogger("hilt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One fault: the tool, what it did, and the exception where there is one."""

    tool: str
    problem: str
    error: BaseException | None = None


Report = Callable[[Defect], None]


@contextmanager
def logged(who: str) -> Generator[None, None, None]:
    """What the host's own callback raises goes to the log: the call it hears of must still be answered."""
    try:
        yield
    except Exception:
        _log.exception("%s raised", who)


def log_defect(defect: Defect) -> None:
    """The report of a host that asked for no other: one error in the log, with the traceback of a fault in code."""
    code = None if isinstance(defect.error, HiltError) else defect.error
    _log.error("%s %s", f"tool {defect.tool}" if defect.tool else "a tool", defect.problem, exc_info=code)
