"""What tools cost and which of them could be one, as the command says it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, as_process

Process = Callable[..., Ran]


@pytest.fixture
def hilt(tmp_path: Path) -> Process:
    """A process standing in `tmp_path`."""
    return lambda *words: as_process(*words, folder=tmp_path, home=tmp_path / "home")


def tools(folder: Path, *names: str) -> str:
    """A file of tools that all take the same."""
    made = [{"name": name, "description": f"{name}.", "inputSchema": {"type": "object"}} for name in names]
    (folder / "mesh.json").write_text(json.dumps({"tools": made}), encoding="utf-8")
    return "mesh.json"


def test_req_G1_what_a_change_adds_to_every_turn_is_told_and_held_to_a_bound(hilt: Process, tmp_path: Path) -> None:
    hilt("bill", tools(tmp_path, "one"), "--json", "-o", "was.json")

    failed = hilt("bill", tools(tmp_path, "one", "two"), "--baseline", "was.json", "--max-increase", "3", "--markdown")

    assert failed.code == 1
    assert failed.out.startswith("**This change adds ")
    assert "| new | `two` | mesh |" in failed.out


def test_req_G1_a_session_costs_its_declarations_each_turn_and_its_returns(hilt: Process, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text\n" * 50, encoding="utf-8")
    hilt("call", "read_file", json.dumps({"path": str(tmp_path / "a.txt")}), "--session", "s")

    bill = hilt("bill", "--session", "s", "--json").json

    rows = bill["tools"]
    assert isinstance(rows, list)
    assert sum(row["tokens"] for row in rows) + int(str(bill["preamble"])) == bill["total"]
    assert [row["name"] for row in rows if row["returned"]] == ["read_file"]
    assert bill["counter"] == "bytes/4"


def test_req_G4_a_merge_is_proposed_with_what_it_saves_and_other_effects_stay_apart(
    hilt: Process, tmp_path: Path
) -> None:
    names = ("mesh_routes_list", "mesh_ports_list", "mesh_route_start", "mesh_route_stop")

    (found,) = hilt("overlap", tools(tmp_path, *names), "--json").json["overlaps"]  # type: ignore[misc,attr-defined]

    assert found["tools"] == ["mesh/mesh_routes_list", "mesh/mesh_ports_list"]
    assert found["merge"]["sentence"] == "mesh <kind> list"
    assert found["merge"]["saves_tokens"] > 0
