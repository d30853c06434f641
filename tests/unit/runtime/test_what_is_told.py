"""What a call must not lose or leave unsaid: rounding, ways on, events, budgets of one call."""

import json
import logging
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest
from pydantic_core import to_json

from hilt import Context, Param, Repair, Session, ToolCall, schema_tool, tool
from hilt.calls.events import Event, MemoryTrace
from hilt.declarations.checks import ordered
from hilt.declarations.description import Environment
from hilt.results.failures import Refused
from hilt.review.people import Question, Reply
from hilt.runtime.digests import text_digest
from hilt.runtime.sessions import KEPT_FAILURES
from hilt.workspace.workspace import Workspace
from tests.kit import acting, answered, perceiving, runtime, turn


@tool(**perceiving())
async def weigh(grams: Annotated[float | list[float], Param("weight")]) -> str:
    return repr(grams)


@pytest.mark.parametrize(
    ("written", "before", "after"),
    [
        ("0.1000000000000000055", "0.1000000000000000055", 0.1),
        ("1e-400", "1E-400", 0.0),
        ("[1.5,9007199254740993.0]", "9007199254740993.0", 9007199254740992.0),
    ],
)
async def test_a_number_with_more_digits_than_a_double_holds_is_told(written: str, before: str, after: float) -> None:
    result = (await answered(runtime(weigh), "weigh", f'{{"grams": {written}}}')).result

    assert [(each.before, each.after) for each in result.adjustments] == [(before, after)]


@pytest.mark.parametrize(
    "written", ["0.1", "1e22", "123456789012.5", "2.2250738585072014e-308", "1.7976931348623157e308"]
)
async def test_a_number_that_names_its_double_is_no_adjustment(written: str) -> None:
    result = (await answered(runtime(weigh), "weigh", f'{{"grams": {written}}}')).result

    assert result.adjustments == ()
    assert json.loads(result.summary) == float(written)


@tool(**perceiving())
async def recite() -> str:
    return "\n".join(f"line {number}" for number in range(2_000))


async def test_a_call_may_bring_its_own_budget() -> None:
    of, session = runtime(recite), Session()

    whole = await of.answer_one(session, "recite")
    cut = await of.answer_one(session, "recite", tokens=100)

    assert not whole.result.truncated
    assert cut.result.truncated
    assert len(cut.text.encode()) <= 100 * 4


async def test_a_listener_that_raises_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    def deaf(event: Event) -> None:
        raise RuntimeError(event.step)

    of = runtime(weigh)
    of.listen(deaf)

    with caplog.at_level(logging.ERROR, logger="hilt"):
        answer = await answered(of, "weigh", '{"grams": 1.5}')

    assert answer.result.summary == "1.5"
    assert "a listener raised" in caplog.text


async def test_repeated_and_empty_ids_leave_a_line_in_the_trace() -> None:
    trace = MemoryTrace()
    of = runtime(weigh, trace=trace)
    calls = [ToolCall(name="weigh", arguments=f'{{"grams": {n}.5}}', id=id) for n, id in enumerate(["a", "a", "", "b"])]

    answers = await of.answer(Session(), turn(*calls))

    assert [each.result.summary for each in answers] == ["0.5", "1.5", "2.5", "3.5"]
    assert [event.facts["id"] for event in trace if event.step == "repeated_id"] == ["a", "a", ""]


class Later:
    reachable = "later"

    async def ask(self, question: Question) -> Reply:
        raise AssertionError(question)


@tool(**acting(effects={"does": "send"}))
async def mail(to: Annotated[str, Param("address")]) -> str:
    return f"sent to {to}"


@pytest.mark.parametrize(("approve", "text"), [(True, "sent to ann"), (False, "the person refused mail")])
async def test_the_late_answer_of_a_pending_call_is_an_event(*, approve: bool, text: str) -> None:
    trace, session = MemoryTrace(), Session()
    of = runtime(mail, trace=trace, policy="workspace", person=Later())
    waiting = (await of.call(session, "mail", {"to": "ann"})).pending
    assert waiting is not None

    await of.decide_pending(session, waiting.handle, approve=approve)

    (late,) = [event.facts for event in trace if event.facts.get("handle") == waiting.handle]
    assert text in str(late["text"])


@tool(**perceiving(checks=[ordered("low", "high")]))
async def between(low: Annotated[int, Param("from")] = 0, high: Annotated[int, Param("to")] = 9) -> str:
    return f"{low} to {high}"


async def test_a_check_sees_the_default_of_what_is_not_given() -> None:
    of = runtime(between)

    assert (await answered(of, "between", '{"low": 10}')).result.is_error
    assert (await answered(of, "between", '{"low": 9}')).result.summary == "9 to 9"


def test_the_schema_says_which_old_name_is_accepted() -> None:
    @tool(**perceiving(repairs=[Repair(old="file_path", new="path")]))
    async def peek(path: Annotated[str, Param("a file")]) -> str:
        return path

    parameters: Any = peek.declaration.parameters
    assert parameters["properties"]["path"]["description"] == "a file (file_path is accepted as its name too)"


async def echo(arguments: object) -> str:
    return json.dumps(arguments)


async def test_a_foreign_schema_that_names_its_properties_is_closed_unless_it_says_otherwise() -> None:
    closed = schema_tool("closed", echo, parameters={"type": "object", "properties": {"city": {"type": "string"}}})
    left_open = schema_tool("open", echo, parameters={"properties": {"city": {}}, "additionalProperties": True})
    unnamed = schema_tool("unnamed", echo, parameters={"type": "object"})
    of = runtime(closed, left_open, unnamed)

    refused = (await answered(of, "closed", '{"citty": "Bonn"}')).result.failure
    assert refused is not None
    assert refused.violations[0].next_step == "use city instead"
    for name in ("open", "unnamed"):
        assert not (await answered(of, name, '{"citty": "Bonn"}')).result.is_error


async def test_what_is_opened_must_still_be_what_policy_allowed(tmp_path: Path) -> None:
    first, second, link = tmp_path / "first", tmp_path / "second", tmp_path / "link"
    first.write_text("one")
    second.write_text("two")
    link.symlink_to(first)

    @tool(**perceiving())
    async def race(ctx: Context, path: Annotated[str, Param("a file", role="path")]) -> str:
        link.unlink()
        link.symlink_to(second)
        async with ctx.part(Workspace).open(path, allowed=ctx.paths[path]) as file:
            return (await file.read_at(0, 10)).decode()

    workspace = Workspace([tmp_path])
    of = runtime(race, parts={Workspace: workspace}, resolver=workspace)

    with anyio.fail_after(5):
        answer = await answered(of, "race", json.dumps({"path": str(link)}))

    assert "two" not in answer.text
    assert answer.result.is_error


async def test_the_date_of_a_description_is_todays_unless_the_host_gave_one() -> None:
    given = runtime(weigh, environment=Environment(date="2001-02-03"))

    assert given.environment(Session()).date == "2001-02-03"
    assert runtime(weigh).environment(Session()).date.startswith("20")


def test_a_refusal_names_one_or_two_next_steps() -> None:
    with pytest.raises(ValueError, match="one or two next steps"):
        Refused("no")


async def test_only_so_many_failing_calls_are_remembered() -> None:
    of, session = runtime(weigh), Session()

    for number in range(KEPT_FAILURES + 1):
        await answered(of, "weigh", f'{{"gram": {number}}}', session)
    first_again = await answered(of, "weigh", '{"gram": 0}', session)
    last_again = await answered(of, "weigh", f'{{"gram": {KEPT_FAILURES}}}', session)

    assert "failed the same way" not in first_again.text
    assert "failed the same way 2 times" in last_again.text


async def test_that_nothing_is_isolated_is_told_once_a_conversation() -> None:
    @tool(**acting(effects={"reads": "none", "does": "run"}))
    def runs() -> str:
        return "ran"

    of, session = runtime(runs), Session()

    first, second = await answered(of, "runs", session=session), await answered(of, "runs", session=session)
    other = await answered(of, "runs")

    assert first.result.notes == other.result.notes == ("not isolated",)
    assert second.result.notes == ()


@pytest.mark.parametrize("text", ['{"grams":1.5}', '{ "grams": 1.5 }', '{"grams":[1,2.5]}'])
async def test_the_digest_of_a_value_is_that_of_its_plain_writing_however_it_was_sent(text: str) -> None:
    trace = MemoryTrace()
    await answered(runtime(weigh, trace=trace), "weigh", text)

    facts = next(event.facts for event in trace if event.step == "decode")

    plain = to_json(json.loads(text)).decode()
    assert facts["text_digest"] == text_digest(text)
    assert facts["digest"] == text_digest(plain)
    assert (facts["digest"] == facts["text_digest"]) is (text == plain)
