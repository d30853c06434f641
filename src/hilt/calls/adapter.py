"""What an adapter works with: offers out, turns in, answers out.

An adapter is two pure halves, one a provider: `tools(offers)` writes declarations in the
provider's form, `read(message)` makes a `Turn` of a model's message, `results(answers)` writes
the answers back. It imports no SDK to do so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from hilt.calls.session import Session
from hilt.declarations.declaration import Declaration


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One declaration as it goes into a request: `description` is rendered, `deferred` says it may wait.

    `server` is where the tool comes from, in one word, whether it is another's or this program's.
    """

    declaration: Declaration
    description: str
    deferred: bool = False
    server: str = ""


class Road(Protocol):
    """What adapters, servers and loops need of a runtime; `hilt.Runtime` is one."""

    def offer(self, session: Session, *, deferred: bool = False) -> Sequence[Offer]:
        """The tools of this session now, in a stable order; with `deferred`, those not loaded as well."""
        ...

    async def ready(self, session: Session) -> None:
        """Read what the session loaded before, here or in another process: for before the first offer."""
        ...

    async def answer(self, session: Session, turn: Turn) -> list[Answer]:
        """Every call of one turn, answered once each, in call order."""
        ...

    async def recover(self, session: Session, turn: Turn) -> list[Answer]:
        """Answers for calls of a broken transcript, from the ledger; nothing is run."""
        ...
