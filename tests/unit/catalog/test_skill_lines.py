"""The listing of skills: within its budget whatever there is, descriptions cut before names."""

from hypothesis import given
from hypothesis import strategies as st

from hilt.catalog.skill_lines import ALL, LISTING_CHARACTERS, SHARE_OF_WINDOW, listing_budget, skill_lines

NAMES = st.from_regex(r"[a-z]{1,12}(-[a-z]{1,12}){0,3}", fullmatch=True)
MARK = f"- and 999,999 more: {ALL}\n"


@given(
    st.dictionaries(
        NAMES, st.text(st.characters(codec="ascii", categories=["L", "Zs"]), min_size=1, max_size=300), max_size=40
    ),
    st.integers(len(MARK), 9_000),
)
def test_the_listing_keeps_its_budget_and_every_name_is_there_or_counted(skills: dict[str, str], budget: int) -> None:
    lines = skill_lines(skills, budget)

    assert sum(len(line) + 1 for line in lines) <= budget
    named = [line.removeprefix("- ").partition(":")[0] for line in lines]
    if lines and lines[-1].endswith(ALL):
        counted = int(lines[-1].split()[2].replace(",", ""))
        assert named[:-1] == list(skills)[: len(lines) - 1]
        assert len(lines) - 1 + counted == len(skills)
        assert all(":" not in line for line in lines[:-1])
    else:
        assert named == list(skills)


def test_all_descriptions_are_cut_to_one_length_and_at_a_word() -> None:
    lines = skill_lines(
        {"a": "short", "b": "a long description " * 20, "c": "another long text, with words " * 20}, 140
    )

    assert lines[0] == "- a: short"
    assert lines[1].endswith("…")
    assert lines[1].startswith("- b: a long description a long")
    assert abs(len(lines[1]) - len(lines[2])) < 15
    assert " …" not in "".join(lines)


def test_names_stand_alone_where_descriptions_would_say_nothing() -> None:
    assert skill_lines({"alpha": "x" * 100, "beta": "y" * 100}, 40) == ("- alpha", "- beta")


def test_the_budget_is_a_share_of_the_window_and_never_more_than_its_bound() -> None:
    assert listing_budget(None) == listing_budget(1_000_000) == LISTING_CHARACTERS == 8_000
    assert listing_budget(32_000) == int(32_000 * SHARE_OF_WINDOW * 4) == 2_560
