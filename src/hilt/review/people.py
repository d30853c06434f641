"""People who can be asked: how a question reaches one, and what may come back."""

from dataclasses import dataclass
from typing import Literal, Protocol

DEFAULT_WAIT_S = 120.0
"""Seconds a call waits for a person who is reachable now (`review.wait`)."""
PENDING_HOURS = 24
"""Hours a question to a person who is reachable later stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: one call, whole, and why it is not simply allowed."""

    handle: str
    session: str
    tool: str
    arguments: str
    activity: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A person's word. `absent` means that nobody answered in time."""

    word: Literal["approve", "reject", "absent"]
    reason: str = ""


class Person(Protocol):
    """Somebody who can be asked. `reachable` says whether a call may wait for the answer."""

    @property
    def reachable(self) -> Literal["now", "later"]:
        """`now`: `ask` is awaited; `later`: the question is kept and answered through the runtime."""
        ...

    async def ask(self, question: Question) -> Reply:
        """Show the question and wait for a word; cancelled when the wait is over."""
        ...
