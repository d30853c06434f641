"""The envelope's three readers: JSON by contract, text in few tokens, the ledger's own copy."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt import Aborted, Budget, EnvironmentFailure, Image, Limit, Retryable, ToolFailure, ToolResult, Truncation
from hilt.results.counting import QUARTER_BYTES, utf8_length
from hilt.results.cutting import OMISSION, cut_text, most_items
from hilt.results.envelope import (
    Adjustment,
    Artifact,
    Denied,
    Denier,
    Failure,
    OtherTool,
    Pending,
    Status,
)
from hilt.results.failures import FailureKind, Outcome, Refused, Violation
from hilt.results.form import to_json
from hilt.results.kept import keep, restore
from hilt.results.parts import Audio, FilePart
from hilt.results.render import LONGEST_GLIMPSE, cut_notice, model_text, plain_lines

EVERYTHING: ToolResult[object] = ToolResult(
    summary="s",
    items=({"a": [1, None, 2**70, 0.1, "é🦊"]}, "text"),
    status=Status.PARTIAL,
    truncation=Truncation(
        shown=2,
        total=9,
        total_is="at_least",
        unit="lines",
        limit=Limit(name="limit", value=2),
        next={"offset": 2},
        otherwise=OtherTool(tool="artifact_read", arguments={"artifact": "a", "offset": 7}),
    ),
    artifact=Artifact(id="a", bytes=3, media_type="text/plain", path="/p"),
    failure=Failure(
        kind=FailureKind.RETRYABLE,
        problem="p",
        next_steps=("n", "m"),
        retry_after_s=1.5,
        outcome=Outcome.DONE,
        violations=(Violation(path="a", received="1", expected="text", next_step="change a"),),
    ),
    denied=Denied(by=Denier.RULE, reason="r", next_steps=("n",), rule="x", asking_differently_helps=True),
    pending=Pending(handle="h", waiting_for="w", expires="2026-01-01T00:00:00Z"),
    adjustments=(Adjustment(what="a", before="[1]", after=[1], why="w"),),
    notes=("note",),
    parts=(
        Image(content=b"\x89PNG\x00\xff", media_type="image/png"),
        Audio(content=b"a", media_type="audio/wav"),
        FilePart(content=b"%PDF", media_type="application/pdf", name="a.pdf"),
    ),
)


def test_the_json_form_holds_every_field_by_the_contracts_names() -> None:
    document = to_json(EVERYTHING, versioned=True)

    assert document == {
        "schema_version": 1,
        "status": "partial",
        "summary": "s",
        "items": [{"a": [1, None, 2**70, 0.1, "é🦊"]}, "text"],
        "artifact": {"id": "a", "path": "/p", "bytes": 3, "media_type": "text/plain"},
        "truncated": True,
        "truncation": {
            "shown": 2,
            "total": 9,
            "total_is": "at_least",
            "unit": "lines",
            "limit": {"name": "limit", "value": 2},
            "next": {"offset": 2},
            "otherwise": {"tool": "artifact_read", "arguments": {"artifact": "a", "offset": 7}},
        },
        "failure": {
            "class": "retryable",
            "problem": "p",
            "next_steps": ["n", "m"],
            "retry_after_s": 1.5,
            "outcome": "done",
            "violations": [{"path": "a", "received": "1", "expected": "text", "next_step": "change a"}],
        },
        "denied": {"by": "rule", "rule": "x", "reason": "r", "asking_differently_helps": True, "next_steps": ["n"]},
        "pending": {"handle": "h", "waiting_for": "w", "expires": "2026-01-01T00:00:00Z"},
        "adjustments": [{"what": "a", "from": "[1]", "to": [1], "why": "w"}],
        "notes": ["note"],
        "parts": [
            {"type": "image", "media_type": "image/png", "bytes": 6, "content": "iVBORwD/"},
            {"type": "audio", "media_type": "audio/wav", "bytes": 1, "content": "YQ=="},
            {"type": "file", "media_type": "application/pdf", "name": "a.pdf", "bytes": 4, "content": "JVBERg=="},
        ],
    }
    json.dumps(document, allow_nan=False)


def test_an_empty_field_is_left_out_but_whether_it_was_cut_is_always_said() -> None:
    assert to_json(ToolResult(summary="s")) == {"status": "success", "summary": "s", "items": [], "truncated": False}
    bare = Failure(kind=FailureKind.ENVIRONMENT, problem="p", next_steps=("n",))
    document = to_json(ToolResult(summary="s", status=Status.ERROR, failure=bare))
    assert document["failure"] == {"class": "environment", "problem": "p", "next_steps": ["n"]}


def test_the_ledger_gives_back_every_field_and_the_very_text() -> None:
    assert restore(keep(EVERYTHING, "as\nread 🦊")) == (EVERYTHING, "as\nread 🦊")
    assert json.loads(keep(EVERYTHING, ""))["status"] == "partial"
    assert restore(keep(ToolResult(summary=""), "")).result == ToolResult(summary="")


plain = st.text(st.characters(exclude_categories=("Cs",)))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | plain,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(plain, below, max_size=3),
    max_leaves=10,
)


@given(items=st.lists(json_values, max_size=5), text=plain)
@settings(max_examples=100, derandomize=True)
def test_any_items_come_back_from_the_ledger_as_they_were(items: list[Any], text: str) -> None:
    result: ToolResult[object] = ToolResult(summary=text, items=tuple(items))

    assert restore(keep(result, text)) == (result, text)


def test_the_text_holds_everything_a_model_needs_in_order() -> None:
    failed = ToolResult[object](summary="x", status=Status.ERROR, failure=EVERYTHING.failure)
    denied = ToolResult[object](summary="x", status=Status.DENIED, denied=EVERYTHING.denied)
    pending = ToolResult[object](summary="x", status=Status.PENDING, pending=EVERYTHING.pending)
    partial = ToolResult[object](
        summary="2 hits", items=("a",), status=Status.PARTIAL, notes=("one folder unreadable",),
        adjustments=EVERYTHING.adjustments, truncation=EVERYTHING.truncation,
    )  # fmt: skip

    assert model_text(failed, "") == (
        "error (retryable, outcome done): p\n- a: received 1; expected text; change a\nwait 1.5 s\nnext: n; or: m"
    )
    assert model_text(denied, "") == "denied by rule x: r\nnext: n"
    assert model_text(pending, "") == "pending h: waiting for w until 2026-01-01T00:00:00Z"
    assert model_text(partial, "a") == (
        'partial: 2 hits\na\nadjusted a: "[1]" -> [1] (w)\nnote: one folder unreadable\n'
        '[2 of at least 9 lines shown, limit 2; next: {"offset":2}; or: artifact_read {"artifact":"a","offset":7}]'
    )
    assert (
        model_text(
            ToolResult(
                summary="denied", status=Status.DENIED, denied=Denied(by=Denier.LEDGER, reason="r", next_steps=("n",))
            ),
            "",
        )
        == "denied by ledger: r\nnext: n"
    )


def test_a_notice_names_the_one_way_there_is_or_says_that_there_is_none() -> None:
    cut = Truncation(shown=1, total=2, limit=Limit(name="limit", value=1), next={})

    assert cut_notice(cut).endswith(
        "limit 1; next: call again with narrower arguments; the rest cannot be read on from here]"
    )
    assert cut_notice(
        Truncation(
            shown=1, total=2, limit=Limit(name="limit", value=1), next={}, otherwise=OtherTool(tool="t", arguments={})
        )
    ).endswith("next: t {}]")


def test_a_long_value_of_an_adjustment_is_glimpsed() -> None:
    result = ToolResult[object](summary="s", adjustments=(Adjustment(what="a", before="x" * 1000, after=1, why="w"),))

    assert f'"{"x" * (LONGEST_GLIMPSE - 1)}... (1,002 characters) -> 1' in model_text(result, "")


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (("a", "b\nc"), "a\nb\nc"),
        (({"id": 1, "t": "a"}, {"id": 2, "t": "b | c"}), 'id | t\n1 | a\n2 | "b | c"'),
        (({"id": 1, "t": "x\ny"}, {"id": None, "t": True}), 'id | t\n1 | "x\\ny"\nnull | true'),
        (({"id": 1}, {"other": 2}), "id: 1\nother: 2"),
        (({"a": [1]}, {"a": [2]}), "a: [1]\na: [2]"),
        (({"a": {"b": 1}}, {"a": {"b": 1}}), 'a: {"b":1}\na: {"b":1}'),
        (({}, {}), "\n"),
        (({"id": 1, "text": "one"},), "id: 1, text: one"),
        (({"id": 1, "text": "one\ntwo"},), "id: 1\ntext: one\ntwo"),
        ((1, [2, "é"], None), '1\n[2,"é"]\nnull'),
        (({"a": 1}, "b"), "a: 1\nb"),
    ],
    ids=range(11),
)  # fmt: skip
def test_items_are_plain_lines_or_a_table_in_the_fewest_tokens(items: tuple[object, ...], text: str) -> None:
    assert plain_lines(items) == text


@pytest.mark.parametrize("failure", [ToolFailure, Retryable, Aborted, EnvironmentFailure, Refused])
@pytest.mark.parametrize("steps", [(), ("a", "b", "c")])
def test_a_failure_offers_one_or_two_ways_on(failure: type[Any], steps: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="one or two next steps, not"):
        failure("problem", *steps)


def test_failures_know_their_class_and_what_they_leave_behind() -> None:
    assert ToolFailure("p", "n").kind is FailureKind.ENVIRONMENT
    assert Aborted("p", "n").outcome is Outcome.UNKNOWN
    assert EnvironmentFailure("p", "n").outcome is None
    assert Retryable("p", "n", retry_after_s=2).retry_after_s == 2


def test_tokens_are_estimated_by_bytes_whatever_the_text() -> None:
    assert QUARTER_BYTES.count("") == 0
    assert QUARTER_BYTES.count("abcde") == 2
    assert utf8_length("é🦊") == 6
    assert utf8_length("\ud800") == 6
    assert Budget(tokens=5).fits("12345", lambda _: 99)
    assert not Budget(tokens=5).fits("123456", lambda _: 99)


@given(
    text=st.text(alphabet="ab🦊\n", max_size=60),
    most=st.integers(0, 60),
    keep_end=st.sampled_from(["head", "tail", "ends"]),
)
@settings(max_examples=200, derandomize=True)
def test_a_cut_counts_what_it_shows_to_the_byte(text: str, most: int, keep_end: Any) -> None:
    cut = cut_text(text, keep_end, lambda shown: len(shown) <= most)

    assert cut.total_bytes == len(text.encode())
    if cut.text == text:
        assert cut.shown_bytes == cut.total_bytes
    elif keep_end == "head":
        assert text.startswith(cut.text)
        assert cut.shown_bytes == len(cut.text.encode())
    elif keep_end == "tail":
        assert text.endswith(cut.text)
    else:
        first, _, last = cut.text.partition(OMISSION)
        assert text.startswith(first)
        assert text.endswith(last)
        assert cut.shown_bytes == len((first + last).encode())
    assert len(cut.text) <= max(most, len(OMISSION) if keep_end == "ends" else 0)


@given(items=st.lists(st.integers(1, 9)), most=st.integers(0, 60), keep_end=st.sampled_from(["head", "tail", "ends"]))
@settings(max_examples=200, derandomize=True)
def test_the_most_items_that_fit_are_kept_from_the_end_asked_for(items: list[int], most: int, keep_end: Any) -> None:
    kept = most_items(items, keep_end, lambda some: sum(some) <= most)

    assert sum(kept) <= most
    if keep_end == "head":
        assert list(kept) == items[: len(kept)]
        assert len(kept) == len(items) or sum(items[: len(kept) + 1]) > most
    if keep_end == "tail":
        assert list(kept) == items[len(items) - len(kept) :]
