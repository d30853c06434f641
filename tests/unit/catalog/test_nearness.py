"""Nearness in meaning, and finding by it."""

from array import array
from collections.abc import Sequence
from math import isclose, sqrt

from hypothesis import given
from hypothesis import strategies as st

from hilt.catalog.nearness import Nearness
from hilt.catalog.ranking import Document, Index
from hilt.catalog.wordpieces import FULL, LONGEST_WORD, Wordpieces, pieces_of, split_words

NAMES = ["[UNK]", "un", "##believ", "##able", "cafe", "dog", "hound", "invoice", "."]
ROWS = [(0, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9), (5, 5, 5), (30, 1, -2), (28, 2, -1), (-9, 31, 7), (0, 0, 0)]


def table(weight: float = 1.0) -> Wordpieces:
    names = "\n".join(NAMES).encode()
    header = len(names).to_bytes(4, "little") + len(ROWS[0]).to_bytes(4, "little")
    rows = b"".join(array("b", row).tobytes() for row in ROWS)
    return Wordpieces(header + names + rows, weight=weight)


def vector(*numbers: int) -> bytes:
    return array("b", numbers).tobytes()


def plain_cosine(one: Sequence[int], other: Sequence[int]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    length = sqrt(sum(a * a for a in one)) * sqrt(sum(b * b for b in other))
    return product / length if length else 0.0


numbers = st.integers(-128, 127)


@given(
    rows=st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=9),
    asked=st.tuples(*[numbers] * 4),
)
def test_the_cosine_of_all_at_once_is_that_of_each_alone(rows: list[tuple[int, ...]], asked: tuple[int, ...]) -> None:
    found = Nearness([vector(*each) for each in rows]).cosines(vector(*asked))

    assert all(isclose(got, plain_cosine(asked, each), abs_tol=1e-9) for got, each in zip(found, rows, strict=True))


def test_the_widest_vectors_do_not_run_into_each_other() -> None:
    wide = [vector(*[-128] * 512), vector(*[127] * 512), vector(*[0] * 512)]

    assert [round(each, 6) for each in Nearness(wide).cosines(vector(*[-128] * 512))] == [1, -1, 0]


def test_nothing_to_compare_is_no_nearness() -> None:
    assert Nearness([]).cosines(b"") == []
    assert Nearness([vector(1, 2)]).cosines(vector(1, 2, 3)) == [0]


def test_words_are_cut_as_the_vocabulary_has_them() -> None:
    known = {name: number for number, name in enumerate(NAMES)}

    assert split_words("Un-Believable café, x_y 不") == ["un", "-", "believable", "cafe", ",", "x", "_", "y", "不"]
    assert list(pieces_of("unbelievable", known)) == [1, 2, 3]
    assert list(pieces_of("unbelieving", known)) == []
    assert list(pieces_of("un" + "believ" * LONGEST_WORD, known)) == []


def test_the_vector_of_a_text_is_the_sum_of_its_pieces_at_full_width() -> None:
    assert list(array("b", table().vectors(["unbelievable café"])[0])) == [FULL, FULL, FULL]
    assert list(array("b", table().vectors(["invoice"])[0])) == [-9 * FULL // 31, FULL, 7 * FULL // 31]
    assert table().vectors(["zzz 不", ""]) == [bytes(3), bytes(3)]
    assert table().pieces["dog"] == NAMES.index("dog")


TOOLS = [
    Document(server="shop", name="send_invoice", description="Bill a customer", parameters={}),
    Document(server="pets", name="walk_hound", description="Go out", parameters={"properties": {"hound": {}}}),
    Document(server="pets", name="walk_dog", description="Go out", parameters={"properties": {"dog": {}}}),
]


def test_a_tool_without_any_word_of_the_need_is_found_by_meaning() -> None:
    assert Index(TOOLS).find("dog").places == (2,)
    found = Index(TOOLS, table()).find("dog")

    assert found.places == (2, 1)
    assert found.unmatched == ()


def test_what_is_near_goes_by_how_near_it_is_and_what_is_far_is_not_found() -> None:
    assert Index(TOOLS, table()).find("hound +walk").places == (1, 2)
    assert Index(TOOLS, table(weight=50)).find("out dog").places[0] == 2
    assert Index([], table()).find("dog").places == ()
