"""Promises about what waits: eight tools stand in a request, the others are found and loaded behind what is cached."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hilt import Runtime, Session, schema_tool, tool
from hilt.assembly.build import open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.counter import counter
from hilt.assembly.foreign import written
from hilt.calls.tool import AnyTool
from hilt.catalog.bill import declared_text
from hilt.catalog.naming import wire_name_of
from hilt.catalog.residence import BUILT_IN, Wishes, settled
from hilt.declarations.description import Environment
from hilt.store import MemoryStore
from hilt.tools.find_tools import find_tools
from tests.command import Hilt, in_process
from tests.kit import answered, perceiving, runtime
from tests.mcp_clients.raw import connected

LEFT_OUT = "agentdojo"
SHARE = 0.05
"""The most of a direct listing that the same set may cost every turn."""
SHELF_TOKENS = 1_800
"""The most that the shelf may."""


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)


@tool(**perceiving(deferred=True))
async def far() -> str:
    return "far"


def replayed(shared: Path) -> list[AnyTool]:
    """Every tool of the 28 servers, as a gateway would hold it."""
    found: list[AnyTool] = []
    for file in sorted((shared / "data" / "toolsets").glob("*.json")):
        if file.stem == LEFT_OUT:
            continue
        for each in written(json.loads(file.read_text(encoding="utf-8")), file.stem).declarations:
            schema: Mapping[str, object] = each.parameters
            made = schema_tool(each.name, _done, parameters=schema, description=each.description, server=file.stem)
            found.append(made.renamed(wire_name_of(file.stem, each.name)))
    return found


def _done(arguments: Mapping[str, object]) -> str:
    return "done"


def names(of: Runtime, session: Session) -> list[str]:
    return [each.declaration.name for each in of.offer(session)]


async def test_req_G2_req_H8_seven_hundred_tools_cost_a_twentieth_and_each_is_one_search_away(
    shared: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    tools, o200k = replayed(shared), counter("o200k_base")
    whole = sum(
        o200k.count(declared_text(each.name, each.declaration.text(Environment()), each.declaration.parameters))
        for each in tools
    )
    config = read_config(tmp_path, settings=["store.where=memory"])
    async with open_runtime(tmp_path, config=config, tools=tools) as assembled:
        of, session = assembled.runtime, assembled.session
        offers = of.offer(session)
        cost = sum(
            o200k.count(declared_text(each.declaration.name, each.description, each.declaration.parameters))
            for each in offers
        )
        found = (await answered(of, "find_tools", '{"query": "scale a deployment"}', session)).text
        await answered(of, "find_tools", '{"query": "select:kubectl/scale_deployment,git/git_status"}', session)
        after = of.offer(session)

    record_property("report", f"{len(tools)} tools: {cost:,} tokens every turn instead of {whole:,}")
    assert len(tools) == 714
    assert [each.declaration.name for each in offers] == list(BUILT_IN)
    assert cost <= SHARE * whole
    assert "kubectl/" in found
    assert after[: len(offers)] == offers
    assert "git__git_status" in [each.declaration.name for each in after]


def test_req_H8_the_shelf_costs_less_than_it_may_and_says_what_waits(hilt: Hilt) -> None:
    priced = hilt("bill", "--json").json
    listed = hilt("tools", "--json").json["tools"]

    assert isinstance(listed, list)
    assert {each["name"] for each in listed if each["resident"]} == set(BUILT_IN)
    assert isinstance(priced["resident"], int)
    assert priced["resident"] <= SHELF_TOKENS
    assert "move_path" in hilt("show", "find_tools").out


async def test_req_H7_req_H8_a_client_of_hilt_serve_sees_eight_and_what_it_loads(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hilt", "serve", "--workspace", str(tmp_path)]
    async with connected(tmp_path, command=command) as client:
        await client.initialize()
        before = (await client.request("tools/list"))["result"]["tools"]
        found = await client.call("find_tools", {"query": "rename a file"})
        loaded = await client.call("find_tools", {"query": "select:hilt/move_path"})
        told = [each.get("method") for each in client.seen]
        after = (await client.request("tools/list"))["result"]["tools"]
        await client.hang_up()

    assert [each["name"] for each in before] == list(BUILT_IN)
    assert "hilt/move_path(source, destination)" in found["content"][0]["text"]
    assert loaded["content"][0]["text"].startswith("loaded move_path")
    assert "notifications/tools/list_changed" in told
    assert json.dumps(after).startswith(json.dumps(before)[:-1])
    assert [each["name"] for each in after[len(before) :]] == ["move_path"]


async def test_req_G2_every_process_that_serves_a_session_offers_what_it_loaded_in_the_same_order() -> None:
    store, session = MemoryStore(), Session(id="shared")
    other_far = tool(name="further", **perceiving(deferred=True))(far.function)
    one, other = (runtime(find_tools, far, other_far, store=store) for _ in range(2))
    assert names(other, session) == ["find_tools"]

    await one.load(session, ["further"])
    await answered(other, "find_tools", '{"query": "select:far"}', session)
    await one.ready(session)

    assert names(one, session) == names(other, session) == ["find_tools", "further", "far"]
    assert (await answered(runtime(find_tools, far, store=store), "far", session=session)).text == "far"


async def test_req_G2_what_waits_is_offered_where_nothing_can_find_it() -> None:
    of, session = runtime(far), Session()

    assert names(of, session) == ["far"]
    assert (await answered(of, "far", session=session)).text == "far"


async def test_req_G2_who_is_resident_later_changes_nothing_for_a_session_that_has_begun() -> None:
    near = tool(name="near", **perceiving())(far.function)
    of, session = runtime(near, find_tools), Session()
    before = of.offer(session)
    await answered(of, "near", session=session)

    late = tool(name="late", **perceiving())(far.function)
    for each in (*settled(tuple(of.catalog), Wishes(defer="always")), late, far):
        of.catalog.replace(each)

    assert of.offer(session)[: len(before)] == before
    assert names(of, session) == ["near", "find_tools", "late"]
    assert (await answered(of, "near", session=session)).text == "far"
    assert names(of, Session()) == ["find_tools", "late"]


def test_req_G3_advice_is_fewer_resident_first_and_shorter_text_after_that(hilt: Hilt, shared: Path) -> None:
    large, small = (str(shared / "data" / "toolsets" / f"{name}.json") for name in ("google-workspace", "git"))

    advice: Any = hilt("tools", large, "--json").json["advice"]
    said = hilt("tools", large).out.splitlines()

    assert [each["do"] for each in advice] == ["defer", "shorten"]
    assert [each.partition(" ")[0] for each in said[-2:]] == ["first", "then"]
    assert said[-2].startswith("first let 119 tools wait until they are found")
    assert hilt("tools", small, "--json").json["advice"] == hilt("tools", "--json").json["advice"] == []
