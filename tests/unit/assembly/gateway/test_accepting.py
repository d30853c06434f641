"""A person's word on a quarantined tool, given in another process, reaches a gateway that runs."""

from functools import partial
from pathlib import Path

import anyio

from hilt.assembly.config import read_config
from hilt.assembly.gateway.watching import follow
from hilt.assembly.pinning import Pinning
from hilt.results.envelope import Denier, Status
from hilt.store import MemoryStore
from tests.unit.assembly.gateway.kit import Told, behind, entry, until


async def test_a_tool_that_is_accepted_while_the_gateway_runs_is_offered_without_a_restart(tmp_path: Path) -> None:
    one, store = Told(tmp_path, "one", "read", "write"), MemoryStore()
    (tmp_path / "hilt.toml").touch()
    config = read_config(file=tmp_path / "hilt.toml")
    async with behind(one.spec(), store=store):
        pass
    one.lists(entry("read", "Reads, and more than that."), entry("write", "Writes, and more than that."))

    async with behind(one.spec(), store=store) as held, anyio.create_task_group() as group:
        group.start_soon(partial(follow, held.gateway, config, every_s=0.01))
        before = await held.call("one__read")
        await Pinning(store).accept("one", ["read"], by="ann")
        await until(lambda: "one__read" in held.names)
        after, other = await held.call("one__read"), await held.call("one__write")
        group.cancel_scope.cancel()

        assert before.result.denied is not None
        assert after.result.status is Status.SUCCESS
        assert other.result.denied is not None
        assert other.result.denied.by is Denier.PIN
