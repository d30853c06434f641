"""People who can be asked: how a question reaches one, and what may come back."""

from dataclasses import dataclass
from typing import Literal, Protocol

from hilt.policy.claims import Scope

DEFAULT_WAIT_S = 120.0
"""Seconds a call waits for a person who is reachable now (`review.wait`)."""
PENDING_HOURS = 24
"""Hours a question to a person who is reachable later stays open, and a yes to it may be used."""

Reachable = Literal["now", "later", "inbox"]
"""`now`: `ask` is awaited. `later`: the question is kept, and answered through the runtime. `inbox`: it is
kept, and the call waits a while for a word that comes through the store (`hilt approvals`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: one call, whole, and why it is not simply allowed.

    `preview` is what the call would do, as its tool shows it. `scopes` are the answers that can be
    given, `usual` the one that a plain yes stands for, and `shape` the calls that count as like this one.
    """

    handle: str
    session: str
    tool: str
    arguments: str
    activity: str
    reasons: tuple[str, ...]
    preview: str = ""
    shape: str = ""
    scopes: tuple[Scope, ...] = ("once",)
    usual: Scope = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A person's word, and how far a yes reaches: as is usual for the question, unless a scope is named.

    `absent` means that nobody answered in time.
    """

    word: Literal["approve", "reject", "absent"]
    reason: str = ""
    scope: Scope | None = None


class Person(Protocol):
    """Somebody who can be asked. `reachable` says whether a call may wait for the answer."""

    @property
    def reachable(self) -> Reachable:
        """Whether a call may wait for this person; see `Reachable`."""
        ...

    async def ask(self, question: Question) -> Reply:
        """Show the question and wait for a word; cancelled when the wait is over. Only those reachable `now`."""
        ...
