"""`hilt tools`, `hilt show`, `hilt bill`: what a model sees, and what it costs."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hilt.catalog.residence import BUILT_IN
from hilt.cli.segments import priced, segments
from hilt.results.counting import QUARTER_BYTES
from tests.command import Hilt, Ran

SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "where it is"}}}


@pytest.fixture
def files(here: Path) -> str:
    tools = [
        {"name": "read", "description": "Reads one file", "inputSchema": SCHEMA},
        {"name": "write", "description": "Writes one file", "inputSchema": SCHEMA},
    ]
    (here / "files.json").write_text(json.dumps({"name": "files", "tools": tools}), encoding="utf-8")
    return "files.json"


def tools(ran: Ran) -> list[Mapping[str, object]]:
    assert ran.code == 0, ran.err
    found = ran.json["tools"]
    assert isinstance(found, list)
    return found


def test_the_shelf_is_listed_with_what_each_tool_costs(hilt: Hilt, here: Path) -> None:
    listed = tools(hilt("tools", "--json"))

    assert {"search_code", "find_files", "read_file", "artifact_read"} <= {str(tool["name"]) for tool in listed}
    for tool in listed:
        assert set(tool) == {"name", "server", "kind", "resident", "bytes", "tokens"}
        assert (tool["server"], tool["resident"]) == ("hilt", tool["name"] in BUILT_IN)


def test_a_need_finds_the_tool_and_tells_the_words_that_matched_nothing(hilt: Hilt, files: str) -> None:
    ran = hilt("tools", files, "--find", "writing a zanzibar", "--json")

    assert [tool["name"] for tool in tools(ran)] == ["write"]
    assert ran.json["unmatched"] == ["zanzibar"]


def test_limit_cuts_and_the_rest_is_counted(hilt: Hilt, files: str) -> None:
    ran = hilt("tools", files, "--find", "file", "--limit", "1", "--json")

    assert len(tools(ran)) == 1
    assert ran.json["matching"] == 2
    assert "1 of 2 that match" in hilt("tools", files, "--find", "file", "--limit", "1").out
    assert "1 of 2 shown; 2 tools" in hilt("tools", files, "--limit", "1").out


def test_nothing_that_matches_is_said(hilt: Hilt, files: str) -> None:
    ran = hilt("tools", files, "--find", "zanzibar")

    assert ran.code == 0
    assert ran.out == "no tool matches; try other words; no tool has: zanzibar\n"


@pytest.mark.parametrize(
    ("name", "state", "near"),
    [("read", "offered", []), ("files/read", "offered", []), ("raed", "unknown", ["read"]), ("zzz", "unknown", [])],
)
def test_why_says_how_a_name_stands(hilt: Hilt, files: str, name: str, state: str, near: list[str]) -> None:
    ran = hilt("tools", files, "--why", name, "--json")

    why = ran.json["why"]
    assert isinstance(why, dict)
    assert (ran.code, why["state"], why["nearest"]) == (0, state, near)
    assert why["reason"] in hilt("tools", files, "--why", name).out


def test_a_deferred_tool_is_told_apart(hilt: Hilt, here: Path) -> None:
    (here / "later.py").write_text(
        "from hilt import Description, tool\n"
        "@tool(kind='perceive', limit=1, deferred=True, description=Description(use_for='x', returns='y'))\n"
        "def later() -> str: ...\n",
        encoding="utf-8",
    )

    assert [tool["resident"] for tool in tools(hilt("tools", "later.py", "--json"))] == [False]
    assert "(on demand)" in hilt("tools", "later.py").out
    assert "later: deferred by later" in hilt("tools", "later.py", "--why", "later").out
    bill = hilt("bill", "later.py", "--json").json
    assert bill["resident"] == bill["preamble"]


def test_the_rows_of_a_bill_add_up_to_its_total(hilt: Hilt, files: str) -> None:
    ran = hilt("bill", files, "--window", "1000", "--json")

    rows = tools(ran)
    assert sum(int(str(row["tokens"])) for row in rows) + int(str(ran.json["preamble"])) == ran.json["total"]
    assert ran.json["counter"] in ("o200k_base", "bytes/4")
    assert ran.json["share"] == int(str(ran.json["total"])) / 1000
    assert [row["description_bytes"] for row in rows] == [14, 15]


def test_a_bill_can_be_counted_another_way(hilt: Hilt, files: str) -> None:
    assert hilt("bill", files, "-c", "results.counter=bytes/4", "--json").json["counter"] == "bytes/4"


def test_a_bill_for_people_shows_the_dearest_first_and_servers_when_there_are_several(hilt: Hilt, files: str) -> None:
    Path("other.json").write_text('[{"name": "tiny"}]', encoding="utf-8")

    ran = hilt("bill", files, "other.json", "--window", "100000")

    assert ran.out.index("write") < ran.out.index("tiny") < ran.out.index("preamble") < ran.out.index("TOOLS  SERVER\n")
    assert "% of a window of 100,000" in ran.out


@pytest.mark.parametrize("chosen", [["search_code"], ["--name", "search_code"]], ids=["target", "option"])
def test_one_tool_is_shown_as_it_is_beside_the_others(hilt: Hilt, chosen: list[str]) -> None:
    (alone,) = tools(hilt("show", *chosen, "--json"))

    assert alone in tools(hilt("show", "--json"))
    assert "(use find_files)" in str(alone["wire"])


@pytest.mark.parametrize("form", ["anthropic", "openai", "openai-responses", "gemini", "mcp"])
def test_show_prints_what_is_sent_in_each_providers_form(hilt: Hilt, files: str, form: str) -> None:
    ran = hilt("show", files, "--as", form, "--json")

    for tool in tools(ran):
        text = json.dumps(tool["wire"], ensure_ascii=False, separators=(",", ":"))
        assert str(tool["name"]) in text
        assert tool["bytes"] == len(text.encode())


def test_the_lines_of_show_are_the_compact_json_cut_for_reading(hilt: Hilt, files: str) -> None:
    ran = hilt("show", files, "--name", "read", "-c", "results.counter=bytes/4")
    document = tools(hilt("show", files, "--name", "read", "--json"))[0]

    head, titles, *lines = ran.out.splitlines()
    assert head.startswith("read  ")
    assert titles.split() == ["bytes", "tokens"]
    assert "".join(line[15:].strip() for line in lines) == json.dumps(document["wire"], separators=(",", ":"))
    assert sum(int(line[:6].replace(",", "")) for line in lines) == document["bytes"]


def test_segments_put_together_are_the_value_again_and_their_prices_add_up() -> None:
    value = {"a": "é" * 90, "b": {"c": list(range(60)), "d": {}}, "e": [], "f": [{"g": "x" * 99}], "h": "\n"}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    assert "".join(each.text for each in segments(value)) == text
    lines = priced(value, QUARTER_BYTES)
    assert sum(line.bytes for line in lines) == len(text.encode())
    assert sum(line.tokens for line in lines) == QUARTER_BYTES.count(text)


def test_on_a_terminal_a_long_line_goes_on_below_and_nothing_of_it_is_lost(
    hilt: Hilt, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "word " * 40 + "x" * 150
    (here / "long.json").write_text(json.dumps([{"name": "long", "description": text}]), encoding="utf-8")
    plain = hilt("show", "long.json").out
    monkeypatch.setattr("hilt.cli.output.Out.watched", property(lambda out: True))

    folded = hilt("show", "long.json").out

    assert max(map(len, folded.splitlines())) <= 100 < max(map(len, plain.splitlines()))
    assert "".join(folded.split()) == "".join(plain.split())


def test_a_servers_command_line_keeps_its_own_options(hilt: Hilt, here: Path) -> None:
    server = (
        "import sys\nfrom mcp.server.mcpserver import MCPServer\nserver = MCPServer(sys.argv[1])\n"
        "@server.tool()\ndef add(a: int) -> int:\n    'Adds'\n    return a\nserver.run()\n"
    )
    (here / "server.py").write_text(server, encoding="utf-8")

    ran = hilt("tools", "--json", "--", sys.executable, "server.py", "--json")

    assert [(tool["server"], tool["name"]) for tool in tools(ran)] == [("--json", "add")]


def test_why_says_what_left_a_tool_out_and_what_waits(hilt: Hilt, here: Path) -> None:
    (here / "twice.py").write_text(
        "from hilt import Description, tool\n"
        "@tool(kind='perceive', limit=1, description=Description(use_for='x', returns='y'))\n"
        "def read_file() -> str: ...\n",
        encoding="utf-8",
    )
    (here / "mine.toml").write_text("tools = ['twice.py']\nshelf = ['read_file', 'find_tools']\n", encoding="utf-8")

    def why(name: str, *options: str) -> object:
        document = hilt("tools", *options, "--why", name, "--json").json["why"]
        assert isinstance(document, dict)
        return document["state"]

    assert why("read_file", "mine.toml") == "collided"
    assert why("move_path", "mine.toml") == "filtered"
    assert "the setting shelf leaves it out; add it" in hilt("tools", "mine.toml", "--why", "move_path").out
    assert why("move_path") == "deferred"
    assert why("hilt/find_tools") == "offered"
    assert why("use_skill") == "filtered"
    assert why("move_pth") == "unknown"


def test_a_need_may_say_which_word_must_be_there(hilt: Hilt) -> None:
    ran = hilt("tools", "--find", "rename a file zanzibar +destination")

    assert "move_path" in ran.out
    assert "read_document" not in ran.out
    assert "no tool has: zanzibar" in ran.out
