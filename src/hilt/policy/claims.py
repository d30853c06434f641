"""What a decision needs to hold before a call may run: nouns only, taken by `store.claim` and `store.admit`."""

from dataclasses import dataclass
from typing import Literal

from hilt.errors import HiltError

Scope = Literal["once", "session", "shape", "always"]
"""How far a person's leave reaches."""


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

    `key` names what is counted, such as `host:example.org` or `tool:mail_send/session_x`; uses under
    one key are counted for each window apart. `rule` is the rule that sets the bound, for messages.
    Raises `HiltError` for a bound that nothing fits.
    """

    key: str
    most: int
    window_s: float
    rule: str = ""

    def __post_init__(self) -> None:
        if self.most < 1 or not 0 < self.window_s < float("inf"):
            raise HiltError(
                f"a quota of {self.most} within {self.window_s:g} s for {self.key!r} lets nothing pass",
                "give at least 1 and a window above 0 s; what must never happen is a rule that denies",
            )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A person's leave, kept until it expires, is used up or is revoked.

    `once` is for the arguments with `digest`, and used up by one call; `session` for this `session`,
    and there for the `shape` if one is named, else the tool; `shape` for every call of that shape;
    `always` for the tool. Where a `session` is named it holds nowhere else. `by` is who gave it,
    `says` what it is for, in a person's words; times are seconds since the epoch. Raises `HiltError`
    where the scope lacks what binds it.
    """

    id: str
    principal: str
    tool: str
    scope: Scope
    policy: str
    given: float
    expires: float
    session: str = ""
    digest: str = ""
    shape: str = ""
    by: str = ""
    says: str = ""
    used: float | None = None
    revoked: float | None = None

    def __post_init__(self) -> None:
        needs = {"once": self.digest, "session": self.session, "shape": self.shape, "always": self.tool}
        if not needs[self.scope]:
            raise HiltError(
                f"a leave of the scope {self.scope!r} for {self.tool} names nothing that bounds it",
                "once needs a digest, session a session, shape a shape",
            )

    def holds(self, now: float) -> bool:
        """Whether it can still be taken at all."""
        return self.used is None and self.revoked is None and now < self.expires

    def covers(self, claim: ApprovalClaim) -> bool:
        """Whether it is leave for this call, as long as it holds."""
        bound = (self.principal, self.tool, self.policy) == (claim.principal, claim.tool, claim.policy)
        here = self.session in ("", claim.session)
        exact = self.scope != "once" or self.digest == claim.digest
        alike = self.scope not in ("session", "shape") or self.shape in ("", claim.shape)
        return bound and here and exact and alike


Claim = LedgerClaim | QuotaClaim | ApprovalClaim
