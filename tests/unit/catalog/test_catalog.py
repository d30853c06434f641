"""Which tools there are: in order, by wire or original name, resident or deferred, and what a wrong name may mean."""

import pytest

from hilt import schema_tool, tool
from hilt.catalog.catalog import Catalog
from hilt.errors import DeclarationError
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
    catalog = Catalog([later, now])

    assert [each.name for each in catalog] == ["later", "now"]
    assert [each.name for each in catalog.offered()] == ["now"]
    assert [each.name for each in catalog.deferred()] == ["later"]
    assert [each.name for each in catalog.offered({"later"})] == ["later", "now"]
    assert catalog.deferred({"later"}) == ()
    assert catalog.names() == {"now"}
    assert catalog.names({"later", "gone"}) == {"later", "now"}
    assert "now" in catalog
    assert len(catalog) == 2
    assert catalog.nearest("nwo") == ("now",)
    assert catalog.remove("now") is now
    assert catalog.remove("now") is None
    assert catalog.names() == frozenset()


def _look() -> str:
    return "seen"
