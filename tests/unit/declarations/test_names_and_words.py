"""Names every provider takes, descriptions that fit the session, effects and what follows from them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt import Description, Effects
from hilt.declarations.description import Environment, plain_description
from hilt.declarations.effects import UNDECLARED
from hilt.declarations.names import LONGEST_NAME, NAME_PATTERN, allowed, nearest, wire_name


@given(st.text(min_size=1, max_size=200))
@settings(max_examples=200, derandomize=True)
def test_any_name_has_one_wire_name_that_every_provider_takes(name: str) -> None:
    wire = wire_name(name)

    assert NAME_PATTERN.fullmatch(wire)
    assert wire == wire_name(name)
    assert (wire == name) == allowed(name)


def test_names_that_clean_to_the_same_stay_apart_and_none_moves_another_b101() -> None:
    names = [
        "foo.list",
        "foo/list",
        "foo list",
        "foo-list",
        "foo_list",
        "查询订单",
        "查询",
        "…",
        "a" * 80 + "1",
        "a" * 80 + "2",
        "\ud800",
    ]
    wires = [wire_name(name) for name in names]

    assert len(set(wires)) == len(names)
    assert all(len(wire) <= LONGEST_NAME for wire in wires)
    assert wires[3:5] == ["foo-list", "foo_list"]
    assert wires[5].startswith("tool_")
    assert wires == [wire_name(name) for name in names]


def test_the_nearest_names_are_found_whatever_their_case_and_dashes() -> None:
    names = ["read_file", "write_file", "search_code"]

    assert nearest("readFile", names)[0] == "read_file"
    assert nearest("READ-FILE", names)[0] == "read_file"
    assert nearest("rm", names) == ()


def test_a_description_is_three_or_four_sentences_and_names_only_tools_that_are_offered() -> None:
    words = Description(
        use_for="finding open tickets",
        not_for={"one ticket": "ticket_read", "closed ones": "archive"},
        returns="one item a ticket;  no bodies",
        inputs="one customer",
        changes="limit=0 lifts the limit!",
        never="send it twice",
        traps=lambda environment: f"on {environment.platform} paths differ",
        cost="",
    )

    text = words.render(Environment(offered={"archive"}, platform="linux"))
    assert text == (
        "Finding open tickets. Not for one ticket; closed ones (use archive). Returns one item a ticket; no bodies. "
        "Input: one customer. Limit=0 lifts the limit! Never send it twice. On linux paths differ."
    )
    assert words.render(Environment(), compact=True) == (
        "Finding open tickets. Not for one ticket; closed ones. Returns one item a ticket; no bodies."
    )
    assert Description(use_for="a", returns="b", not_for="c").render(Environment()) == "A. Not for c. Returns b."
    assert plain_description("As  it\nwas.").render(Environment()) == "As it was."


def test_effects_that_are_not_declared_are_all_of_them() -> None:
    assert UNDECLARED.actions == ("read", "fetch", "write", "run", "send", "destroy", "credential", "spend")
    assert UNDECLARED.destructive
    assert UNDECLARED.open_world
    assert not UNDECLARED.read_only
    careful = Effects(reads="none", brings="own", does=frozenset({"write"}), undoable=True)
    assert careful.actions == ("read", "write")
    assert not careful.destructive
    assert not careful.open_world


@pytest.mark.parametrize("deed", ["write", "destroy"])
def test_what_can_be_put_back_destroys_nothing_unless_it_says_so(deed: str) -> None:
    effects = Effects(does=frozenset({deed}), undoable=True)  # type: ignore[arg-type]  # a deed

    assert effects.destructive is (deed == "destroy")
