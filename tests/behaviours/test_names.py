"""Promises on the names of upstream tools."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hilt.assembly.counter import counter
from hilt.catalog.naming import LONGEST, STYLES, Style, wire_name_of, wire_names

CLIENTS_LONGEST = 64
# Names as servers write them, and as an attacker would: letters that meet the separator, and foreign ones.
NAMES = st.text("ab_-.é/ 中0f", min_size=1, max_size=70)
PAIRS = st.tuples(NAMES, NAMES)
STYLE = st.sampled_from(STYLES)


def pairs_of(shared: Path) -> list[tuple[str, str]]:
    files = [each for each in sorted((shared / "data" / "toolsets").glob("*.json")) if each.stem != "agentdojo"]
    return [(file.stem, str(tool["name"])) for file in files for tool in json.loads(file.read_bytes())["tools"]]


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


def test_req_B7_prefix_and_suffix_cost_the_same_of_714_tools(
    shared: Path, record_property: Callable[[str, object], None]
) -> None:
    counted = counter("auto")
    cost = {style: sum(counted.count(wire_name_of(*pair, style)) for pair in pairs_of(shared)) for style in STYLES}

    assert abs(cost["prefix"] - cost["suffix"]) <= cost["prefix"] / 20
    record_property("report", f"names of 714 tools: {cost} tokens ({counted.name})")
