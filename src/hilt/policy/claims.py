"""What a decision needs to hold before a call may run: nouns only, taken by `store.claim`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerClaim:
    """The right to run one call once.

    The key is (`session`, `turn`, `position`, `digest`): `turn` names the assistant message,
    `position` is the call's place in it from 0, `digest` is the hash of its arguments. `call_id`
    is the provider's id, which only correlates. An `irreversible` act is refused in a later turn
    of the session; an `idempotency_key` names one act of one principal across its sessions.
    """

    session: str
    turn: str
    position: int
    digest: str
    tool: str
    call_id: str
    irreversible: bool = False
    idempotency_key: str | None = None
