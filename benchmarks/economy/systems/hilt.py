"""Hilt, embedded: the shelf as it comes, under the preset `unattended`, counted exactly."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from economy.systems.opened import Opened
from economy.talk import Answering, declared

SETTINGS = """
[policy]
preset = "unattended"

[[policy.rules]]
word = "allow"
tools = "fetch_page"
actions = ["fetch"]
hosts = ["127.0.0.1"]

[web]
allow_private = true

[store]
where = "memory"
"""
RESIDENT = (
    "search_code",
    "find_files",
    "read_file",
    "edit_file",
    "write_file",
    "run_command",
    "artifact_read",
    "find_tools",
)

LISTING = "task_list"


@asynccontextmanager
async def hilt(root: Path, home: Path) -> AsyncIterator[Opened]:
    from hilt.adapters import anthropic
    from hilt.assembly.build import open_runtime
    from hilt.assembly.config import read_config

    settings = home / "hilt.toml"
    settings.write_text(SETTINGS)
    config = read_config(root, file=settings)

    @asynccontextmanager
    async def talking() -> AsyncIterator[Answering]:
        async with open_runtime(root, config=config) as assembled:
            assembled.runtime.declare(assembled.session, [LISTING])  # the runner's own look, which no model asks for

            async def answering(name: str, arguments: dict[str, Any]) -> str:
                return (await assembled.runtime.answer_one(assembled.session, name, arguments)).text

            yield answering

    async with open_runtime(root, config=config) as assembled:
        offers = anthropic.offer(assembled.runtime, assembled.session)
    costs = {each["name"]: declared(each["name"], each["description"], each["input_schema"]) for each in offers}
    yield Opened(declared=costs, talking=talking, resident=RESIDENT, listing=LISTING)
