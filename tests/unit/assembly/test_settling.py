"""Which tools wait, by the settings and by what was used lately."""

from pathlib import Path

import pytest

from hilt import Session, schema_tool
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.settling import uses_of
from hilt.calls.tool import AnyTool
from hilt.catalog.residence import BUILT_IN, LEAST_USES, RESIDENT_BYTES
from hilt.errors import StoreError
from hilt.policy.policy import Policy
from hilt.store import MemoryStore
from hilt.store.protocol import Store
from hilt.store.records import StoredSession


def upstream(name: str) -> AnyTool:
    text = "x" * (RESIDENT_BYTES // 10)
    made = schema_tool(name, lambda given: name, parameters={"type": "object"}, description=text, server="eyes")
    return made.renamed(f"eyes__{name}")


MANY = [upstream(f"look_{number}") for number in range(12)]


def opened(store: Store, *settings: str, principal: str = "ann", tools: list[AnyTool] = MANY) -> Assembled:
    config = read_config(settings=settings)
    return open_runtime(config=config, store=store, principal=principal, tools=tools)


def resident(assembled: Assembled) -> list[str]:
    offers = assembled.runtime.offer(Session(principal=assembled.session.principal))
    return [each.declaration.name for each in offers if each.declaration.name not in BUILT_IN]


@pytest.mark.usefixtures("project")
async def test_a_set_too_large_waits_but_for_what_the_settings_pin_or_somebody_uses() -> None:
    store = MemoryStore()
    async with opened(store) as first:
        assert resident(first) == []
        for _ in range(LEAST_USES):
            first.runtime.declare(first.session, ["eyes__look_3"])
            done = await first.runtime.call(first.session, "eyes__look_3", {}, approved=True)
            assert done.status == "success"
        await first.trace.flush()

        async with opened(store, "set.resident=['eyes/look_5']") as second:
            assert resident(second) == ["eyes__look_3", "eyes__look_5"]
        async with opened(store, principal="bob") as other:
            assert resident(other) == []
        async with opened(store, "set.defer=always") as none:
            assert resident(none) == []


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("setting", ["set.defer=never", f"set.resident_bytes={RESIDENT_BYTES * 2}"])
async def test_the_settings_say_that_a_large_set_stays(setting: str) -> None:
    async with opened(MemoryStore(), setting) as assembled:
        assert {each.name for each in MANY} <= set(resident(assembled))


@pytest.mark.usefixtures("project")
async def test_a_small_set_stays_whole_and_the_shelf_waits() -> None:
    async with opened(MemoryStore(), tools=MANY[:2]) as assembled:
        assert resident(assembled) == ["eyes__look_0", "eyes__look_1"]
        assert "move_path" in assembled.runtime.catalog


@pytest.mark.usefixtures("project")
async def test_tools_that_come_later_are_settled_too_and_no_session_loses_any() -> None:
    async with opened(MemoryStore(), tools=MANY[:2]) as assembled:
        before = assembled.runtime.offer(assembled.session)
        for each in MANY[2:]:
            assembled.runtime.catalog.add(each)
        assembled.settling.settle()

        assert resident(assembled) == []
        assert [each.declaration for each in assembled.runtime.offer(assembled.session)][: len(before)] == [
            each.declaration for each in before
        ]


async def test_where_the_store_does_not_answer_nothing_counts_as_used() -> None:
    class Broken(MemoryStore):
        async def sessions(self, limit: int = 100) -> list[StoredSession]:
            raise StoreError("the disk went away")

    assert await uses_of(Broken(), "ann") == {}


@pytest.mark.usefixtures("project")
async def test_without_find_tools_on_the_shelf_what_fits_is_offered() -> None:
    async with opened(MemoryStore(), "shelf=['read_file', 'move_path']") as assembled:
        names = [each.declaration.name for each in assembled.runtime.offer(assembled.session)]

    assert names[:2] == ["read_file", "move_path"]
    assert 2 < len(names) < 2 + len(MANY)


def test_an_untrusted_project_may_pin_what_it_likes_and_no_policy_changes(project: Path) -> None:
    (project / "hilt.toml").write_text("[set]\nresident = ['eyes/*']\n", encoding="utf-8")

    config = read_config(project)
    assert config.texts("set.resident") == ("eyes/*",)
    assert Policy().preset == config.text("policy.preset")
