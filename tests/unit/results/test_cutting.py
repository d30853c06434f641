"""Whether a text keeps within a budget: the same word as a full count, and at no price that grows with the rest."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.assembly.counter import counter
from hilt.results.cutting import Budget

EXACT = counter()


@given(text=st.text(min_size=1, max_size=400), times=st.integers(1, 40), tokens=st.integers(1, 60))
def test_a_text_fits_if_and_only_if_its_tokens_do(text: str, times: int, tokens: int) -> None:
    whole = text * times

    assert Budget(tokens=tokens).fits(whole, EXACT.count) == (EXACT.count(whole) <= tokens)


@pytest.mark.parametrize("piece", ["y", "the quick brown fox ", "错", "a1", "{}\n"])
def test_of_a_text_that_is_much_too_long_only_the_start_is_counted(piece: str) -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return EXACT.count(text)

    assert not Budget(tokens=100).fits(piece * 100_000, count)
    assert sum(counted) <= 100 * 40


def test_a_long_text_of_few_tokens_is_counted_in_growing_parts() -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return EXACT.count(text)

    assert Budget(tokens=100).fits(" " * 10_000, count)
    assert counted[-1] == 10_000
    assert all(later >= 4 * earlier or later == 10_000 for earlier, later in pairwise(counted))
