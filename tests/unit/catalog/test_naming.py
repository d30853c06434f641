"""Names of upstream tools on the wire."""

import json
import re
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
def test_req_B7_every_name_fits_behind_a_clients_own_prefix(pair: tuple[str, str], style: Style) -> None:
    name = wire_name_of(*pair, style)

    assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    assert len(name) <= LONGEST
    assert len(f"mcp__hilt__{name}") <= CLIENTS_LONGEST


@given(st.lists(PAIRS, unique=True, max_size=40), STYLE)
def test_req_B7_no_two_pairs_share_a_name(pairs: list[tuple[str, str]], style: Style) -> None:
    assert len({wire_name_of(*pair, style) for pair in pairs}) == len(pairs)


@given(st.lists(PAIRS, max_size=20), st.lists(PAIRS, max_size=20), STYLE)
def test_req_B7_a_name_stays_when_servers_are_added(
    before: list[tuple[str, str]], added: list[tuple[str, str]], style: Style
) -> None:
    first, then = wire_names(before, style), wire_names([*added, *before], style)

    assert {pair: then[pair] for pair in first} == first


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


def test_the_names_of_the_714_tools_need_no_digest_but_for_the_longest(shared: Path) -> None:
    pairs = [
        (file.stem, str(tool["name"]))
        for file in sorted((shared / "data" / "toolsets").glob("*.json"))
        for tool in json.loads(file.read_bytes())["tools"]
    ]

    named = wire_names(pairs)

    assert len(set(named.values())) == len(pairs)
    changed = [pair for pair, name in named.items() if name != "__".join(pair)]
    assert all(len("__".join(pair)) > LONGEST for pair in changed)
