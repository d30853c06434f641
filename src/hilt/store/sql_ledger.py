"""The ledger in SQL: each verb is one function inside a transaction that its caller began."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from hilt.policy.claims import LedgerClaim
from hilt.store.locks import hold, session_locks
from hilt.store.outcomes import not_open, took_effect
from hilt.store.owners import NOBODY, alive
from hilt.store.records import (
    Claimed,
    ClaimOutcome,
    Repeated,
    Running,
    Stored,
    Unknown,
    Unsettled,
)
from hilt.store.schema import LEDGER, SESSIONS

MOST_AT_ONCE = 500
CLAIMED = Claimed()

_L = LEDGER.c
# Statements are built once: SQLAlchemy takes longer to build one than SQLite to run it. The names
# of columns are kept for values in INSERT and UPDATE, so what is compared has names of its own.
_AT_KEY = and_(
    _L.session == bindparam("of_session"),
    _L.turn == bindparam("of_turn"),
    _L.position == bindparam("of_position"),
    _L.digest == bindparam("of_digest"),
)
_STANDING = (
    select(SESSIONS.c.principal.label("owned_by"), LEDGER)
    .select_from(SESSIONS.outerjoin(LEDGER, and_(_L.session == SESSIONS.c.id, _AT_KEY)))
    .where(SESSIONS.c.id == bindparam("of_session"))
)
_SAME_ACT = (
    select(LEDGER)
    .where(
        _L.irreversible,
        _L.session == bindparam("of_session"),
        _L.tool == bindparam("of_tool"),
        _L.digest == bindparam("of_digest"),
        _L.turn != bindparam("of_turn"),
        or_(_L.settled.is_(None), _L.effective),
    )
    .order_by(_L.id)
)
_SAME_KEY = (
    select(LEDGER)
    .where(
        _L.idempotency_key == bindparam("of_key"),
        _L.principal == bindparam("of_principal"),
        _L.tool == bindparam("of_tool"),
        or_(_L.settled.is_(None), _L.effective),
    )
    .order_by(_L.id)
)
_PRINCIPAL = select(SESSIONS.c.principal).where(SESSIONS.c.id == bindparam("of_session"))
_ENTER = insert(LEDGER)
_SETTLE = update(LEDGER).where(_AT_KEY)
_RELEASE = delete(LEDGER).where(_AT_KEY, _L.settled.is_(None))
_ANSWERS = (
    select(_L.call_id, _L.result)
    .where(
        _L.session == bindparam("of_session"),
        _L.call_id.in_(bindparam("of_calls", expanding=True)),
        _L.settled.is_not(None),
    )
    .order_by(_L.settled, _L.id)
)
_UNSETTLED = select(LEDGER).where(_L.session == bindparam("of_session"), _L.settled.is_(None)).order_by(_L.id)
_GIVE_UP = update(LEDGER).where(_L.owner == bindparam("of_owner"), _L.settled.is_(None))


def take(connection: Connection, claims: Sequence[LedgerClaim], owner: str) -> tuple[ClaimOutcome, ...]:
    """Each claim's outcome in order; those `Claimed` are now `owner`'s."""
    keys = [f"key:{each.tool}:{each.idempotency_key}" for each in claims if each.idempotency_key is not None]
    hold(connection, *session_locks(each.session for each in claims))
    hold(connection, *keys)  # after the sessions, as an admission does, which holds its session before
    return tuple([_take(connection, claim, owner) for claim in claims])


def settle(connection: Connection, claim: LedgerClaim, result: str, *, ran: bool) -> None:
    """Keep the answer, entering the claim when it was never taken."""
    acts = claim.irreversible or claim.idempotency_key is not None
    answer: dict[str, Any] = {
        "settled": time.time(),
        "effective": acts and ran and took_effect(result),
        "result": result,
        "call_id": claim.call_id,
    }
    if connection.execute(_SETTLE, {**_key(claim), **answer}).rowcount:
        return
    hold(connection, *session_locks([claim.session]))
    principal = connection.execute(_PRINCIPAL, {"of_session": claim.session}).scalar()
    if principal is None:
        raise not_open(claim.session)
    connection.execute(_ENTER, {**_new(claim, principal, NOBODY), **answer})


def release(connection: Connection, claims: Iterable[LedgerClaim]) -> None:
    """Forget the unsettled ones."""
    for claim in claims:
        connection.execute(_RELEASE, _key(claim))


def results(connection: Connection, session_id: str, call_ids: Sequence[str]) -> dict[str, str]:
    """The latest answer by call id."""
    found: dict[str, str] = {}
    for start in range(0, len(call_ids), MOST_AT_ONCE):
        calls = call_ids[start : start + MOST_AT_ONCE]
        rows = connection.execute(_ANSWERS, {"of_session": session_id, "of_calls": calls})
        found.update((row.call_id, row.result) for row in rows)
    return found


def unsettled(connection: Connection, session_id: str) -> list[Unsettled]:
    """Claims without an answer, oldest first."""
    rows = connection.execute(_UNSETTLED, {"of_session": session_id})
    return [Unsettled(claim=_claim(row), since=row.since, alive=alive(row.owner)) for row in rows]


def give_up(connection: Connection, owner: str) -> None:
    """Nobody will settle what this owner took and did not settle."""
    connection.execute(_GIVE_UP, {"of_owner": owner, "owner": NOBODY})


def _take(connection: Connection, claim: LedgerClaim, owner: str) -> ClaimOutcome:
    row = connection.execute(_STANDING, _key(claim)).first()
    if row is None:
        raise not_open(claim.session)
    if row.id is not None:
        return _unsettled(row) if row.settled is None else Stored(row.result)
    principal: str = row.owned_by
    earlier = list(_earlier(connection, claim, principal))
    done = [one for one in earlier if one.settled is not None]
    if done:
        return Repeated(done[-1].settled, done[-1].result)
    if earlier:
        return _unsettled(earlier[0])
    connection.execute(_ENTER, _new(claim, principal, owner))
    return CLAIMED


def _earlier(connection: Connection, claim: LedgerClaim, principal: str) -> Iterator[Row[Any]]:
    """Acts this claim would repeat: those not settled, those that took effect."""
    if claim.irreversible:
        asked = {**_key(claim), "of_tool": claim.tool}
        del asked["of_position"]
        yield from connection.execute(_SAME_ACT, asked)
    if claim.idempotency_key is not None:
        yield from connection.execute(
            _SAME_KEY,
            {"of_key": claim.idempotency_key, "of_principal": principal, "of_tool": claim.tool},
        )


def _unsettled(row: Row[Any]) -> Running | Unknown:
    return (Running if alive(row.owner) else Unknown)(row.since, _claim(row))


def _claim(row: Row[Any]) -> LedgerClaim:
    return LedgerClaim(
        session=row.session,
        turn=row.turn,
        position=row.position,
        digest=row.digest,
        tool=row.tool,
        call_id=row.call_id,
        irreversible=row.irreversible,
        idempotency_key=row.idempotency_key,
    )


def _key(claim: LedgerClaim) -> dict[str, Any]:
    return {
        "of_session": claim.session,
        "of_turn": claim.turn,
        "of_position": claim.position,
        "of_digest": claim.digest,
    }


def _new(claim: LedgerClaim, principal: str, owner: str) -> dict[str, Any]:
    return {
        "session": claim.session,
        "turn": claim.turn,
        "position": claim.position,
        "digest": claim.digest,
        "tool": claim.tool,
        "call_id": claim.call_id,
        "irreversible": claim.irreversible,
        "since": time.time(),
        "owner": owner,
        "effective": False,
        "principal": principal,
        "idempotency_key": claim.idempotency_key,
    }
