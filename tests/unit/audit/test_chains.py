"""Closed chains, how many there are, and the smallest cut."""

from itertools import combinations

import pytest

from hilt.audit.chains import closed_chains
from hilt.audit.findings import findings, witnesses
from hilt.audit.legs import LEGS, Audited, Leg, Showing
from hilt.declarations.effects import Effects

NAMES: dict[str, Leg] = {"P": "private", "T": "third_party", "W": "way_out"}


def made(name: str, legs: str, effects: Effects | None = None) -> Audited:
    showings = tuple(Showing(leg=NAMES[each], basis="shown", why=f"{name} is made so") for each in legs)
    nothing = Effects(reads="none", brings="own", does=frozenset())
    return Audited(server="one", name=name, label=name, showings=showings, effects=effects or nothing)


def several(*legs: str) -> list[Audited]:
    return [made(f"tool{number}", each) for number, each in enumerate(legs)]


SETS = [
    [],
    ["P", "T"],
    ["PT", "PT", "T"],
    ["TW", "W"],
    ["P", "T", "W"],
    ["PT", "W", "TW"],
    ["PTW"],
    ["PTW", "PT", "W", "P", "T"],
    ["PT", "PT", "TW", "PW", "W", "W", "", "P"],
    ["PT", "TW", "PW"],
]


@pytest.mark.parametrize("legs", SETS, ids=" ".join)
def test_the_chains_are_all_smallest_sets_of_tools_that_close_and_are_counted_right(legs: list[str]) -> None:
    tools = several(*legs)
    chains = closed_chains(tools)

    listed = [frozenset(each.label for each in chain.tools) for chain in chains.chains()]

    assert set(listed) == by_trying(tools)
    assert len(listed) == len(set(listed)) == chains.total


def by_trying(tools: list[Audited]) -> set[frozenset[str]]:
    """Every set that has all legs, and that has not without one of it."""

    def closes(some: tuple[Audited, ...]) -> bool:
        return frozenset(leg for each in some for leg in each.legs()) == frozenset(LEGS)

    sets = [some for size in range(1, len(tools) + 1) for some in combinations(tools, size) if closes(some)]
    smallest = [some for some in sets if not any(closes(tuple(t for t in some if t is not left)) for left in some)]
    return {frozenset(each.label for each in some) for some in smallest}


@pytest.mark.parametrize("legs", SETS, ids=" ".join)
def test_nothing_is_closed_without_the_cut_and_no_smaller_cut_exists(legs: list[str]) -> None:
    tools = several(*legs)
    chains = closed_chains(tools)
    cut = {each.label for each in chains.cut}

    assert not closed_chains([each for each in tools if each.label not in cut]).closed
    for size in range(len(cut)):
        for some in combinations(tools, size):
            assert closed_chains([each for each in tools if each not in some]).closed


def test_each_leg_of_a_chain_is_brought_by_a_tool_that_has_it() -> None:
    for chain in closed_chains(several("PT", "TW", "PW", "W", "P")).chains():
        assert all(leg in tool.legs() for leg, tool in chain.legs.items())
        assert {tool.label for tool in chain.legs.values()} == {each.label for each in chain.tools}


def test_the_cut_is_ways_out_where_several_legs_are_as_small() -> None:
    assert closed_chains(several("P", "T", "W")).smallest == "way_out"


def test_each_way_out_has_a_witness() -> None:
    chains = closed_chains(several("PT", "W", "TW", "PTW", "W"))

    assert {each.legs["way_out"].label for each in witnesses(chains)} == {"tool1", "tool2", "tool3", "tool4"}
    assert list(witnesses(closed_chains(several("PT")))) == []


def test_hundreds_of_tools_are_counted_without_listing_their_chains() -> None:
    chains = closed_chains(several(*["P"] * 400, *["T"] * 400, *["W"] * 400))

    assert chains.total == 400**3
    assert next(iter(chains.chains())).legs["way_out"].label == "tool800"


def test_what_content_can_order_and_where_credentials_can_go_is_said() -> None:
    destroys = Effects(reads="none", brings="own", does=frozenset({"destroy"}))
    secret = Audited(server="one", name="secret", label="secret", showings=(), effects=destroys, secrets=True)
    tools = [made("page", "T"), made("mail", "W"), made("wipe", "", destroys), secret]

    codes = {each.rule.code: each for each in findings(tools, closed_chains(tools))}

    assert [each.label for each in codes["S614"].tools] == ["secret"]
    assert [each.label for each in codes["S615"].tools] == ["wipe", "secret"]
    assert "S601" not in codes
