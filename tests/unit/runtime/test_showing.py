"""What is shown of a result: ids by short names and back, pages that go on, cuts that are told, text that encodes."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from hilt import (
    Budget,
    Context,
    EnvironmentFailure,
    InvalidArguments,
    Limit,
    Param,
    Ref,
    Session,
    ToolResult,
    Truncation,
    schema_tool,
    tool,
)
from hilt.calls.artifacts import Artifacts
from hilt.errors import StoreError
from hilt.results.envelope import Failure, Status
from hilt.results.failures import FailureKind, Refused, Violation
from hilt.runtime.answering import count_of
from hilt.store.memory import MemoryStore
from hilt.tools.artifact_read import artifact_read
from tests.kit import acting, answered, perceiving, runtime, turn

UUID_A, UUID_B = "8f14e45f-ceea-467f", "c9f0f895-fb98-4b91"
received: list[object] = []


@dataclass
class Ticket:
    id: Annotated[str, Ref("ticket")]
    title: str
    parent: Annotated[str, Ref("ticket")] | None = None
    watchers: tuple[Annotated[str, Ref("user")], ...] = ()


@tool(**perceiving(limit=50, continues="offset", noun="ticket"))
def tickets(offset: Annotated[int, Param("skip")] = 0) -> list[Ticket]:
    both = [Ticket(UUID_A, "first"), Ticket(UUID_B, "second", parent=UUID_A, watchers=("u-77", "u-78"))]
    return both[offset:]


@tool(**acting())
def close(
    ticket: Annotated[str | None, Param("ticket"), Ref("ticket")] = None,
    others: Annotated[list[Annotated[str, Ref("ticket")]] | None, Param("tickets")] = None,
    note: Annotated[str, Param("a note")] = "",
) -> Annotated[str, Ref("ticket")]:
    received.append((ticket, others, note))
    return ticket or "none"


async def test_ids_are_shown_short_and_translated_back_wherever_they_are_declared() -> None:
    received.clear()
    of, session = runtime(tickets, close), Session()

    shown = await answered(of, "tickets", session=session)
    back = await answered(
        of, "close", '{"ticket": "ticket_1", "others": ["ticket_2", "raw"], "note": "ticket_1"}', session
    )

    assert UUID_A not in shown.text
    assert "ticket_1" in shown.text
    assert '["user_1","user_2"]' in shown.text
    assert shown.result.items[1] == {
        "id": UUID_B,
        "title": "second",
        "parent": UUID_A,
        "watchers": ["u-77", "u-78"],
    }
    assert received == [(UUID_A, [UUID_B, "raw"], "ticket_1")]
    assert "ticket_1" in back.text


async def test_a_name_of_another_session_or_none_is_refused_and_a_full_id_is_taken() -> None:
    received.clear()
    of = runtime(tickets, close)
    await answered(of, "tickets", session=Session())

    stranger = await answered(of, "close", '{"ticket": "ticket_1"}')
    full = await answered(of, "close", json.dumps({"ticket": UUID_A}))
    other_kind = await answered(of, "close", '{"ticket": "user_1"}')

    assert "'ticket_1' stands for no ticket of this session" in stranger.text
    assert not full.result.is_error
    assert not other_kind.result.is_error
    assert received == [(UUID_A, None, ""), ("user_1", None, "")]


async def test_ids_stay_short_in_json_and_in_what_a_cut_keeps() -> None:
    ids = [f"{n:040}" for n in range(100)]

    def rows(offset: Any = 0) -> Any:
        return ids[offset:]

    rows.__annotations__ = {"offset": Annotated[int, Param("skip")], "return": list[Annotated[str, Ref("row")]]}
    shown = tool(**perceiving(limit=100, continues="offset", budget=Budget(bytes=600), keep="tail"))(rows)

    text = await answered(runtime(shown), "rows")
    as_json = await answered(runtime(shown, form="json"), "rows")

    assert text.result.items[-1] == ids[-1]
    assert "row_100" in text.text
    assert ids[-1] not in text.text
    assert ids[-1] not in as_json.text
    assert json.loads(as_json.text)["items"][-1] == "row_100"


async def test_ids_are_shown_in_full_where_names_cannot_be_kept() -> None:
    class Failing(MemoryStore):
        async def reference(self, session_id: str, kind: str, originals: Any) -> list[str]:
            raise StoreError("the disk went away")

    answer = await answered(runtime(tickets, store=Failing()), "tickets")

    assert UUID_A in answer.text


async def test_a_page_goes_on_where_it_ended_counted_from_the_parameters_own_first_number() -> None:
    def lines(offset: Any = 1) -> Any:
        return [f"line {n}" for n in range(offset, 11)]

    lines.__annotations__ = {"offset": Annotated[int | None, Param("first line, from 1")], "return": list[str]}
    of = runtime(tool(**perceiving(limit=4, continues="offset", noun="line"))(lines))

    first = await answered(of, "lines")
    last = await answered(of, "lines", '{"offset": 9}')

    assert first.text.endswith('[4 of at least 10 items shown, limit 4; next: {"offset":5}]')
    assert first.result.summary == "4 lines"
    assert last.text == "2 lines\nline 9\nline 10"
    assert not last.result.truncated


@pytest.mark.parametrize(("given", "following"), [("{}", 3), ('{"offset": null}', 3), ('{"offset": 2}', 5)])
async def test_a_page_starts_at_the_first_item_where_no_place_was_given(given: str, following: int) -> None:
    def rows(offset: Any = None) -> Any:
        return list(range(offset or 0, 20))

    rows.__annotations__ = {"offset": Annotated[int | None, Param("skip")], "return": list[int]}
    answer = await answered(runtime(tool(**perceiving(limit=3, continues="offset"))(rows)), "rows", given)

    assert answer.result.truncation is not None
    assert answer.result.truncation.next == {"offset": following}


async def test_a_page_that_goes_on_by_a_mark_of_its_own_is_continued_by_the_tool_alone() -> None:
    def rows(cursor: Any = None) -> Any:
        return ToolResult(
            summary="2 rows",
            items=("a" * 200, "b" * 200),
            truncation=Truncation(shown=2, total=9, limit=Limit(name="limit", value=2), next={"cursor": "x2"}),
        )

    rows.__annotations__ = {"cursor": Annotated[str | None, Param("mark")], "return": ToolResult[str]}
    declare = tool(**perceiving(limit=2, continues="cursor"))
    small = tool(**perceiving(limit=2, continues="cursor", budget=Budget(bytes=400)))

    whole = await answered(runtime(declare(rows)), "rows")
    cut = await answered(runtime(small(rows), artifact_read), "rows", '{"cursor": "x0"}')

    assert whole.text.endswith('next: {"cursor":"x2"}]')
    assert cut.result.truncation is not None
    assert cut.result.truncation.next == {}
    assert cut.result.truncation.otherwise is not None
    assert cut.result.truncation.total == 9


async def test_a_limit_is_told_only_when_it_cut() -> None:
    @tool(**perceiving(limit=3, continues="offset"))
    def rows(offset: Annotated[int, Param("skip")] = 0) -> list[int]:
        return list(range(offset, 3))

    answer = await answered(runtime(rows), "rows")

    assert answer.text == "3 items\n0\n1\n2"
    assert "limit" not in answer.text


async def test_an_act_may_answer_with_more_than_its_limit_says() -> None:
    @tool(**acting(limit=1))
    def write() -> list[int]:
        return [1, 2]

    assert (await answered(runtime(write), "write")).result.items == (1, 2)


async def test_a_failure_too_long_for_its_budget_is_cut_and_told_and_kept_whole() -> None:
    @tool(**perceiving(budget=Budget(bytes=600)))
    def fails(long: Annotated[bool, Param("long")]) -> str:
        many = [Violation(path=f"a[{n}]", received="1", expected="text", next_step="change it") for n in range(30)]
        raise InvalidArguments("wrong " * (2000 if long else 1), "next " * 50, violations=many)

    of, session = runtime(fails, artifact_read), Session()
    for long in ("true", "false"):
        answer = await answered(of, "fails", f'{{"long": {long}}}', session)
        cut = answer.result.truncation
        assert len(answer.text.encode()) <= 600
        assert answer.text.startswith("error (invalid_arguments): wrong ")
        assert cut is not None
        assert cut.otherwise is not None
        assert cut.total > 1_000
        assert answer.text.endswith("]")
        blob = await of.store.blob(session.id, str(cut.otherwise.arguments["artifact"]))
        assert blob is not None
        assert b"a[29]" in await blob.read(0, blob.size)


@pytest.mark.parametrize("form", ["text", "json"])
async def test_a_refusal_too_long_for_its_budget_is_cut_too(form: Any) -> None:
    @tool(**perceiving(budget=Budget(bytes=900)))
    def refuses() -> str:
        raise Refused("no " * 5000, "ask " * 300)

    answer = await answered(runtime(refuses, form=form), "refuses")

    assert len(answer.text.encode()) <= 900
    assert "5000" not in answer.text
    assert answer.result.denied is not None
    assert answer.result.truncated


async def test_halves_of_surrogate_pairs_are_escaped_everywhere_and_told_b109() -> None:
    half = "a\ud800b"

    @tool(**acting())
    def odd(how: Annotated[str, Param("how")]) -> ToolResult[dict[str, Any]]:
        match how:
            case "failure":
                raise EnvironmentFailure(half, half)
            case "refusal":
                raise Refused(half, half)
            case _:
                return ToolResult(summary=half, items=({half: [half, 1, {"x": half}]},), notes=(half,))

    of, session = runtime(odd), Session()
    for how in ("items", "failure", "refusal"):
        answers = await of.answer(session, turn(("odd", f'{{"how": "{how}"}}'), id=how))
        again = await of.answer(session, turn(("odd", f'{{"how": "{how}"}}'), id=how))
        assert "a\\ud800b" in answers[0].text
        assert "halves of surrogate pairs" in answers[0].text
        answers[0].text.encode()
        assert again[0].text == answers[0].text
        json.dumps(answers[0].result.items, ensure_ascii=False).encode()


def made_of(**fields: Any) -> ToolResult[object]:
    """A result as a tool without type checks would make it."""
    return ToolResult(**fields)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (ToolResult(summary="x", status=Status.ERROR), "status error without failure"),
        (ToolResult(summary="x", status=Status.DENIED), "status denied without denied"),
        (ToolResult(summary="x", status=Status.PENDING), "status pending without pending"),
        (
            ToolResult(
                summary="x", failure=Failure(kind=FailureKind.RETRYABLE, problem="p", next_steps=("n",))
            ),
            "status success with failure",
        ),
        (made_of(summary=3), "summary must be text"),
        (made_of(summary="x", items="abc"), "items a tuple"),
        (ToolResult(summary="x", items=(3,)), "valid string"),
    ],
    ids=range(7),
)  # fmt: skip
async def test_a_result_that_contradicts_itself_is_the_hosts_fault_and_never_a_success(made: Any, says: str) -> None:
    heard: list[str] = []

    @tool(**perceiving())
    def odd() -> ToolResult[str]:
        return made

    answer = await answered(runtime(odd, on_defect=lambda defect: heard.append(defect.problem)), "odd")

    assert answer.result.failure is not None
    assert answer.result.failure.kind == "environment"
    assert answer.result.failure.outcome == "done"
    assert says in answer.text
    assert says in heard[0]


async def test_an_error_an_upstream_gives_is_not_held_to_its_success_schema_b104() -> None:
    error = ToolResult(
        summary="x",
        items=({"error": "x"},),
        status=Status.ERROR,
        failure=Failure(kind=FailureKind.ENVIRONMENT, problem="upstream says x", next_steps=("look",)),
    )
    upstream = schema_tool(
        "up",
        lambda given: error if given else "ok",
        parameters={"type": "object"},
        returns={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    )

    failed = await answered(runtime(upstream), "up", '{"fail": true}')
    missing = await answered(runtime(upstream), "up")

    assert failed.result.failure is not None
    assert failed.result.failure.problem == "upstream says x"
    assert failed.result.items == ({"error": "x"},)
    assert missing.result.failure is not None
    assert '"ok" is not of type "object"' in missing.text


def test_a_count_is_worded_as_people_count() -> None:
    assert [count_of(n, "entry") for n in (0, 1, 2, 1234)] == ["no entries", "1 entry", "2 entries", "1,234 entries"]
    assert count_of(2, "day") == "2 days"


@pytest.mark.parametrize(
    ("value", "summary"),
    [("done well", "done well"), ("", "empty text"), ("a\nb", "2 lines"), ("x" * 300, "1 line")],
    ids=["short", "empty", "lines", "long"],
)
async def test_a_text_is_its_own_conclusion_where_it_is_short(value: str, summary: str) -> None:
    @tool(**perceiving())
    def tell() -> str:
        return value

    @tool(**acting(name="act"))
    def nothing() -> None:
        return None

    assert (await answered(runtime(tell), "tell")).result.summary == summary
    assert (await answered(runtime(nothing), "act")).text == "done"


async def test_one_record_too_large_is_shown_in_part_and_kept_whole() -> None:
    @tool(**perceiving(budget=Budget(bytes=400)))
    def record() -> dict[str, str]:
        return {"text": "word " * 500}

    of, session = runtime(record, artifact_read), Session()
    answer = await answered(of, "record", session=session)

    assert answer.text.startswith("1 item\ntext: word word")
    assert answer.result.items == ()
    assert answer.result.truncation is not None
    assert answer.result.truncation.unit == "bytes"
    assert answer.result.artifact is not None
    assert answer.result.artifact.bytes == len("text: ") + 2500


async def test_what_a_tool_put_aside_itself_is_not_put_aside_again_when_its_answer_is_cut() -> None:
    @tool(**perceiving(budget=Budget(tokens=200)))
    async def recording(ctx: Context) -> ToolResult[str]:
        artifact = await ctx.part(Artifacts).keep(ctx.session, b"all of it" * 1_000, "text/plain")
        return ToolResult(summary="recorded", items=("some of it " * 500,), artifact=artifact)

    of, session = runtime(recording, artifact_read), Session()

    answer = await answered(of, "recording", session=session)

    kept = answer.result.artifact
    assert kept is not None
    assert kept.bytes == 9_000
    assert answer.result.truncation is not None
    assert kept.id in answer.text
    whole = await of.store.blob(session.id, kept.id)
    assert whole is not None
    assert await whole.read(0, 20) == b"all of itall of ital"
