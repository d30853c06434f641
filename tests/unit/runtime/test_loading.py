"""What a session is offered grows at the end alone, whoever serves it and whatever becomes of the catalog."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hilt import Runtime, Session, schema_tool, tool
from hilt.calls.memos import Memos
from hilt.calls.tool import AnyTool
from hilt.declarations.description import Description
from hilt.declarations.effects import Effects
from hilt.errors import StoreError
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import Denied, Denier, Limit, OtherTool, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure
from hilt.runtime.loading import steps_of
from hilt.store import MemoryStore
from hilt.tools.find_tools import find_tools
from hilt.tools.read_document import read_document
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from tests.kit import answered, perceiving, runtime

SENDS = Effects(reads="none", brings="own", does=frozenset({"send"}))


@tool(**perceiving())
async def near() -> str:
    return "near"


def far(name: str, effects: Effects | None = None) -> AnyTool:
    made = schema_tool(name, lambda given: name, parameters={"type": "object"}, kind="perceive")
    declaration = made.declaration if effects is None else replace(made.declaration, effects=effects)
    return replace(made, declaration=declaration, handling=replace(made.handling, deferred=True))


def names(of: Runtime, session: Session) -> list[str]:
    return [each.declaration.name for each in of.offer(session)]


async def test_without_a_place_to_remember_what_was_loaded_it_is_loaded_all_the_same() -> None:
    of, session = runtime(find_tools, far("x"), parts={Memos: None}), Session()

    await of.ready(session)
    await of.load(session, ["x"])

    assert names(of, session) == ["find_tools", "x"]


async def test_a_session_of_which_nothing_sensible_is_remembered_has_loaded_nothing() -> None:
    store, session = MemoryStore(), Session()
    await Memos(store).put(session, "loaded tools", {"x": 1})
    of = runtime(find_tools, far("x"), store=store)

    await of.ready(session)

    assert names(of, session) == ["find_tools"]


async def test_tools_loaded_at_once_by_two_processes_stand_in_one_order_for_both() -> None:
    store, session = MemoryStore(), Session()
    one, other = (runtime(find_tools, far("x"), far("y"), store=store) for _ in range(2))

    await one.load(session, ["x"])
    await other.load(session, ["y"])
    await one.load(session, ["y"])

    assert names(one, session) == names(other, session) == ["find_tools", "x", "y"]


async def test_a_tool_that_goes_and_comes_again_has_its_place_again() -> None:
    of, session = runtime(near, find_tools, far("x"), far("y")), Session()
    await of.load(session, ["x", "y"])
    assert names(of, session) == ["near", "find_tools", "x", "y"]

    gone = of.catalog.remove("x")
    assert gone is not None
    assert names(of, session) == ["near", "find_tools", "y"]
    of.catalog.add(gone)
    assert names(of, session) == ["near", "find_tools", "x", "y"]


async def test_what_can_be_found_is_told_as_it_was_when_the_session_began() -> None:
    of, session = runtime(near, find_tools, far("x")), Session()
    assert "(own: x)" in of.offer(session)[1].description
    of.catalog.add(far("y"))
    assert "(own: x, y)" in of.offer(session)[1].description

    await answered(of, "near", session=session)
    of.catalog.add(far("z"))

    assert "(own: x, y)" in of.offer(session)[1].description
    assert "(own: x, y, z)" in of.offer(Session())[1].description


async def test_a_text_names_tools_that_can_be_found_and_no_others() -> None:
    words = Description(use_for="a", returns="b", not_for={"more": "x"})
    told = tool(name="told", **perceiving(description=words))(near.function)

    assert runtime(told, find_tools, far("x")).offer(Session())[0].description == "A. Not for more (use x). Returns b."
    alone = runtime(told, far("x"))
    alone.catalog.remove("x")
    assert alone.offer(Session())[0].description == "A. Not for more. Returns b."


@pytest.mark.parametrize(
    "policy",
    [
        Policy(rules=(Rule(word="allow"), Rule(word="deny", tools="x"))),
        Policy(rules=(Rule(word="allow"), Rule(word="deny", actions=("send",), risk="low"))),
        Policy(preset="unattended", rules=(Rule(word="ask", tools="x"),)),
        Policy(preset="unattended"),
        Policy(preset="read-only"),
    ],
)
async def test_a_tool_that_policy_denies_whatever_the_call_is_refused_and_not_declared(policy: Policy) -> None:
    of, session = Runtime([find_tools, far("x", SENDS)], policy=policy), Session()

    assert (await answered(of, "x", session=session)).result.denied is not None
    assert names(of, session) == ["find_tools"]


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(rules=(Rule(word="deny", tools="x", arguments={"to": "ann"}),)),
        Policy(rules=(Rule(word="deny", actions=("write",)),)),
        Policy(rules=(Rule(word="deny", irreversible=True),)),
        Policy(rules=(Rule(word="deny", risk="critical"),)),
        Policy(rules=(Rule(word="deny", tools="y"),)),
        Policy(preset="unattended", rules=(Rule(word="allow", tools="x"),)),
    ],
)
async def test_a_tool_of_which_some_call_may_pass_is_declared(policy: Policy) -> None:
    of, session = Runtime([find_tools, far("x", SENDS)], policy=policy), Session()

    assert "now it is" in (await answered(of, "x", session=session)).text
    assert names(of, session) == ["find_tools", "x"]


async def test_where_the_store_does_not_answer_nothing_is_loaded_and_nothing_runs() -> None:
    class Broken(MemoryStore):
        async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
            raise StoreError("the disk went away")

    of, session = runtime(find_tools, far("x"), store=Broken()), Session()

    assert "nothing was run, for the state cannot be kept" in (await answered(of, "x", session=session)).text
    assert names(of, session) == ["find_tools"]


async def test_a_program_that_knows_a_tool_calls_it_at_once() -> None:
    of, session = runtime(find_tools, far("x")), Session()
    plain = runtime(near)
    await plain.ready(session)

    of.declare(session, ["x", "no such tool"])

    assert (await answered(of, "x", session=session)).result.items == ("x",)
    assert of.offered_names(session) == {"find_tools", "x"}
    assert names(plain, session) == ["near"]


async def test_the_tool_of_the_shelf_by_which_an_answer_says_to_go_on_is_loaded_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04" + bytes(50))
    document = replace(read_document, handling=replace(read_document.handling, deferred=True))
    arguments = json.dumps({"path": str(tmp_path / "a.docx")})

    def reading(**options: Any) -> Runtime:
        return runtime(read_file, document, find_tools, parts={Workspace: Workspace([tmp_path])}, **options)

    of, session = reading(), Session()
    assert "read it with read_document" in (await answered(of, "read_file", arguments, session)).text
    assert names(of, session) == ["read_file", "find_tools", "read_document"]

    denies, session = reading(policy=Policy(rules=(Rule(word="deny", tools="read_document"),))), Session()
    await answered(denies, "read_file", arguments, session)
    assert names(denies, session) == ["read_file", "find_tools"]

    class Broken(MemoryStore):
        async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
            if "loaded" in key:
                raise StoreError("the disk went away")
            return await super().exchange(session_id, key, old, new)

    broken, session = reading(store=Broken()), Session()
    assert "read it with read_document" in (await answered(broken, "read_file", arguments, session)).text
    assert names(broken, session) == ["read_file", "find_tools"]


async def test_what_somebody_elses_tool_says_loads_nothing() -> None:
    document = replace(read_document, handling=replace(read_document.handling, deferred=True))

    @tool(**perceiving())
    async def luring() -> str:
        raise EnvironmentFailure("it is a trap", "call read_document next")

    of, session = runtime(luring, document, find_tools), Session()
    await answered(of, "luring", session=session)

    assert names(of, session) == ["luring", "find_tools"]


def test_an_answer_says_how_to_go_on_in_its_cut_and_in_its_refusal() -> None:
    cut = Truncation(
        shown=1, total=2, limit=Limit(name="l", value=1), next={}, otherwise=OtherTool(tool="x", arguments={})
    )
    refused = Denied(by=Denier.RULE, reason="no", next_steps=("call y",))

    assert list(steps_of(ToolResult(summary="", truncation=cut))) == ["x"]
    assert list(steps_of(ToolResult(summary="", status=Status.DENIED, denied=refused))) == ["call y"]
