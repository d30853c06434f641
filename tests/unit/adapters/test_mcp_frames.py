"""Frames are read without altering a byte, or refused under the id they came with."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.adapters.mcp_frames import INVALID_REQUEST, PARSE_ERROR, FrameFault, Lines, read_frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":%s}}'


def fault(line: str | bytes) -> FrameFault:
    with pytest.raises(FrameFault) as caught:
        read_frame(line.encode() if isinstance(line, str) else line)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 18446744073709551617, "f": 0.10, "e": 1E3}',
        '{"a":1,"a":2}',
        "[1, 2]",
        '"{}"',
        '{"n": NaN}',
        r'{"half": "\ud83e", "quote": "\u0022"}',
        '{"big": ' + "9" * 6_000 + "}",
        '{ "space" :\t"\u00a0\u201cBOM\ufeff" }',
    ],
    ids=["numbers", "twice", "list", "text", "nan", "escapes", "digits", "characters"],
)
def test_the_text_of_a_calls_arguments_is_kept_as_it_came(text: str) -> None:
    frame = read_frame((CALL % text).encode())

    assert frame.arguments == text
    assert frame.message["params"] == {"name": "t", "arguments": {}}


def test_arguments_are_found_wherever_they_stand_in_the_frame() -> None:
    params = '{"_meta":{"arguments":[9]},"arguments":{"x":[1]},"name":"t"}'
    line = f'{{"params":{params},"method":"tools/call","id":"a","jsonrpc":"2.0"}}'

    assert read_frame(line.encode()).arguments == '{"x":[1]}'


def test_absent_and_null_arguments_are_none_given() -> None:
    absent = read_frame(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}')

    assert absent.arguments is None
    assert read_frame((CALL % "null").encode()).arguments == "{}"


def test_arguments_of_another_method_are_read_like_all_else() -> None:
    frame = read_frame(b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"arguments":{"a":"b"}}}')

    assert frame.message["params"] == {"arguments": {"a": "b"}}
    assert fault('{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":1,"a":2}}}').code == PARSE_ERROR


@given(JSON, JSON)
def test_any_message_comes_out_as_it_went_in(value: object, other: object) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": value, "arguments": other}}

    assert read_frame(json.dumps(message).encode()).message == message
    assert read_frame(json.dumps(message, ensure_ascii=False, indent=1).encode("utf-8", "replace")) is not None


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ('{"jsonrpc":"2.0","id":5,"method":"tools/ca', 5),
        ('{"jsonrpc":"2.0","id":"five","method":"x","params":{"arguments":{"id":9}', "five"),
        ('{"jsonrpc":"2.0","method":"x","params":{"id":9', None),
        ("starting the server...", None),
        ('{"jsonrpc":"2.0","id":5,"method":"x"} {}', 5),
        ('{"jsonrpc":"2.0","id":5,"id":6,"method":"x"}', 5),
        ('{"jsonrpc":"2.0","id":5,"method":"x","params":{"_meta":{"a":1,"a":2}}}', 5),
        ('{"jsonrpc":"2.0","id":5,"method":"x","params":{"v":Infinity}}', 5),
        ('{"jsonrpc":"2.0","id":5,"method":"x",}', 5),
        ('{"jsonrpc":"2.0","id":5 "method":"x"}', 5),
        ("", None),
    ],
    ids=["half", "inside", "inner-id", "prose", "trailing", "two-ids", "meta", "infinite", "comma", "colon", "nothing"],
)  # fmt: skip
def test_what_is_no_json_is_a_parse_error_under_the_id_that_could_be_read(line: str, id: object) -> None:
    caught = fault(line)

    assert (caught.code, caught.id) == (PARSE_ERROR, id)


def test_bytes_that_are_not_utf8_are_refused_and_never_mended() -> None:
    caught = fault(b'{"jsonrpc":"2.0","method":"x","params":{"a":"\xff"},"id":5}')

    assert (caught.code, caught.id, caught.problem) == (PARSE_ERROR, 5, "byte 45 of the frame is not UTF-8")


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None),
        ('{"id":5,"method":"x"}', 5),
        ('{"jsonrpc":"1.0","id":5,"method":"x"}', 5),
        ('{"jsonrpc":"2.0","id":null,"method":"x"}', None),
        ('{"jsonrpc":"2.0","id":true,"method":"x"}', None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', None),
        ('{"jsonrpc":"2.0","id":5,"method":7}', 5),
        ('{"jsonrpc":"2.0","id":5}', 5),
        ('{"jsonrpc":"2.0","id":5,"result":{},"error":{}}', 5),
        ('{"jsonrpc":"2.0","id":5,"method":"x","params":[1]}', 5),
        ('{"jsonrpc":"2.0","id":5,"method":"x","params":' + "[" * 5_000 + "]" * 5_000 + "}", 5),
    ],
    ids=["batch", "bare", "old", "null", "bool", "float", "method", "empty", "both", "list", "deep"],
)
def test_json_that_is_no_message_is_an_invalid_request(line: str, id: object) -> None:
    caught = fault(line)

    assert (caught.code, caught.id) == (INVALID_REQUEST, id)
    assert json.loads(caught.answer())["id"] == id


def test_frames_are_cut_at_line_feeds_however_the_bytes_arrive() -> None:
    sent = b'{"a":1}\n\n  \r\n{"b":2}\n{"c":3}'
    for size in range(1, len(sent) + 1):
        lines = Lines(100)
        found = [line for at in range(0, len(sent), size) for line in lines.feed(sent[at : at + size])]

        assert [*found, *lines.rest()] == [b'{"a":1}', b'{"b":2}', b'{"c":3}']
        assert list(lines.rest()) == []


def test_a_frame_over_the_limit_is_refused_once_and_skipped() -> None:
    long = b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"' + b"x" * 500 + b'"}}\n'
    for size in (10, 64, 10_000):
        lines = Lines(100)
        sent = long + b'{"next":1}\n'
        first, second = [line for at in range(0, len(sent), size) for line in lines.feed(sent[at : at + size])]

        assert isinstance(first, FrameFault)
        assert (first.code, first.id, first.problem) == (INVALID_REQUEST, 5, "a frame has at most 100 bytes")
        assert second == b'{"next":1}'


def test_the_key_that_is_given_twice_is_found_among_hundreds_of_thousands() -> None:
    """Counted one by one they took a time squared: minutes, in which nothing else had its turn."""
    members = ",".join(f'"{each}":1' for each in range(300_000))
    assert "'299999' is given twice" in fault(f'{{"jsonrpc":"2.0","id":1,"result":{{{members},"299999":2}}}}').problem
