"""What is shown of a decisive value is what it is, or a person is told which character deceives."""

import pytest

from hilt.calls.resolver import PathFact
from hilt.declarations.characters import MOST_NAMED, hidden_points
from hilt.declarations.effects import Effects, Role
from hilt.policy.facts import Facts
from hilt.review.hidden import HiddenReviewer
from hilt.review.reviewer import View


def view(value: object, role: Role = "destination", paths: tuple[PathFact, ...] = ()) -> View:
    arguments = {"to": value}
    effects = Effects(does=frozenset({"send"}), roles={"to": role})
    return View(
        tool="send", arguments=arguments, facts=Facts(tool="send", effects=effects, arguments=arguments, paths=paths)
    )


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("ann\u200b@example.org", "U+200B ZERO WIDTH SPACE at 4"),
        ("docs\u202egpj.exe", "U+202E RIGHT-TO-LEFT OVERRIDE at 5"),
        ("p\u0430ypal.com", "U+0430 CYRILLIC SMALL LETTER A at 2"),
        ("a\u00adb", "U+00AD SOFT HYPHEN at 2"),
        ("a\U000e0041b", "U+E0041 TAG LATIN CAPITAL LETTER A at 2"),
        ("a\x1b[2Jb", "U+001B without a name at 2"),
        ("a\u3164b", "U+3164 HANGUL FILLER at 2"),
        (["fine", "a\u2066b"], "U+2066 LEFT-TO-RIGHT ISOLATE at 2"),
    ],
)
async def test_a_deceiving_character_is_escalated_with_its_code_point_and_place(value: object, named: str) -> None:
    verdict = await HiddenReviewer().review(view(value))

    assert verdict.word == "escalate"
    assert f"to: {named}" in verdict.reason


@pytest.mark.parametrize(
    "value",
    [
        "ann@example.org",
        "Zoë Müller",
        "Анна",
        "Ωmega",
        "👩‍🚀.png",
        "می‌خواهم",
        "two\nlines\there",
        "東京.txt",
        "naïve café",
    ],
)
async def test_honest_writing_of_any_language_is_let_through(value: str) -> None:
    assert (await HiddenReviewer().review(view(value))).word == "approve"


async def test_content_is_not_looked_at_and_a_name_that_exists_is_what_it_is() -> None:
    odd = "a\u200bb.txt"
    there = PathFact(asked=odd, real=f"/w/{odd}", inside=True, kind="file")

    assert (await HiddenReviewer().review(view(odd, "content"))).word == "approve"
    assert (await HiddenReviewer().review(view(odd, "path", (there,)))).word == "approve"
    assert (await HiddenReviewer().review(View(tool="send", arguments={"to": odd}))).word == "approve"


def test_of_many_characters_the_first_few_are_named_and_the_rest_counted() -> None:
    assert hidden_points("a" + "\u200b" * (MOST_NAMED + 3))[-1] == "and 3 more"
