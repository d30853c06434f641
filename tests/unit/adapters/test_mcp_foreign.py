"""Other people's MCP servers: their declarations as tools, their results as ours."""

import json
from base64 import b64encode
from collections.abc import Mapping

import pytest
from mcp_types import CallToolResult, ImageContent, TextContent

from hilt.adapters.mcp_foreign import (
    LONGEST_WORD,
    MOST_BLOCKS,
    MOST_LEFT_OUT,
    MOST_PARTS,
    MOST_VALUES,
    read_result,
    tool_from_mcp,
)
from hilt.calls.returns import SchemaReturns
from hilt.calls.session import Session
from hilt.declarations.effects import UNDECLARED
from hilt.declarations.names import allowed
from hilt.errors import DeclarationError
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import Artifact, Status, ToolResult
from hilt.results.failures import FailureKind, Outcome
from hilt.results.parts import Audio, FilePart, Image
from hilt.runtime.runtime import Runtime
from tests.unit.adapters.samples import JPEG, PNG

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
PROMISE = SchemaReturns(OBJECT, "count")
OPEN = Policy(rules=(Rule(word="allow"),))


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def image(content: bytes, media_type: str = "image/png") -> dict[str, object]:
    return {"type": "image", "data": b64encode(content).decode(), "mimeType": media_type}


async def read(promise: SchemaReturns | None = None, /, **form: object) -> ToolResult[object]:
    return await read_result({"content": [], **form}, tool="count", promise=promise)


async def kept(content: bytes, media_type: str) -> Artifact:
    return Artifact(id="art_1", bytes=len(content), media_type=media_type, path="/tmp/art_1")


@pytest.mark.parametrize(
    ("structured", "says"),
    [(None, "it returned none"), ({"n": "x"}, '"x" is not of type "integer"'), ({}, '"n" is a required property')],
    ids=["none", "type", "missing"],
)
async def test_a_broken_promise_is_a_failure_that_keeps_the_text(structured: object, says: str) -> None:
    """case-B103."""
    result = await read(PROMISE, content=[text("ok")], structuredContent=structured)

    assert result.status is Status.ERROR
    assert result.failure is not None
    assert (result.failure.kind, result.failure.outcome) == (FailureKind.ENVIRONMENT, Outcome.DONE)
    assert result.failure.problem.startswith('count broke its declared output: expected an object (["n"])')
    assert says in result.failure.problem
    assert result.items[0] == "ok"


@pytest.mark.parametrize(
    "form",
    [
        {"content": [text('{"error":"x"}')]},
        {"structuredContent": {"error": "x"}},
        {"content": [text("x")], "structuredContent": {"error": "x"}},
    ],
    ids=["text", "structured", "both"],
)
async def test_an_error_need_not_fit_the_promise(form: dict[str, object]) -> None:
    """case-B104."""
    result = await read(PROMISE, isError=True, **form)

    assert result.status is Status.ERROR
    assert "x" in result.summary
    assert "broke" not in result.summary


async def test_an_error_without_a_word_says_that_much() -> None:
    assert (await read(isError=True)).summary == "count failed without a word"


@pytest.mark.parametrize(
    ("form", "items", "summary"),
    [
        ({"content": [text("a"), text("b")]}, ("a\nb",), "1 text"),
        ({"structuredContent": {"n": 1}}, ({"n": 1},), "1 object"),
        ({"content": [text('{"n": 1}')], "structuredContent": {"n": 1}}, ({"n": 1},), "1 object"),
        ({"content": [text("{one}")], "structuredContent": {"n": 1}}, ("{one}", {"n": 1}), "1 text, 1 object"),
        ({"content": [text("ok")], "structuredContent": {"result": "ok"}}, ("ok",), "1 text"),
        ({"content": [text("[1]")], "structuredContent": {"result": [1]}}, ({"result": [1]},), "1 object"),
        ({"content": [text("3")], "structuredContent": {"result": 3}}, ({"result": 3},), "1 object"),
        ({"content": [text("[" * 9_999)], "structuredContent": {"n": 1}}, ("[" * 9_999, {"n": 1}), "1 text, 1 object"),
        ({}, (), "done, and nothing returned"),
        ({"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]}, ("a file:///a",), "1 text"),
        ({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "t"}}]}, ("a:b\nt",), "1 text"),
    ],
    ids=["texts", "structured", "same", "different", "bare", "list", "number", "deep", "nothing", "link", "resource"],
)  # fmt: skip
async def test_what_came_is_all_there_and_nothing_twice(
    form: dict[str, object], items: tuple[object, ...], summary: str
) -> None:
    result = await read(None, **form)

    assert result.items == items
    assert result.summary == summary


async def test_pictures_are_kept_in_order_and_alone_are_not_nothing() -> None:
    """case-B106."""
    result = await read(content=[image(PNG), text("between"), image(PNG + b"2")])
    alone = await read(content=[image(PNG)])

    assert result.parts == (
        Image(content=PNG, media_type="image/png"),
        Image(content=PNG + b"2", media_type="image/png"),
    )
    assert result.items == ("between",)
    assert (alone.summary, alone.notes) == ("1 image", ())


@pytest.mark.parametrize(
    ("block", "says"),
    [
        (image(JPEG), "its bytes are image/jpeg"),
        (image(b"<svg/>", "image/svg+xml"), "image/svg+xml, 6 bytes"),
        (image(PNG + bytes(4_000_000)), "4,000,016 bytes"),
        ({**image(PNG), "data": "not base64!"}, "it is not base64"),
        ({"type": "hologram"}, "unknown type 'hologram'"),
    ],
    ids=["mislabelled", "unsupported", "oversized", "broken", "unknown"],
)
async def test_a_part_that_no_model_can_be_shown_is_a_note_and_an_artifact(block: dict[str, object], says: str) -> None:
    """case-B106."""
    result = await read_result({"content": [block]}, tool="t", keep=kept)

    (note,) = result.notes
    assert says in note
    assert result.parts == ()
    assert len(note) < 300
    if "bytes" in says:
        assert note.endswith("kept as /tmp/art_1]")
        assert result.artifact is not None


async def test_sound_and_files_are_parts_too() -> None:
    wav = {"type": "audio", "data": b64encode(b"RIFF").decode(), "mimeType": "audio/wav"}
    blob = {"uri": "file:///r.pdf", "mimeType": "application/pdf", "blob": b64encode(b"%PDF-").decode()}
    result = await read(content=[wav, {"type": "resource", "resource": blob}])

    assert result.parts == (
        Audio(content=b"RIFF", media_type="audio/wav"),
        FilePart(content=b"%PDF-", media_type="application/pdf", name="r.pdf"),
    )
    assert result.summary == "1 audio, 1 file"


@pytest.mark.parametrize("name", ["foo.list", "foo/list", "查询订单", "a" * 80, "fine"])
async def test_the_upstream_is_called_by_its_own_name_whatever_ours_is(name: str) -> None:
    """case-B101."""
    asked: list[tuple[str, Mapping[str, object]]] = []

    async def call(called: str, arguments: Mapping[str, object]) -> object:
        asked.append((called, arguments))
        return CallToolResult(content=[TextContent(text="done")])

    made = tool_from_mcp({"name": name, "inputSchema": {"type": "object"}}, call)
    runtime = Runtime([made], policy=OPEN)
    result = await runtime.call(Session(), made.name, {"x": 1})

    assert allowed(made.name)
    assert asked == [(name, {"x": 1})]
    assert result.items == ("done",)


async def test_a_foreign_tool_goes_the_whole_road() -> None:
    async def call(called: str, arguments: Mapping[str, object]) -> object:
        picture = ImageContent(data=b64encode(PNG).decode(), mime_type="image/png")
        return CallToolResult(content=[picture], structured_content={"n": "none"})

    declaration = {"name": "count", "description": "Counts.", "inputSchema": OBJECT, "outputSchema": OBJECT}
    made = tool_from_mcp(declaration, call)
    runtime = Runtime([made], policy=OPEN)
    session = Session()
    broken = await runtime.answer_one(session, "count", {"n": 1})
    refused = await runtime.call(session, "count", {"n": "1"})

    assert made.declaration.returns == OBJECT
    assert broken.result.is_error
    assert "count broke its declared output" in broken.text
    assert json.dumps({"n": "none"}, separators=(",", ":")) in broken.text or "n: none" in broken.text
    assert len(broken.result.parts) == 1
    assert refused.failure is not None
    assert refused.failure.kind is FailureKind.INVALID_ARGUMENTS


def test_what_an_upstream_says_of_itself_counts_for_nothing() -> None:
    async def call(called: str, arguments: Mapping[str, object]) -> object:
        return {}

    made = tool_from_mcp({"name": "t", "title": "T", "annotations": {"readOnlyHint": True}}, call)

    assert made.declaration.effects == UNDECLARED
    assert made.declaration.annotations == {"readOnlyHint": True}


def test_a_schema_that_cannot_be_used_is_refused_when_it_is_read() -> None:
    async def call(called: str, arguments: Mapping[str, object]) -> object:
        return {}

    with pytest.raises(DeclarationError):
        tool_from_mcp({"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/no"}}}}, call)


async def test_blocks_that_nobody_knows_and_words_without_end_do_not_push_out_what_was_said() -> None:
    strange = [{"type": f"strange {place}"} for place in range(300)]
    long = [{"type": "k" * 5_000_000}, {"type": "image", "data": "!", "mimeType": "m" * 5_000_000}, {"type": ["a"] * 9}]
    result = await read(content=[text("said"), *long, *strange])

    assert result.items == ("said",)
    assert len(result.notes) == MOST_LEFT_OUT + 1
    assert result.notes[-1] == f"[{303 - MOST_LEFT_OUT} more blocks are left out]"
    assert all(len(each) < 3 * LONGEST_WORD and each.isprintable() for each in result.notes)


async def test_no_more_pictures_of_one_result_are_shown_than_a_provider_takes() -> None:
    result = await read(content=[image(PNG)] * (MOST_PARTS + 2))
    assert len(result.parts) == MOST_PARTS
    assert [f"at most {MOST_PARTS} of one result" in each for each in result.notes] == [True, True]


async def test_blocks_beyond_those_that_are_read_are_told() -> None:
    result = await read(content=[text("a")] * (MOST_BLOCKS + 1))
    assert result.items == ("\n".join(["a"] * MOST_BLOCKS),)
    assert result.notes == (f"[only its first {MOST_BLOCKS:,} blocks are read]",)


@pytest.mark.parametrize("content", [b"<html>no picture</html>", b"\0\0\0"])
@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "image/gif", "image/webp"])
async def test_a_picture_that_is_none_reaches_no_provider(content: bytes, media_type: str) -> None:
    """A provider refuses it, and with it each later request of the session."""
    result = await read(content=[image(content, media_type)])
    assert result.parts == ()
    assert f"its bytes are no {media_type}" in result.notes[0]


async def test_a_structured_content_of_values_without_number_is_a_text() -> None:
    """Walked through value by value, sixteen megabytes of empty lists held up everything for twelve seconds."""
    vast = {"a": [[]] * MOST_VALUES}
    result = await read(PROMISE, structuredContent=vast)
    assert result.status is Status.SUCCESS
    assert result.items == (json.dumps(vast, separators=(",", ":")),)
    assert "given as text, unchecked" in result.notes[0]


@pytest.mark.parametrize(
    "more",
    [
        {"description": "half \ud83d"},
        {"annotations": {"title": "\ud83d"}},
        {"outputSchema": {"type": "object", "description": "\ud83d"}},
        {"inputSchema": {"type": "object", "properties": {"a": {"enum": ["\udc00"]}}}},
    ],
    ids=["description", "annotations", "output", "enum"],
)
async def test_a_declaration_with_halves_of_characters_is_none(more: Mapping[str, object]) -> None:
    """One of them cost a client the list of all tools, other servers' too."""

    async def call(name: str, arguments: dict[str, object]) -> object:
        raise AssertionError(name, arguments)

    with pytest.raises(DeclarationError, match="halves of characters"):
        tool_from_mcp({"name": "t", "inputSchema": {"type": "object"}, **more}, call)
