"""The tools of servers listed without a runtime."""

from pathlib import Path

import pytest

from hilt.assembly.gateway.listing import list_servers, reached
from hilt.assembly.gateway.settings import server_of
from hilt.assembly.pinning import Pinning
from hilt.declarations.effects import UNDECLARED
from hilt.errors import ConfigError
from hilt.store import MemoryStore
from tests.unit.assembly.gateway.kit import Told, entry


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "home"))


async def test_servers_are_listed_in_order_and_one_that_fails_is_a_fault_beside_the_others(tmp_path: Path) -> None:
    one, two = Told(tmp_path, "one", "read"), Told(tmp_path, "two", "read")
    dead = server_of("dead", {"command": "/no/such/program"}, {})
    off = server_of("off", {"command": "a", "enabled": False}, {})
    theirs = server_of("theirs", two.table(), {}, origin="mcp.json", needs_consent=True)

    listed = await list_servers([two.spec(exclude=["r*"]), dead, off, theirs, one.spec()], "prefix", None)

    assert [each.server for each in listed] == ["two", "dead", "theirs", "one"]
    assert [[tool.name for tool in each.tools] for each in listed] == [[], [], [], ["one__read"]]
    assert [each.why for each in listed[0].withheld] == ["filtered"]
    assert getattr(listed[1].fault, "unreachable", False)
    assert isinstance(listed[2].fault, ConfigError)
    assert listed[2].fault.next_steps == ("hilt trust mcp.json",)
    assert listed[3].tools[0].declaration.effects is UNDECLARED


async def test_what_is_pinned_is_listed_without_a_start(tmp_path: Path) -> None:
    one, pins = Told(tmp_path, "one", "read"), Pinning(MemoryStore())

    first = await list_servers([one.spec()], "prefix", pins)
    again = await list_servers([one.spec()], "prefix", pins)

    assert [each.tools[0].name for each in (*first, *again)] == ["one__read", "one__read"]
    assert one.starts == 1


async def test_effects_that_a_person_declared_are_marked_as_such(tmp_path: Path) -> None:
    file = tmp_path / "effects.toml"
    file.write_text('[effects."one.read"]\nreads = "public"\nbrings = "own"\ndoes = []\n')
    one = Told(tmp_path, "one", "read", entry("write"))

    (listed,) = await list_servers([one.spec(effects=str(file))], "prefix", None)

    assert listed.declared == {"one__read"}


async def test_every_server_is_asked_and_none_is_left_out(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "read", "write")
    dead = server_of("dead", {"command": "/no/such/program"}, {})
    off = server_of("off", {"command": "a", "enabled": False}, {})

    found = {spec.name: said for spec, said in await reached([dead, one.spec(), off])}

    assert list(found) == ["dead", "one", "off"]
    assert found["one"] == 2
    assert "cannot be reached" in str(found["dead"])
    assert "disabled" in str(found["off"])
