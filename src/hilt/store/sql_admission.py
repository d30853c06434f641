"""Admission in SQL: the ledger, quotas and leaves of one call, taken together or not at all."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import Connection, RowMapping, bindparam, delete, insert, or_, select, update

from hilt.policy.claims import Approval, ApprovalClaim, Claim, LedgerClaim, QuotaClaim
from hilt.store import sql_ledger
from hilt.store.locks import hold, now
from hilt.store.outcomes import given, id_taken, preferred, revoked, stand
from hilt.store.records import AdmitOutcome, Claimed, Exhausted, Granted, Ungranted, admitted
from hilt.store.schema import APPROVALS, QUOTA_USES
from hilt.store.sql_kept import require_session
from hilt.store.sql_trail import append_trail

FORGET_EVERY = 64
"""Uses after which those of a counter that its window counts no more are removed; a purge removes the rest."""

_A, _Q = APPROVALS.c, QUOTA_USES.c
_COUNTER = (_Q.key == bindparam("of_key"), _Q.window_s == bindparam("of_window"))
_USES = select(_Q.at).where(*_COUNTER, _Q.at > bindparam("since")).order_by(_Q.at.desc()).limit(bindparam("most"))
_FORGET = delete(QUOTA_USES).where(*_COUNTER, _Q.at <= bindparam("since"))
_USE = insert(QUOTA_USES)
_HOLDS = (_A.used.is_(None), _A.revoked.is_(None), _A.expires > bindparam("now"))
_CANDIDATES = select(APPROVALS).where(
    _A.principal == bindparam("of_principal"), _A.tool == bindparam("of_tool"), *_HOLDS
)
_USE_UP = update(APPROVALS).where(_A.id == bindparam("of_id"))
_LIVE = select(APPROVALS).where(*_HOLDS).order_by(_A.given.desc(), _A.id)


class NotAdmitted(Exception):
    """Undoes the transaction: something asked for could not be taken."""

    def __init__(self, outcomes: tuple[AdmitOutcome, ...]) -> None:
        super().__init__("not admitted")
        self.outcomes = outcomes


@dataclass(slots=True, kw_only=True)
class Admission:
    """What was taken, so that it can be given back to a caller that is gone."""

    outcomes: tuple[AdmitOutcome, ...] = ()
    ledger: list[LedgerClaim] = field(default_factory=list[LedgerClaim])
    uses: list[int] = field(default_factory=list[int])
    used_up: list[str] = field(default_factory=list[str])


def admit(
    connection: Connection, session_id: str, claims: Sequence[Claim], trail: Sequence[str], owner: str
) -> Admission:
    """Take all. Raises `NotAdmitted` when one cannot be taken, so that the transaction is undone."""
    require_session(connection, session_id)
    taken = Admission()
    acts = [claim for claim in claims if isinstance(claim, LedgerClaim)]
    quotas = [claim for claim in claims if isinstance(claim, QuotaClaim)]
    ledger = iter(sql_ledger.take(connection, acts, owner) if acts else ())
    counted = _count(connection, quotas, taken) if quotas else {}
    outcomes: list[AdmitOutcome] = []
    for claim in claims:
        match claim:
            case LedgerClaim():
                outcomes.append(next(ledger))
            case QuotaClaim():
                outcomes.append(counted[claim])
            case ApprovalClaim():
                outcomes.append(_leave(connection, claim, taken))
    if not admitted(outcomes):
        raise NotAdmitted(stand(outcomes))
    taken.ledger, taken.outcomes = acts, tuple(outcomes)
    if trail:
        append_trail(connection, session_id, trail)
    return taken


def give_back(connection: Connection, taken: Admission) -> None:
    """As if the admission had not been, but for what the trail says of it."""
    sql_ledger.release(connection, taken.ledger)
    if taken.uses:
        connection.execute(delete(QUOTA_USES).where(_Q.id.in_(taken.uses)))
    for each in taken.used_up:
        connection.execute(_USE_UP, {"of_id": each, "used": None})


def save_approval(connection: Connection, approval: Approval) -> None:
    """Keep a leave; `StoreError` when its id is taken."""
    if connection.execute(select(_A.id).where(_A.id == approval.id)).first() is not None:
        raise id_taken(approval.id)
    connection.execute(insert(APPROVALS), asdict(approval))
    append_trail(connection, approval.session, [given(approval)])


def approvals(connection: Connection, principal: str | None) -> list[Approval]:
    """Leaves that hold, latest first."""
    asked = _LIVE if principal is None else _LIVE.where(_A.principal == principal)
    return [_approval(row) for row in connection.execute(asked, {"now": time.time()}).mappings()]


def revoke_approval(connection: Connection, approval_id: str, by: str) -> bool:
    """End a leave that holds."""
    row = connection.execute(select(APPROVALS).where(_A.id == approval_id)).mappings().first()
    if row is None:
        return False
    at, approval = time.time(), _approval(row)
    hold(connection, _leaves_of(approval.principal, approval.tool))
    ended = connection.execute(
        update(APPROVALS).where(_A.id == approval_id, *_HOLDS).values(revoked=at), {"now": at}
    ).rowcount
    if ended:
        append_trail(connection, approval.session, [revoked(approval, by)])
    return ended == 1


def purge_admissions(connection: Connection, cutoff: float) -> None:
    """Forget leaves that ended before, and uses that no window counts."""
    ended = or_(_A.used <= cutoff, _A.revoked <= cutoff, _A.expires <= cutoff)
    connection.execute(delete(APPROVALS).where(ended))
    connection.execute(delete(QUOTA_USES).where(_Q.at + _Q.window_s <= now(connection)))


def _count(connection: Connection, quotas: Sequence[QuotaClaim], taken: Admission) -> dict[QuotaClaim, AdmitOutcome]:
    """How each quota stands; those that are free are used, each counter once."""
    hold(connection, *[f"quota:{each.key}" for each in quotas])
    at = now(connection)
    outcomes: dict[QuotaClaim, AdmitOutcome] = {each: _standing(connection, each, at) for each in quotas}
    for key, window in dict.fromkeys((each.key, each.window_s) for each in quotas):
        use = connection.execute(_USE, {"key": key, "window_s": window, "at": at})
        [number] = use.inserted_primary_key or (0,)
        taken.uses.append(number)
        if number % FORGET_EVERY == 0:
            connection.execute(_FORGET, {"of_key": key, "of_window": window, "since": at - window})
    return outcomes


def _standing(connection: Connection, quota: QuotaClaim, at: float) -> AdmitOutcome:
    asked = {"of_key": quota.key, "of_window": quota.window_s, "since": at - quota.window_s, "most": quota.most}
    uses = connection.execute(_USES, asked).scalars().all()
    if len(uses) < quota.most:
        return Claimed()
    return Exhausted(uses[-1] + quota.window_s - at)


def _leave(connection: Connection, claim: ApprovalClaim, taken: Admission) -> AdmitOutcome:
    hold(connection, _leaves_of(claim.principal, claim.tool))
    approval = preferred(_covering(connection, claim))
    if approval is None:
        return Ungranted()
    if approval.scope == "once":
        connection.execute(_USE_UP, {"of_id": approval.id, "used": time.time()})
        taken.used_up.append(approval.id)
    return Granted(approval)


def _covering(connection: Connection, claim: ApprovalClaim) -> Iterator[Approval]:
    asked = {"of_principal": claim.principal, "of_tool": claim.tool, "now": time.time()}
    for row in connection.execute(_CANDIDATES, asked).mappings():
        approval = _approval(row)
        if approval.covers(claim):
            yield approval


def _leaves_of(principal: str, tool: str) -> str:
    return f"approvals:{principal}:{tool}"


def _approval(row: RowMapping) -> Approval:
    return Approval(**row)
