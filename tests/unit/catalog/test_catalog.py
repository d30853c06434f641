"""Which tools there are: in order, by wire or original name, resident or deferred, and what a wrong name may mean."""

from collections.abc import Mapping

import pytest

from hilt import Context, Description, Session, schema_tool, tool
from hilt.catalog.catalog import Catalog, Withheld
from hilt.catalog.residence import RESIDENT_BYTES
from hilt.errors import DeclarationError
from hilt.tools.find_tools import find_tools
from tests.kit import answered, perceiving, runtime


def foreign(name: str) -> object:
    return schema_tool(name, lambda given: name, parameters={"type": "object"}, kind="perceive")


async def test_an_upstream_gets_its_own_name_back_whatever_stands_on_the_wire_b101() -> None:
    names = ["foo.list", "foo/list", "查询订单", "a" * 80 + "1", "a" * 80 + "2"]
    of = runtime(*map(foreign, names))

    wires = list(of.catalog.by_name)
    assert len(set(wires)) == 5
    for wire, name in zip(wires, names, strict=True):
        assert (await answered(of, wire)).result.items == (name,)
        assert (await answered(of, name)).result.items == (name,)


def test_an_original_name_that_two_tools_have_means_neither() -> None:
    made = tool(name="look", **perceiving())(_look)
    catalog = Catalog([made.renamed("a"), made.renamed("b")])

    assert catalog.get("look") is None
    assert catalog.get("a") is not None
    with pytest.raises(DeclarationError, match="two tools are named 'a'"):
        catalog.add(made.renamed("a"))


def test_tools_keep_their_order_and_their_place_resident_or_waiting() -> None:
    later = tool(name="later", **perceiving(deferred=True))(_look)
    now = tool(name="now", **perceiving())(_look)
    catalog = Catalog([later, now, find_tools])

    assert [each.name for each in catalog] == ["later", "now", "find_tools"]
    assert [each.name for each in catalog.offered()] == ["now", "find_tools"]
    assert [each.name for each in catalog.deferred()] == ["later"]
    assert [each.name for each in catalog.offered({"later": None})] == ["now", "find_tools", "later"]
    assert catalog.deferred({"later": None}) == ()
    assert catalog.names() == {"now", "find_tools"}
    assert catalog.names({"later": None, "gone": None}) == catalog.everything == {"later", "now", "find_tools"}
    assert catalog.waiting == {"own": ("later",)}
    assert "now" in catalog
    assert len(catalog) == 3
    assert catalog.nearest("nwo") == ("now",)
    assert catalog.remove("now") is now
    assert catalog.remove("now") is None
    assert catalog.names() == {"find_tools"}


def test_what_waits_is_offered_where_nothing_can_find_it_as_far_as_the_budget_goes() -> None:
    long = Description(use_for="x" * (RESIDENT_BYTES - 1_000), returns="y")
    first, large, small = (
        tool(name=name, **perceiving(deferred=True, description=words))(_look)
        for name, words in (("first", long), ("large", long), ("small", Description(use_for="x", returns="y")))
    )
    catalog = Catalog([first, large, small])

    assert catalog.names() == {"first", "small"}
    assert [each.name for each in catalog.deferred()] == ["large"]
    catalog.add(find_tools)
    assert catalog.names() == {"find_tools"}


def test_what_is_kept_back_is_known_and_whoever_listens_hears_each_change() -> None:
    made = tool(name="look", **perceiving())(_look)
    catalog = Catalog([made])
    heard: list[int] = []
    catalog.listen(lambda: heard.append(len(catalog)))

    catalog.withhold(Withheld(name="look", why="quarantined", reason="it changed", step="hilt pins", server="eyes"))
    assert (len(catalog), heard) == (0, [0])
    assert [each.name for each in catalog.all_withheld] == ["look"]

    catalog.add(made)
    catalog.replace(made)
    catalog.replace(made.renamed("peer"))
    assert (catalog.withheld("look"), heard) == (None, [0, 1, 1, 2])

    catalog.withhold(Withheld(name="gone", why="filtered", reason="left out", step="hilt.toml"))
    catalog.release("gone")
    assert catalog.all_withheld == ()
    assert heard == [0, 1, 1, 2]


async def test_a_call_of_what_is_kept_back_is_refused_with_the_reason() -> None:
    of = runtime()
    for why in ("quarantined", "filtered", "unusable"):
        of.catalog.withhold(Withheld(name=why, why=why, reason="its description changed", step="tell the person"))

    denied = (await answered(of, "quarantined")).result.denied
    assert denied is not None
    assert (denied.by, denied.rule) == ("pin", "quarantined")
    assert "its description changed" in denied.reason
    filtered = (await answered(of, "filtered")).result.denied
    assert filtered is not None
    assert filtered.by == "rule"
    failure = (await answered(of, "unusable")).result.failure
    assert failure is not None
    assert failure.kind == "environment"


async def test_a_schema_tool_may_ask_for_its_context_whatever_its_parameters_are_called() -> None:
    async def function(arguments: Mapping[str, object], ctx: Context) -> str:
        return f"{sorted(arguments)} {ctx.session.id}"

    parameters = {"type": "object", "properties": {"context": {"type": "string"}}}
    made = schema_tool("look", function, parameters=parameters, server="eyes", aliases=["see"], asks_context=True)
    session = Session()

    answer = await answered(runtime(made), "look", '{"context": "x"}', session)
    assert answer.result.items == (f"['context'] {session.id}",)
    assert (made.declaration.server, made.declaration.aliases) == ("eyes", ("see",))


async def test_every_session_reads_a_note_once() -> None:
    of, one, other = runtime(tool(name="look", **perceiving())(_look)), Session(), Session()
    for session in (one, other):
        await answered(of, "look", session=session)

    of.tell("eyes restarted")
    of.tell("eyes restarted")
    for session in (one, other):
        assert (await answered(of, "look", session=session)).result.notes == ("eyes restarted",)
        assert (await answered(of, "look", session=session)).result.notes == ()


def _look() -> str:
    return "seen"
