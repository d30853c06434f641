"""SKILL.md: what is read as written, what is repaired and told, and what is refused with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.documents.front_matter import DEEPEST, MOST_BYTES, BrokenFrontMatter, read_fields, split
from hilt.documents.skill_file import (
    LONGEST_COMPATIBILITY,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    SKILL_BYTES,
    SkillFile,
    read_skill,
)


def skill(*lines: str, body: str = "body\n", folder: str = "rows") -> SkillFile:
    return read_skill(("---\n" + "\n".join(lines) + "\n---\n" + body).encode(), folder)


def broken(*lines: str, folder: str = "rows") -> tuple[int, str, str]:
    with pytest.raises(BrokenFrontMatter) as caught:
        skill(*lines, folder=folder)
    return caught.value.line, caught.value.problem, caught.value.fix


def test_every_field_of_the_format_is_read_and_stays_text() -> None:
    read = skill(
        "name: rows",
        "description: >",
        "  Sort rows.",
        "  Use when: rows are many",
        "license: Apache-2.0",
        "compatibility: needs Python 3.10",
        "metadata:",
        "  version: 1.10",
        "  on: off",
        "  when: 2026-01-01",
        "allowed-tools: Read Bash(git add:*) Grep",
    )

    assert read == SkillFile(
        name="rows",
        description="Sort rows. Use when: rows are many",
        body="body\n",
        license="Apache-2.0",
        compatibility="needs Python 3.10",
        metadata={"version": "1.10", "on": "off", "when": "2026-01-01"},
        allowed_tools=("Read", "Bash(git add:*)", "Grep"),
    )


def test_a_mark_and_carriage_returns_change_nothing_and_the_body_keeps_its_bytes() -> None:
    text = "\ufeff---\r\nname: rows\r\ndescription: Sort: now\r\n---\r\n# Rows\r\n\r\nlast"

    read = read_skill(text.encode(), "rows")

    assert (read.name, read.description, read.body) == ("rows", "Sort: now", "# Rows\r\n\r\nlast")
    assert read.repairs == (
        "its description holds a colon that YAML takes in quotes only (line 3); read as it is written",
    )


@pytest.mark.parametrize(
    "written",
    ["Read, Grep", "[Read, Grep]", "Read Grep", "\n  - Read\n  - Grep", '"Read,Grep"'],
)
def test_allowed_tools_are_read_in_each_form_that_is_about(written: str) -> None:
    assert skill("name: rows", "description: x", f"allowed-tools: {written}").allowed_tools == ("Read", "Grep")


def test_an_empty_restriction_allows_nothing_and_none_is_none() -> None:
    assert skill("name: rows", "description: x", "allowed-tools:").allowed_tools == ()
    assert skill("name: rows", "description: x").allowed_tools is None


@pytest.mark.parametrize(
    ("lines", "description"),
    [
        (["description: Use when: now", "license: MIT"], "Use when: now"),
        (["description: Use: this", "  and: that"], "Use: this and: that"),
        (['description: say "yes": or \\n'], 'say "yes": or \\n'),
        (["license: MIT", "description: Files: a, b: c"], "Files: a, b: c"),
    ],
)
def test_a_colon_in_a_plain_description_has_one_meaning(lines: list[str], description: str) -> None:
    read = skill("name: rows", *lines)

    assert read.description == description
    assert len(read.repairs) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["description: Sort: all", "allowed-tools: Read"],
        ["description: Sort: all", "Allowed_Tools: Read"],
        ["description: Sort: all", "disable-model-invocation: true"],
        ["description: Sort: all # or not"],
        ["description: Sort: all", "license: a: b"],
        ["license: a: b", "description: Sort"],
        ["description: [a: b", "x"],
    ],
    ids=["allowed", "misspelt", "disabled", "comment", "second", "elsewhere", "bracket"],
)
def test_where_two_meanings_are_possible_or_a_restriction_stands_nothing_is_repaired(lines: list[str]) -> None:
    broken("name: rows", *lines)


def test_a_fault_below_a_repaired_description_keeps_its_line() -> None:
    line, problem, _ = broken("name: rows", "description: Use: this", "  and: that", "license: [a]")

    assert (line, problem) == (5, "license is a list, not text")


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (["name: rows"], 1, "description is missing"),
        (["name: rows", "description:"], 3, "description is empty"),
        (["name: rows", "description: [a]"], 3, "description is a list, not text"),
        (["name: rows", "description: {a: b}"], 3, "description is a map, not text"),
        (["name: Rows", "description: x"], 2, "the name 'Rows' is not of the form"),
        (["name: a--b", "description: x"], 2, "the name 'a--b' is not of the form"),
        (["name: other", "description: x"], 2, "the name other is not that of its folder, rows"),
        (["name: rows", "description: x", "description: y"], 4, "description is given twice"),
        (["name: rows", "description: x", "metadata: a"], 4, "metadata is no map"),
        (["name: rows", "description: x", "allowed-tools: {a: b}"], 4, "allowed-tools is no list of names"),
        (["name: rows", "description: x", "allowed-tools: [[a]]"], 4, "allowed-tools is no list of names"),
        (["name: rows", "description: x", "allowed_tools: a"], 4, "there is no field allowed_tools"),
        (["name: rows", "description: x", "disable-model-invocation: maybe"], 4, "disable-model-invocation is neither"),
        (["name: rows", "description: x", "metadata:", "\ta: b"], 5, "a tab where YAML takes spaces only"),
        (["name: rows", "description: &a x"], 3, "it uses a YAML anchor or alias"),
        (["name: rows", "description: *a"], 3, "it uses a YAML anchor or alias"),
        (["name: rows", "description: x", "? [a]", ": b"], 4, "a field's name is no text"),
        (["name: rows", "license: x", "description: a\x07b"], 4, "it is not YAML: unacceptable character"),
        (["name: rows", "description: 'x"], 4, "it is not YAML: "),
        (["- a"], 2, "the front matter is no list of fields"),
        (["# nothing"], 2, "the front matter is empty"),
        (["name: rows", "description: x", f"metadata: {'[' * 20}{']' * 20}"], 4, "it nests deeper than"),
        (["name: rows", "description: x", f"metadata: {'[' * 4000}{']' * 4000}"], 2, "it nests deeper than"),
    ],
)  # fmt: skip
def test_what_is_broken_is_told_with_its_line(lines: list[str], line: int, problem: str) -> None:
    told = broken(*lines)

    assert told[0] == line
    assert told[1].startswith(problem)
    assert told[2]


def test_bounds_are_those_of_the_format() -> None:
    assert skill(f"name: {'a' * LONGEST_NAME}", "description: x", folder="a" * LONGEST_NAME).name
    assert "not of the form" in broken(f"name: {'a' * 65}", "description: x", folder="a" * 65)[1]
    assert skill("name: rows", f"description: {'x' * LONGEST_DESCRIPTION}").description
    assert "the longest is 1,024" in broken("name: rows", f"description: {'x' * 1025}")[1]
    assert skill("name: rows", "description: x", f"compatibility: {'x' * LONGEST_COMPATIBILITY}").compatibility
    assert "the longest is 500" in broken("name: rows", "description: x", f"compatibility: {'x' * 501}")[1]
    assert f"more than {MOST_BYTES:,} bytes" in broken("name: rows", f"description: {'x' * MOST_BYTES}")[1]
    with pytest.raises(BrokenFrontMatter, match=f"more than {SKILL_BYTES:,} bytes"):
        skill("name: rows", "description: x", body="x" * SKILL_BYTES)
    assert DEEPEST == 8


def test_a_file_without_front_matter_and_one_that_is_no_utf8_say_so() -> None:
    for content, line, problem in (
        (b"# Rows\n", 1, "the file does not begin with front matter"),
        (b"", 1, "the file does not begin with front matter"),
        (b"\n---\nname: rows\n---\n", 1, "the file does not begin with front matter"),
        (b"---\nname: rows\n", 1, "the front matter has no end"),
        (b"---\nname: rows\ndescription: \xff\n---\n", 3, "it is not UTF-8"),
        ("---\nname: rows\n---\n".encode("utf-16"), 1, "it is not UTF-8"),
    ):
        with pytest.raises(BrokenFrontMatter) as caught:
            read_skill(content, "rows")
        assert (caught.value.line, caught.value.problem) == (line, problem)


def test_what_is_not_used_is_told_and_loses_no_skill() -> None:
    read = skill("name: rows", "description: x", "model: big", "metadata:", "  a: b", "  c: [d]")

    assert read.metadata == {"a": "b"}
    assert read.notes == ("metadata c: no text, left out", "not of the format and not used: model")
    assert skill("name: rows", "description: x", "metadata:").metadata == {}


def test_a_skill_for_people_alone_is_known_as_one() -> None:
    assert skill("name: rows", "description: x", "disable-model-invocation: yes").for_people_only
    assert not skill("name: rows", "description: x", "disable-model-invocation: false").for_people_only


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=300))
def test_the_body_is_what_stands_below_the_second_line_of_dashes(body: str) -> None:
    front, rest = split(f"---\nname: rows\n---\n{body}")

    assert (front, rest) == ("name: rows\n", body)


@given(st.text(st.sampled_from("abn:- #'\"[]{}&*!|>%@`,?\n\t\\"), max_size=60))
def test_any_front_matter_is_read_or_refused_with_a_line_that_exists(front: str) -> None:
    try:
        read_fields(front)
        return
    except BrokenFrontMatter as caught:
        error = caught
    assert 2 <= error.line <= front.count("\n") + 3
    assert (error.problem, error.fix) != ("", "")


@pytest.mark.parametrize(
    "name", ["allowedTools", "Allowed Tools", "ALLOWED_TOOLS", "allowed-tools\u200b", "disableModelInvocation"]
)
def test_a_restriction_whose_name_is_put_together_otherwise_is_not_dropped(name: str) -> None:
    line, problem, fix = broken("name: rows", "description: x", f"{name}: Read")

    assert (line, problem) == (4, f"there is no field {name}")
    assert fix in ("write allowed-tools", "write disable-model-invocation")


def test_a_restriction_that_a_merge_would_bring_in_is_not_dropped() -> None:
    assert broken("name: rows", "description: x", "<<: {allowed-tools: Read}") == (
        4,
        "it merges in fields with <<",
        "write each field out",
    )


@pytest.mark.parametrize("hidden", ["\\e[31m", "\\u202e", "\\u2066", "\\U000e0041", "\\0"])
def test_a_description_with_what_nobody_sees_is_not_listed(hidden: str) -> None:
    line, problem, fix = broken("name: rows", f'description: "sort {hidden} rows"')

    assert line == 3
    assert problem.startswith("the description holds U+")
    assert fix == "take it out"


def test_emoji_and_scripts_that_need_joiners_are_no_fault_of_a_description() -> None:
    text = "family \U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e\u0648 \u05e9\u05dc\u05d5\u05dd \u26a0\ufe0f"

    assert skill("name: rows", f"description: {text}").description == text
