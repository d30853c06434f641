"""What a model writes arrives as it wrote it, or the call is refused; nothing between is possible."""

import json
from typing import Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hilt import Param, Session, ToolResult, schema_tool, tool
from hilt.results.failures import FailureKind
from tests.kit import answered, perceiving, runtime
from tests.properties.strategies import HOSTILE, floats, integers, scalars, texts, values

Json = Any  # a JSON value has no narrower type that hypothesis and pydantic share
received: list[object] = []

DECLARED: dict[str, Any] = {
    "text": str,
    "text_or_null": str | None,
    "text_or_list": str | list[int],
    "integer": int,
    "integer_or_null": int | None,
    "number": float,
    "switch": bool,
    "texts": list[str],
    "numbers": list[float],
    "record": dict[str, int],
    "anything": Any,
    "records": list[dict[str, Any]],
}


def keeper(hint: Any) -> Any:
    def keep_value(x: Any) -> str:
        received.append(x)
        return "kept"

    keep_value.__annotations__ = {"x": Annotated[hint, Param("any value")], "return": str}
    return tool(name="keep_value", **perceiving())(keep_value)


RUNTIMES = {name: runtime(keeper(hint)) for name, hint in DECLARED.items()}
FOREIGN = runtime(schema_tool("keep_value", lambda given: received.append(given["x"]), parameters={"type": "object"}))


async def sent(declared: str, value: Json, text: str | None = None) -> ToolResult[object]:
    received.clear()
    of = FOREIGN if declared == "foreign" else RUNTIMES[declared]
    return (await answered(of, "keep_value", text or json.dumps({"x": value}))).result


@given(value=values, ascii_only=st.booleans())
@settings(max_examples=100, derandomize=True)
@pytest.mark.parametrize("declared", ["anything", "foreign"])
async def test_any_value_arrives_unaltered_where_anything_is_declared(
    declared: str, value: Json, ascii_only: bool
) -> None:
    result = await sent(declared, value, json.dumps({"x": value}, ensure_ascii=ascii_only))

    assert not result.is_error, result
    assert same(received[0], value)
    assert result.adjustments == ()


@given(value=values)
@settings(max_examples=60, derandomize=True)
@pytest.mark.parametrize("declared", sorted(DECLARED))
async def test_a_value_arrives_unaltered_or_told_or_the_call_is_refused(declared: str, value: Json) -> None:
    result = await sent(declared, value)

    if result.is_error:
        assert result.failure is not None
        assert result.failure.kind is FailureKind.INVALID_ARGUMENTS
        assert result.failure.next_steps
        assert received == []
    else:
        assert same(received[0], value) or result.adjustments


@given(text=texts)
@settings(max_examples=100, derandomize=True)
@pytest.mark.parametrize("declared", ["text", "text_or_null", "text_or_list", "foreign"])
async def test_text_arrives_byte_for_byte_whatever_it_looks_like_b92(declared: str, text: str) -> None:
    result = await sent(declared, text)

    assert not result.is_error
    assert received == [text]
    assert isinstance(received[0], str)
    assert result.adjustments == ()


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("declared", ["text", "text_or_null", "text_or_list"])
async def test_known_hostile_text_is_never_converted(declared: str, text: str) -> None:
    await sent(declared, text)

    assert received == [text]


@given(value=st.one_of(integers, floats))
@example(value=2**53 + 1)
@example(value=1e23)
@example(value=10**400)
@settings(max_examples=100, derandomize=True)
@pytest.mark.parametrize("declared", ["integer", "number"])
async def test_a_number_keeps_its_value_or_says_that_it_could_not_b94(declared: str, value: float) -> None:
    result = await sent(declared, value)

    if result.is_error:
        assert received == []
    elif received[0] != value:
        assert [each.before for each in result.adjustments] == [value]
        assert [each.after for each in result.adjustments] == [received[0]]


@given(text=st.text(max_size=60))
@settings(max_examples=200, derandomize=True)
async def test_any_argument_text_at_all_is_answered_and_never_raises(text: str) -> None:
    result = await sent("text", None, text)

    assert result.is_error or received


@given(value=values.filter(lambda each: isinstance(each, (list, dict))))
@settings(max_examples=100, derandomize=True)
async def test_json_text_is_read_as_a_list_only_where_text_is_impossible_b91(value: Json) -> None:
    inner = json.dumps(value)

    await sent("text_or_list", inner)
    assert received == [inner]

    result = await sent("numbers", inner)
    if not result.is_error:
        assert result.adjustments[0].before == inner
        assert same(received[0], value) or result.adjustments[1].after == received[0]


@given(value=scalars)
@settings(max_examples=100, derandomize=True)
async def test_the_same_value_has_one_digest_however_it_is_written(value: Json) -> None:
    of = RUNTIMES["anything"]
    session = Session()
    texts_of_it = [json.dumps({"x": value}), json.dumps({"x": value}, ensure_ascii=False, indent=2)]
    for text in texts_of_it:
        await answered(of, "keep_value", text, session)

    digests = [each.facts["digest"] for each in of.trace if each.step == "decode" and each.session == session.id]  # type: ignore[attr-defined]  # the trace in memory can be read
    assert len(digests) == 2
    assert len(set(digests)) == 1


def same(one: object, other: object) -> bool:
    """Equal, and of equal kind at every depth: `True` is not 1, text is not a number; 3 and 3.0 are one number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other
