"""What a host holds: tools checked, sessions kept apart, offers stable, state let go."""

from typing import Annotated

import pytest

from hilt import Context, HiltError, Param, Runtime, Session, ToolResult, tool
from hilt.calls.artifacts import Artifacts
from hilt.calls.events import MemoryTrace
from hilt.declarations.description import Description, Environment
from hilt.errors import DeclarationError
from hilt.runtime.runtime import KEPT_SESSIONS
from hilt.tools.find_tools import find_tools
from tests.kit import answered, perceiving, runtime, turn


@tool(**perceiving())
def look() -> str:
    return "seen"


@tool(**perceiving(deferred=True))
def rare(n: Annotated[int, Param("n")] = 0) -> str:
    return "rare"


def test_what_is_no_tool_or_has_a_taken_name_is_refused_with_the_fix() -> None:
    with pytest.raises(DeclarationError, match=r"plain is no tool; decorate it with @tool"):
        Runtime([plain])  # type: ignore[list-item]  # what a newcomer tries first
    with pytest.raises(DeclarationError, match="two tools are named 'look'"):
        Runtime([look, look])


def plain() -> str:
    return ""


async def test_a_session_is_its_principals_alone() -> None:
    of = runtime(look)
    await of.call(Session(id="s", principal="ann"), "look", {})

    with pytest.raises(HiltError, match="belongs to another principal"):
        await of.call(Session(id="s", principal="bob"), "look", {})
    assert (await of.call(Session(id="s", principal="ann", user_words="more"), "look", {})).items == ("seen",)


async def test_the_longest_unused_session_is_forgotten_first() -> None:
    of = runtime(rare, look, find_tools)
    kept, lost = Session(id="kept"), Session(id="lost")
    for session in (lost, kept):
        of.declare(session, ["rare"])
    for n in range(KEPT_SESSIONS - 2):
        of.offer(Session(id=str(n)))
    of.offer(kept)
    of.offer(Session(id="one more"))

    assert [each.declaration.name for each in of.offer(kept)] == ["rare", "look", "find_tools"]
    assert [each.declaration.name for each in of.offer(lost)] == ["look", "find_tools"]


async def test_an_offer_words_itself_for_the_session_and_stays_byte_for_byte_when_something_is_loaded() -> None:
    neighbour = tool(
        **perceiving(description=Description(use_for="rain", returns="rain", not_for={"snow": "rare"}, inputs="a city"))
    )(look.function)
    of, session = runtime(neighbour, rare, find_tools), Session()

    before = of.offer(session)
    assert [each.declaration.name for each in before] == ["look", "find_tools"]
    assert before[0].description == "Rain. Not for snow (use rare). Returns rain. Input: a city."
    assert of.offer(session, compact=True)[0].description == "Rain. Not for snow (use rare). Returns rain."
    assert of.offer(session) == before

    shown = await answered(of, "rare", session=session)
    assert "was not loaded; now it is" in shown.text
    assert of.offer(session)[:2] == before
    assert [each.declaration.name for each in of.offer(session)] == ["look", "find_tools", "rare"]
    assert (await answered(of, "rare", session=session)).text == "rare"


async def test_a_tool_taken_out_is_no_longer_there_and_one_put_in_is_at_once() -> None:
    of, session = runtime(look), Session()

    of.catalog.remove("look")
    assert "the tool 'look' is no longer offered" in (await answered(of, "look", session=session)).text
    of.catalog.add(look)
    assert (await answered(of, "look", session=session)).text == "seen"
    assert of.policy.preset == "workspace"


async def test_what_was_put_aside_is_its_sessions_alone_and_gone_when_closed() -> None:
    found: list[bool] = []

    @tool(**perceiving())
    async def fetch(ctx: Context, artifact: Annotated[str, Param("id")]) -> str:
        found.append(await ctx.part(Artifacts).open(ctx.session, artifact) is not None)
        return "ok"

    @tool(**perceiving())
    def long() -> str:
        return "x" * 100_000

    of, session = runtime(fetch, long), Session()
    artifact = (await of.call(session, "long", {})).artifact
    assert artifact is not None
    for reader in (session, Session()):
        await of.call(reader, "fetch", {"artifact": artifact.id})
    await of.close()

    assert found == [True, False]


async def test_every_step_of_a_call_stands_in_the_trace_in_order() -> None:
    trace = MemoryTrace()
    of, session = runtime(look, trace=trace), Session()

    await of.answer(session, turn(("look", "{}")))

    assert [each.step for each in trace] == ["resolve", "decode", "validate", "decide", "execute", "verify", "answer"]
    assert len(trace) == 7
    assert {each.session for each in trace} == {session.id}
    assert of.trace is trace


async def test_a_tool_may_word_its_own_result() -> None:
    @tool(**perceiving())
    def summed() -> ToolResult[int]:
        return ToolResult(summary="the answer is below", items=(42,), notes=("rounded",))

    answer = await answered(runtime(summed, environment=Environment(platform="linux")), "summed")

    assert answer.text == "the answer is below\n42\nnote: rounded"
