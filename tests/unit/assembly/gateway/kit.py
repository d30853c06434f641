"""Servers for tests of the gateway, and a gateway over them."""

import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from hilt import Runtime, Session
from hilt.assembly.gateway.gateway import Gateway
from hilt.assembly.gateway.settings import ServerSpec, server_of
from hilt.calls.answer import Answer
from hilt.calls.tool import AnyTool
from hilt.policy.policy import Policy
from hilt.results.cutting import Budget
from hilt.store import MemoryStore
from tests.kit import EVERYTHING, runtime

TOLD = Path("tests/servers/told.py").absolute()
ANY: Mapping[str, object] = {"type": "object", "additionalProperties": True}
SOON_S = 10
"""Seconds that anything a test waits for may take on a busy machine."""


def entry(name: str, description: str = "Does what its name says.", **more: object) -> dict[str, object]:
    return {"name": name, "description": description, "inputSchema": ANY, **more}


def said(block: object) -> str:
    """The text of a block that a client was given."""
    return str(getattr(block, "text", ""))


class Told:
    """A server in a folder: what it lists and answers is written beside it."""

    def __init__(self, folder: Path, name: str, *tools: str | dict[str, object], **results: object) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        self.name = name
        self.lists(*tools)
        self.write("results", results)

    def write(self, name: str, content: object) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(content))

    def lists(self, *tools: str | dict[str, object]) -> None:
        self.write("tools", [entry(each) if isinstance(each, str) else each for each in tools])

    def table(self, **more: object) -> dict[str, object]:
        return {"command": sys.executable, "args": ["-S", str(TOLD), str(self.folder)], **more}

    def spec(self, **more: object) -> ServerSpec:
        return server_of(self.name, self.table(**more), {}, origin="hilt.toml")

    @property
    def starts(self) -> int:
        file = self.folder / "starts"
        return len(file.read_text()) if file.exists() else 0


class Behind:
    """A gateway that runs, with the session of who calls through it."""

    def __init__(self, held: Runtime, gateway: Gateway, session: Session) -> None:
        self.runtime = held
        self.gateway = gateway
        self.session = session

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.runtime.catalog]

    async def call(self, name: str, arguments: Mapping[str, object] | None = None) -> Answer:
        return await self.runtime.answer_one(self.session, name, json.dumps(arguments or {}))

    def state(self, name: str) -> Any:
        return next(each for each in self.gateway.states() if each.name == name)


@asynccontextmanager
async def behind(
    *specs: ServerSpec,
    store: MemoryStore | None = None,
    tools: Sequence[AnyTool] = (),
    policy: Policy = EVERYTHING,
    **options: Any,
) -> AsyncGenerator[Behind]:
    """These servers behind one runtime, once it is known what they offer."""
    held = runtime(*tools, store=store or MemoryStore(), policy=policy, turn_budget=Budget(tokens=100_000))
    session = Session()
    async with Gateway(held, specs, session=session, **options) as gateway:
        with anyio.fail_after(SOON_S * 3):
            await gateway.ready()
        yield Behind(held, gateway, session)


async def until(true: Any) -> None:
    """Wait, for a bounded time, until something holds."""
    with anyio.fail_after(SOON_S):
        while not true():  # noqa: ASYNC110 - what is waited for happens in another process
            await anyio.sleep(0.01)
