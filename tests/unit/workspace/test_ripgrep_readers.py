"""Ripgrep's output means the same however it is cut into blocks."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.results.failures import EnvironmentFailure
from hilt.workspace.search.lines import LineReader
from hilt.workspace.search.matches import LONGEST_ROW, MOST_LINES, MatchReader
from hilt.workspace.search.text import CUT, shown_line
from hilt.workspace.search.window import Hit, Window

LONGEST = 1_000
ROWS = b"".join(b"/f\0%d:1:needle %d\n" % (number, number) for number in range(1, 40))
SPACED_ROWS = b"".join(
    b"/f\0%d:1:needle\n" % number if number % 3 == 0 else b"/f\0%d-1:2:other\n" % number for number in range(1, 61)
)
CONTEXT_ROWS = b"/f\x001-zero\n/f\x002:3:a needle\n/f\x003-12:3:no match\n/f\x005:1:needle\n/f\x006:1:needle\n"


def blocks(output: bytes, cuts: Sequence[int]) -> list[bytes]:
    borders = sorted({0, len(output), *(cut % (len(output) + 1) for cut in cuts)})
    return [output[start:stop] for start, stop in pairwise(borders)]


def read_lines(output: bytes, cuts: Sequence[int], *, skip: int, take: int, around: int = 0) -> list[Hit]:
    window = Window(skip=skip, take=take, before=around, after=around)
    reader = LineReader({b"/f": window}, LONGEST)
    for block in blocks(output, cuts):
        assert reader.feed(block)
    return window.hits()


@given(st.lists(st.integers(0, len(ROWS)), max_size=8), st.integers(0, 45), st.integers(1, 10))
def test_plain_rows_are_skipped_and_taken_exactly_wherever_blocks_end(cuts: list[int], skip: int, take: int) -> None:
    hits = read_lines(ROWS, cuts, skip=skip, take=take)

    assert [hit.line for hit in hits] == list(range(1, 40))[skip : skip + take]
    assert [hit.text for hit in hits] == [f"needle {hit.line}" for hit in hits]


@given(
    st.lists(st.integers(0, len(SPACED_ROWS)), max_size=8),
    st.integers(0, 25),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_rows_before_a_page_deep_in_a_file_are_not_lost(cuts: list[int], skip: int, take: int, around: int) -> None:
    whole = read_lines(SPACED_ROWS, [], skip=0, take=20, around=around)

    assert read_lines(SPACED_ROWS, cuts, skip=skip, take=take, around=around) == whole[skip : skip + take]


@given(st.lists(st.integers(0, len(CONTEXT_ROWS)), max_size=8))
def test_rows_around_matches_are_told_from_them_wherever_blocks_end(cuts: list[int]) -> None:
    first, second = read_lines(CONTEXT_ROWS, cuts, skip=0, take=2, around=1)

    assert (first.line, first.text, first.before, first.after) == (2, "a needle", ("zero",), ("12:3:no match",))
    assert (second.line, second.before, second.after) == (5, (), ("needle",))


def test_a_line_longer_than_was_handed_over_is_shown_by_its_beginning_or_by_its_place() -> None:
    near, far = read_lines(
        b"/f\x001:3:xxneedle" + b"y" * LONGEST + b" [... 1 more match]\n/f\x002:5000:" + b"z" * (LONGEST + 30) + b"\n",
        [],
        skip=0,
        take=2,
    )

    assert near.text.startswith("xxneedle")
    assert near.cut
    assert far.text == f"[a match at byte 5,000 of a line of over {LONGEST:,} bytes]"
    assert far.cut


def match_row(lines: str, spans: Sequence[tuple[int, int]], number: int = 1) -> bytes:
    row = {
        "type": "match",
        "data": {
            "path": {"text": "/f"},
            "lines": {"text": lines},
            "line_number": number,
            "submatches": [{"match": {"text": ""}, "start": start, "end": end} for start, end in spans],
        },
    }
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def read_matches(output: bytes, cuts: Sequence[int], *, skip: int = 0, take: int = 10) -> list[Hit]:
    window = Window(skip=skip, take=take, before=1, after=1)
    reader = MatchReader({b"/f": window})
    for block in blocks(output, cuts):
        assert reader.feed(block)
    return window.hits()


@given(st.lists(st.integers(0, 600), max_size=8), st.integers(0, 3))
def test_matches_of_one_row_are_told_apart_wherever_blocks_end(cuts: list[int], skip: int) -> None:
    output = b'{"type":"begin"}\n' + match_row("a\nb\na\nb\nc\n", [(0, 3), (4, 7)]) + match_row("a\nb\n", [(0, 3)], 9)

    hits = read_matches(output, cuts, skip=skip)

    assert [(hit.line, hit.text) for hit in hits] == [(1, "a\nb"), (3, "a\nb"), (9, "a\nb")][skip:]


def test_a_match_of_many_lines_shows_the_first_and_says_how_many_follow() -> None:
    (hit,) = read_matches(match_row("x\n" * 100, [(0, 200)]), [])

    assert hit.text == "x\n" * MOST_LINES + f"{CUT} {100 - MOST_LINES} more lines"
    assert hit.cut


def test_adjoining_matches_too_long_to_hold_are_refused_with_another_way() -> None:
    reader = MatchReader({b"/f": Window(skip=0, take=1, before=0, after=0)})
    block = b"x" * (LONGEST_ROW // 4)

    for _ in range(4):
        assert reader.feed(block)
    with pytest.raises(EnvironmentFailure) as caught:
        reader.feed(b"x")

    assert "counts" in caught.value.next_steps[0]


@given(st.binary(max_size=3_000), st.integers(0, 3_000))
def test_any_line_is_shown_within_the_bound(line: bytes, column: int) -> None:
    line = line.replace(b"\n", b" ")

    shown = shown_line(line, min(column, len(line)), longest=100)

    assert len(shown.text) <= 100
    if not shown.cut and not shown.escaped:
        assert shown.text.encode() == line.removesuffix(b"\r")
