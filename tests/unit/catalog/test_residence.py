"""Who stands in every request: the eight of the shelf, pinned ones, those used, and all while the set is small."""

from dataclasses import replace

import pytest

from hilt import schema_tool
from hilt.assembly.shelf import NAMES, shelf
from hilt.calls.tool import AnyTool
from hilt.catalog.bill import Row
from hilt.catalog.residence import (
    BUILT_IN,
    LEAST_USES,
    RESIDENT_BYTES,
    USED_SHARE,
    Defer,
    Wishes,
    declared_bytes,
    path_of,
    residents,
    settled,
    waiting_names,
)
from hilt.catalog.saving import LONG_TOKENS, advice
from hilt.tools.find_tools import find_tools


def upstream(name: str, size: int = 0, server: str = "eyes") -> AnyTool:
    made = schema_tool(name, lambda given: name, parameters={"type": "object"}, description="x" * size, server=server)
    return made.renamed(f"{server}__{name}")


SMALL = [upstream(f"small_{number}") for number in range(3)]
LARGE = [upstream(f"large_{number}", RESIDENT_BYTES // 5) for number in range(6)]


def test_of_the_shelf_eight_are_resident_and_the_listing_of_skills_where_there_is_one() -> None:
    tools = shelf().tools

    assert residents(tools, Wishes()) == {*BUILT_IN, "use_skill"}
    assert waiting_names(settled(tools, Wishes())) == set(NAMES) - {*BUILT_IN, "use_skill"}
    assert len(BUILT_IN) == 8


def test_other_tools_are_all_resident_while_they_are_small_together() -> None:
    assert residents([*SMALL, find_tools], Wishes()) == {*(each.name for each in SMALL), "find_tools"}
    assert residents([*SMALL, *LARGE], Wishes()) == frozenset()
    assert len(residents([*SMALL, *LARGE], Wishes(bytes=10 * RESIDENT_BYTES))) == 9


@pytest.mark.parametrize("pin", ["eyes__small_1", "eyes/small_1", "eyes/eyes__small_1"])
def test_what_is_pinned_never_waits(pin: str) -> None:
    assert residents([*SMALL, *LARGE], Wishes(pins=(pin,))) == {"eyes__small_1"}
    assert residents(SMALL, Wishes(pins=(pin,), defer="always")) == {"eyes__small_1"}
    assert "move_path" in residents(shelf().tools, Wishes(pins=("hilt/move_path",)))


def test_a_whole_server_is_pinned_by_a_star() -> None:
    mail = upstream("send", server="mail")

    assert residents([mail, *LARGE], Wishes(pins=("mail/*",))) == {"mail__send"}


def test_the_most_used_stay_within_a_share_of_the_budget() -> None:
    filling = [upstream(f"filling_{number}", RESIDENT_BYTES // USED_SHARE - 400) for number in range(2)]
    uses = {"eyes__filling_0": 90, "eyes__filling_1": 95, "eyes__small_0": 9, "eyes__small_1": LEAST_USES - 1}
    tools = [*SMALL, *LARGE, *filling]

    kept = residents(tools, Wishes(), uses)

    assert kept == {"eyes__filling_1", "eyes__small_0"}
    assert sum(declared_bytes(each) for each in tools if each.name in kept) <= RESIDENT_BYTES // USED_SHARE
    assert residents(tools, Wishes(defer="always"), uses) == frozenset()


@pytest.mark.parametrize(("defer", "resident"), [("never", True), ("always", False), ("auto", False)])
def test_what_its_author_lets_wait_waits_unless_nothing_is_to(defer: Defer, resident: bool) -> None:
    waits = replace(SMALL[0], handling=replace(SMALL[0].handling, deferred=True))

    assert ("eyes__small_0" in residents([waits], Wishes(defer=defer))) is resident
    assert settled([waits], Wishes(defer=defer))[0].handling.deferred is not resident


def test_tools_that_are_marked_as_they_should_be_stay_the_same_objects() -> None:
    tools = [*SMALL, find_tools]

    assert all(before is after for before, after in zip(tools, settled(tools, Wishes()), strict=True))
    assert [path_of(each) for each in tools] == ["eyes/small_0", "eyes/small_1", "eyes/small_2", "hilt/find_tools"]


def test_without_a_search_what_fits_is_not_left_out() -> None:
    waiting = settled([*SMALL, *LARGE], Wishes())

    assert waiting_names(waiting) == {"eyes__large_4", "eyes__large_5"}
    assert len(waiting_names([*waiting, find_tools])) == 9


def row(name: str, tokens: int, *, size: int = 0, server: str = "eyes", deferred: bool = False) -> Row:
    return Row(
        name=name, server=server, name_schema_bytes=1, description_bytes=1, bytes=size, tokens=tokens, deferred=deferred
    )


def test_advice_is_fewer_in_the_request_before_shorter_text_and_none_for_what_is_cheap() -> None:
    long = [row(f"long_{number}", LONG_TOKENS + number, size=RESIDENT_BYTES) for number in range(7)]
    short = row("short", LONG_TOKENS - 1, size=1)

    first, second = advice([short, *long])
    assert (first.do, first.tokens, len(first.tools)) == ("defer", sum(each.tokens for each in (short, *long)), 8)
    assert second.do == "shorten"
    assert second.tools[:2] == ("long_6", "long_5")
    assert second.text.endswith("and 2 more, 3,521 tokens together")
    assert [each.do for each in advice([replace(long[0], bytes=1)])] == ["shorten"]
    assert advice([short]) == ()
    assert advice([replace(each, deferred=True) for each in long]) == ()
    assert advice([replace(each, server="hilt") for each in long]) == ()
