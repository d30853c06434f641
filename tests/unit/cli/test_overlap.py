"""`hilt overlap`: what could be one tool, with what that saves, and what stays apart."""

import json
from pathlib import Path

import pytest

from tests.command import Hilt

PLACE = {"type": "object", "properties": {"namespace": {"type": "string"}}}


def toolset(place: Path, *tools: tuple[str, str], schema: object = PLACE) -> str:
    """A file of tools that all take the same."""
    made = [{"name": name, "description": text, "inputSchema": schema} for name, text in tools]
    place.write_text(json.dumps({"name": place.stem, "tools": made}), encoding="utf-8")
    return str(place)


def test_a_family_that_differs_by_a_value_is_one_tool_with_what_that_saves(hilt: Hilt, here: Path) -> None:
    file = toolset(
        here / "mesh.json", *((f"mesh_{thing}_list", f"List {thing}.") for thing in ("routes", "ports", "hosts"))
    )

    (found,) = hilt("overlap", file, "--json").json["overlaps"]  # type: ignore[misc,attr-defined]

    assert found["kind"] == "family"
    assert found["merge"]["name"] == "mesh_list"
    assert found["merge"]["values"] == ["routes", "ports", "hosts"]
    assert found["merge"]["sentence"] == "mesh <kind> list"
    assert found["merge"]["saves_tokens"] > 0
    assert found["merge"]["saves_bytes"] > 0
    assert "merging all 1 would save" in hilt("overlap", file).out
    assert "- mesh_list(kind=routes|ports|hosts) saves" in hilt("overlap", file, "--markdown").out


@pytest.mark.parametrize(
    "tools",
    [
        (("vm_box_start", "Start a box."), ("vm_box_stop", "Stop a box.")),
        (("get_iban", "The IBAN."), ("get_balance", "The balance.")),
        (("shop_get_order_price", "Get the price."), ("shop_get_order_owner", "Get the owner.")),
        (("app_get_reviews", "Read what people wrote."), ("app_get_invoices", "Bills by month, as PDF.")),
    ],
    ids=["another effect", "another thing", "another attribute", "another sentence"],
)
def test_tools_that_no_one_sentence_covers_stay_apart(
    hilt: Hilt, here: Path, tools: tuple[tuple[str, str], ...]
) -> None:
    assert hilt("overlap", toolset(here / "apart.json", *tools)).out == "no tools overlap\n"


def test_a_way_to_do_the_same_and_a_setting_of_a_tool_that_is_there_are_values(hilt: Hilt, here: Path) -> None:
    ways = toolset(here / "a.json", ("find_people_by_name", "Find people."), ("find_people_by_mail", "Find people."))
    there = toolset(
        here / "b.json",
        ("vcs_diff", "Changes."),
        ("vcs_diff_old", "What is to come."),
        ("vcs_diff_new", "Not yet kept."),
    )

    found = hilt("overlap", ways, there, "--json").json["overlaps"]

    assert isinstance(found, list)
    assert {each["merge"]["name"] for each in found} == {"find_people", "vcs_diff_kind"}


def test_one_tool_of_two_servers_is_easily_confused_unless_it_takes_something_else(hilt: Hilt, here: Path) -> None:
    words = "Read a page of the web and give its text"
    one, two = (toolset(here / f"{name}.json", ("read_web_page", words)) for name in "ab")
    other = toolset(here / "c.json", ("read_web_page", words), schema={"type": "object", "properties": {"id": {}}})

    (found,) = hilt("overlap", one, two, "--json").json["overlaps"]  # type: ignore[misc,attr-defined]

    assert found["kind"] == "pair"
    assert found["tools"] == ["a/read_web_page", "b/read_web_page"]
    assert "namespace" in found["reason"]
    assert hilt("overlap", one, other).out == "no tools overlap\n"


def test_what_a_command_does_as_well_is_told_where_commands_can_be_run(hilt: Hilt, here: Path) -> None:
    file = toolset(here / "files.json", ("directory_tree", "The tree of a folder."))

    assert hilt("overlap", file).out == "no tools overlap\n"
    assert "run_command does it: tree" in hilt("overlap", file, "run_command").out


def test_without_a_target_the_calls_that_are_kept_are_looked_at(hilt: Hilt, here: Path) -> None:
    for _ in range(5):
        hilt("call", "find_files", '{"pattern": "*.txt"}', "--session", "mine")
        hilt("call", "read_file", json.dumps({"path": str(here / "notes.txt")}), "--session", "mine")

    found = hilt("overlap", "--json").json["overlaps"]

    assert isinstance(found, list)
    assert [each["tools"] for each in found if each["kind"] == "chain"] == [["find_files", "read_file"]]
