"""Both stores, with one session open."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hilt.policy.claims import LedgerClaim
from hilt.store import MemoryStore, Store
from hilt.store.sql import SqlStore


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hilt.db"


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, database: Path) -> AsyncIterator[Store]:
    kept: Store = MemoryStore() if request.param == "memory" else SqlStore(database)
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
