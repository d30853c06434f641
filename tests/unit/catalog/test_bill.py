"""What a set of declarations costs."""

import json

from hypothesis import given
from hypothesis import strategies as st

from hilt.catalog.bill import Entry, bill, declared_text
from hilt.declarations.declaration import Declaration
from hilt.declarations.description import plain_description
from hilt.results.counting import QUARTER_BYTES, Counter

words = st.text(max_size=60)
entries = st.lists(
    st.builds(
        lambda name, server, text, parameter, deferred: entry(name, server, text, parameter, deferred=deferred),
        words,
        st.sampled_from(["a", "b", "c"]),
        words,
        words,
        st.booleans(),
    ),
    max_size=12,
)
counters = st.sampled_from([QUARTER_BYTES, Counter(name="words", count=lambda text: len(text.split()))])


def entry(name: str, server: str = "a", text: str = "", parameter: str = "x", *, deferred: bool = False) -> Entry:
    parameters = {"type": "object", "properties": {parameter: {"type": "string"}}}
    declaration = Declaration(
        name=name, kind="act", description=plain_description(text), parameters=parameters, returns={}
    )
    return Entry(server=server, declaration=declaration, description=text, deferred=deferred)


@given(entries, counters)
def test_the_rows_and_the_preamble_add_up_to_the_total(made: list[Entry], counter: Counter) -> None:
    whole = bill(made, counter)

    assert whole.preamble + sum(row.tokens for row in whole.rows) == whole.total
    assert whole.preamble + sum(each.total for each in whole.by_server().values()) == whole.total
    assert whole.total - whole.resident == sum(row.tokens for row in whole.rows if row.deferred)
    assert (whole.preamble == 0) == (made == [])
    assert whole.counter == counter.name


@given(entries)
def test_leaving_a_tool_out_saves_what_its_row_says(made: list[Entry]) -> None:
    whole = bill(made, QUARTER_BYTES)

    for place, row in enumerate(whole.rows):
        without = bill([*made[:place], *made[place + 1 :]], QUARTER_BYTES)
        preamble = whole.preamble - without.preamble
        assert whole.total - without.total == row.tokens + preamble


def test_a_row_tells_the_description_apart_from_name_and_schema() -> None:
    (row,) = bill([entry("café", text="größer", parameter="ü")], QUARTER_BYTES).rows

    assert row.description_bytes == len("größer".encode())
    bare = '{"name":"café","input_schema":{"type":"object","properties":{"ü":{"type":"string"}}}}'
    assert row.name_schema_bytes == len(bare.encode())
    assert row.bytes == len(declared_text("café", "größer", json.loads(bare)["input_schema"]).encode())


def test_servers_stand_in_the_order_they_come() -> None:
    whole = bill([entry("one", "b"), entry("two", "a"), entry("three", "b")], QUARTER_BYTES)

    assert {name: len(each.rows) for name, each in whole.by_server().items()} == {"b": 2, "a": 1}
