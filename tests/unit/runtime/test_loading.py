"""What a session is offered grows at the end alone, whoever serves it and whatever becomes of the catalog."""

from dataclasses import replace

import pytest

from hilt import Runtime, Session, schema_tool, tool
from hilt.calls.memos import Memos
from hilt.calls.tool import AnyTool
from hilt.declarations.description import Description
from hilt.declarations.effects import Effects
from hilt.errors import StoreError
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.store import MemoryStore
from hilt.tools.find_tools import find_tools
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
