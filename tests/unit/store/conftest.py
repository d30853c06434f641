"""Every store, with one session open."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hilt.policy.claims import Approval, ApprovalClaim, LedgerClaim, Scope
from hilt.store import MemoryStore, Store
from hilt.store.sql import SqlStore


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hilt.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, database: Path) -> Path | str:
    """A place that two processes may share, with nothing in it."""
    return database if request.param == "sqlite" else request.getfixturevalue("postgres").emptied()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, database: Path) -> AsyncIterator[Store]:
    kept: Store
    match request.param:
        case "memory":
            kept = MemoryStore()
        case "sqlite":
            kept = SqlStore(database)
        case _:
            kept = SqlStore(request.getfixturevalue("postgres").emptied())
    await kept.open_session("s", "ann")
    yield kept
    await kept.close()


@pytest.fixture
def claim() -> Callable[..., LedgerClaim]:
    """A claim, of which a test names what matters to it."""

    def make(
        turn: str = "t1",
        position: int = 0,
        digest: str = "d1",
        *,
        session: str = "s",
        tool: str = "pay",
        call_id: str = "call_1",
        irreversible: bool = False,
        idempotency_key: str | None = None,
    ) -> LedgerClaim:
        return LedgerClaim(
            session=session,
            turn=turn,
            position=position,
            digest=digest,
            tool=tool,
            call_id=call_id,
            irreversible=irreversible,
            idempotency_key=idempotency_key,
        )

    return make


@pytest.fixture
def leave() -> Callable[..., Approval]:
    """A person's leave, of which a test names what matters to it."""

    def make(id: str = "a1", *, scope: Scope = "once", lasts: float = 60, **bound: str) -> Approval:
        now = time.time()
        usual = {"principal": "ann", "tool": "pay", "policy": "p1"}
        usual |= {"once": {"digest": "d1"}, "session": {"session": "s"}, "shape": {"shape": "pay/*"}, "always": {}}[
            scope
        ]
        return Approval(id=id, scope=scope, given=now, expires=now + lasts, **{**usual, **bound})

    return make


@pytest.fixture
def asks() -> Callable[..., ApprovalClaim]:
    """A call that needs leave."""

    def make(**bound: str) -> ApprovalClaim:
        usual = {"principal": "ann", "session": "s", "tool": "pay", "digest": "d1", "shape": "pay/*", "policy": "p1"}
        return ApprovalClaim(**{**usual, **bound})

    return make
