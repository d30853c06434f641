"""Names of upstream tools on the wire."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.catalog.naming import LONGEST, STYLES, Style, wire_name_of, wire_names

CLIENTS_LONGEST = 64
# Names as servers write them, and as an attacker would: letters that meet the separator, and foreign ones.
NAMES = st.text("ab_-.é/ 中0f", min_size=1, max_size=70)
PAIRS = st.tuples(NAMES, NAMES)
STYLE = st.sampled_from(STYLES)


@pytest.mark.parametrize("style", STYLES)
def test_a_plain_pair_is_read_from_its_name(style: Style) -> None:
    expected = {"prefix": "git__git_status", "suffix": "git_status__git"}

    assert wire_name_of("git", "git_status", style) == expected[style]


@given(PAIRS, STYLE)
def test_a_name_made_to_look_like_another_ones_digest_is_another_name(pair: tuple[str, str], style: Style) -> None:
    name = wire_name_of(*pair, style)
    server, mark, tool = name.partition("__") if style == "prefix" else name.rpartition("__")
    if style == "suffix":
        server, tool = tool, server

    if mark and (server, tool) != pair:
        assert wire_name_of(server, tool, style) != name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b__c"), ("a__b", "c")),
        (("a_", "b"), ("a", "_b")),
        (("s", "x" * 80), ("s", "x" * 80 + "y")),
        (("s", "foo.list"), ("s", "foo/list")),
        (("s", "查询订单"), ("s", "查询")),
    ],
)
@pytest.mark.parametrize("style", STYLES)
def test_pairs_that_look_alike_are_told_apart(one: tuple[str, str], other: tuple[str, str], style: Style) -> None:
    assert wire_name_of(*one, style) != wire_name_of(*other, style)


def pairs_of(shared: Path) -> list[tuple[str, str]]:
    files = [each for each in sorted((shared / "data" / "toolsets").glob("*.json")) if each.stem != "agentdojo"]
    return [(file.stem, str(tool["name"])) for file in files for tool in json.loads(file.read_bytes())["tools"]]


def test_the_names_of_the_714_tools_need_no_digest_but_for_the_longest(shared: Path) -> None:
    pairs = pairs_of(shared)

    named = wire_names(pairs)

    assert len(set(named.values())) == len(pairs)
    changed = [pair for pair, name in named.items() if name != "__".join(pair)]
    assert all(len("__".join(pair)) > LONGEST for pair in changed)
