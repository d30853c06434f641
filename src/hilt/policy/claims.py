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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaClaim:
    """One use of what may be used only so often: `most` times within any `window_s` seconds under `key`.

    `key` names what is counted, such as `host:example.org` or `tool:mail_send/session_x`.
    """

    key: str
    most: int
    window_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalClaim:
    """A person's leave, if there is one that covers this call: for this very call, its shape, or its tool.

    It is bound to `principal`, `tool`, the `digest` of the arguments or the `shape`, and the
    `policy` it was given under; one for a single use is used up by taking it.
    """

    principal: str
    session: str
    tool: str
    digest: str
    shape: str
    policy: str


Claim = LedgerClaim | QuotaClaim | ApprovalClaim
