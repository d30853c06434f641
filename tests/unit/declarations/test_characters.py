"""Which characters of a text nobody sees, and how they are shown."""

import pytest

from hilt.declarations.characters import MOST_NAMED, hidden_points, mixed, shown, unseen


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\r\nof two lines",
        "Zoë Müller, Анна, Ωmega, 東京",
        "sun \u2600\ufe0f, text \u2600\ufe0e, key 1\ufe0f\u20e3, love \u2764\ufe0f",
        "family 👨\u200d👩\u200d👧, flag \U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ],
)
def test_honest_writing_hides_nothing(text: str) -> None:
    assert list(unseen(text)) == []
    assert shown(text) == text


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x1b",
        "\x7f",
        "\x9b",
        "\u00ad",
        "\u034f",
        "\u180b",
        "\u200b",
        "\u200d",
        "\u202e",
        "\u2028",
        "\u2060",
        "\ufe00",
        "\ufe0f",
        "\ufeff",
        "\U000e0001",
        "\U000e0041",
        "\U000e01ef",
        "\U000e0fff",
        "\U000f0000",
    ],
)
def test_a_character_without_a_shape_is_shown_as_its_code_point(character: str) -> None:
    text = f"a{character}b"

    assert list(unseen(text)) == [1]
    assert shown(text) == f"a<U+{ord(character):04X}>b"


def test_of_selectors_in_a_row_one_says_how_a_symbol_is_drawn_and_the_others_hide() -> None:
    assert shown("\u2600\ufe0f\ufe0f\U000e0120") == "\u2600\ufe0f<U+FE0F><U+E0120>"
    assert shown("\ufe0fa") == "<U+FE0F>a"


def test_letters_of_another_script_count_inside_a_latin_word_alone() -> None:
    assert list(mixed("pass\u0430word \u0410\u043d\u043d\u0430 5 k\u03a9 \u0430")) == [4]


def test_of_many_characters_the_first_few_are_named_and_the_rest_counted() -> None:
    points = hidden_points("\u0430b" + "\u200b" * (MOST_NAMED + 2))

    assert points[0] == "U+0430 CYRILLIC SMALL LETTER A at 1"
    assert points[-1] == "and 3 more"
    assert len(points) == MOST_NAMED + 1
