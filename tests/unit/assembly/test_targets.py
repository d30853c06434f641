"""What a TARGET names."""

import json
import sys
from pathlib import Path

import pytest

from hilt.adapters.mcp_client import ServerUnreachable
from hilt.assembly.config import read_config
from hilt.assembly.targets import Listing, list_targets
from hilt.errors import ConfigError

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
MCP = {
    "name": "read",
    "description": "Reads",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True, "idempotentHint": True},
}
FORMS = {
    "mcp": {"tools": [MCP]},
    "mcp answer": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
    "anthropic": {"tools": [{"name": "read", "description": "Reads", "input_schema": SCHEMA}]},
    "openai chat": {
        "tools": [{"type": "function", "function": {"name": "read", "description": "Reads", "parameters": SCHEMA}}]
    },
    "openai responses": {
        "tools": [{"type": "function", "name": "read", "description": "Reads", "parameters": SCHEMA, "strict": False}]
    },
    "gemini": {
        "tools": [{"functionDeclarations": [{"name": "read", "description": "Reads", "parametersJsonSchema": SCHEMA}]}]
    },
    "bare list": [MCP],
}
TOOL = """
from typing import Annotated
from hilt import Description, Param, tool

@tool(kind="perceive", limit=1, description=Description(use_for="counting", returns="a number and nothing else"))
def count(text: Annotated[str, Param("what to count", example="abc")]) -> int:
    return len(text)

again = count
SEVERAL = [count]
NOTHING = []
"""


async def fault(*targets: str, command: tuple[str, ...] = ()) -> str:
    """The one fault of a listing that holds nothing else."""
    listing = await list_targets(targets, command)
    assert listing.tools == ()
    (error,) = listing.faults
    assert error.next_steps
    return error.problem


def names(listing: Listing) -> list[tuple[str, str]]:
    assert listing.faults == ()
    return [(each.server, each.name) for each in listing.tools]


@pytest.mark.parametrize("form", FORMS)
async def test_tools_are_read_in_whatever_form_they_are_written(project: Path, form: str) -> None:
    (project / "files.json").write_text(json.dumps(FORMS[form]), encoding="utf-8")

    listing = await list_targets(["files.json"])

    assert names(listing) == [("files", "read")]
    (declaration,) = [each.declaration for each in listing.tools]
    assert declaration.parameters == SCHEMA
    assert declaration.description.use_for == "Reads"
    assert declaration.kind == ("perceive" if "mcp" in form or form == "bare list" else "act")


async def test_a_list_is_called_what_it_calls_itself(project: Path) -> None:
    (project / "a.json").write_text(json.dumps({"name": "files", "tools": [MCP]}), encoding="utf-8")

    assert names(await list_targets(["a.json"])) == [("files", "read")]


async def test_real_dumps_are_read_whole(shared: Path) -> None:
    files = sorted(str(path) for path in (shared / "data" / "toolsets").glob("*.json"))

    listing = await list_targets([file for file in files if "agentdojo" not in file])

    assert len(names(listing)) == 714


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not JSON"),
        ("{}", "holds no list of tools"),
        ('{"tools": 5}', "holds no list of tools"),
        ("[1]", "tool 1 is no object"),
        ('[{"name": "ok"}, {"description": "x"}]', "tool 2 has no name"),
        ('[{"name": "x", "inputSchema": []}]', "tool 1, x: its schema is no object"),
        ("[" * 5_000, "is not JSON"),
    ],
    ids=["cut", "empty", "number", "item", "nameless", "schema", "deep"],
)
async def test_a_file_without_tools_is_refused_with_what_is_wrong(project: Path, text: str, problem: str) -> None:
    (project / "a.json").write_text(text, encoding="utf-8")

    assert problem in await fault("a.json")


async def test_one_tool_in_force_is_named_by_its_name(project: Path) -> None:
    (project / "mine.py").write_text(TOOL, encoding="utf-8")
    (project / "hilt.toml").write_text('tools = ["mine.py"]', encoding="utf-8")
    config = read_config(file=project / "hilt.toml")

    assert names(await list_targets(["read_file", "count"], config=config)) == [("hilt", "read_file"), ("own", "count")]


async def test_a_tool_written_wrongly_is_answered_with_those_of_nearly_that_name(project: Path) -> None:
    listing = await list_targets(["serch_code", "nothing_like_it"], config=read_config())

    near, far = listing.faults
    assert near.problem == "no tool and no module is named 'serch_code'"
    assert near.next_steps[0].startswith("did you mean search_code")
    assert far.problem.startswith("no module is named 'nothing_like_it' in")


async def test_a_file_of_a_tools_name_is_the_file(project: Path) -> None:
    (project / "read_file").write_text(json.dumps([MCP]), encoding="utf-8")

    assert names(await list_targets(["read_file"], config=read_config())) == [("read_file", "read")]


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("absent.json", "cannot be read: No such file"),
        ("absent.py", "is no file"),
        ("absent.toml", "is no file"),
        ("absent_module", "no module is named 'absent_module'"),
        (".", "is a folder"),
    ],
)
async def test_what_is_not_there_is_wrong_use(project: Path, target: str, problem: str) -> None:
    listing = await list_targets([target])

    (error,) = listing.faults
    assert isinstance(error, ConfigError)
    assert problem in error.problem


@pytest.mark.parametrize(
    "target", ["counting.py", "counting.py:count", "counting.py:SEVERAL", "counting", "counting:count"]
)
async def test_python_tools_are_named_by_file_or_module_and_attribute(project: Path, target: str) -> None:
    (project / "counting.py").write_text(TOOL, encoding="utf-8")
    sys.modules.pop("counting", None)

    listing = await list_targets([target])

    assert names(listing) == [("counting", "count")]
    assert listing.tools[0].tool is not None


@pytest.mark.parametrize(
    ("target", "text", "problem"),
    [
        ("bad.py", "x = 1\n1 / 0\n", "ZeroDivisionError: division by zero at {folder}/bad.py:2"),
        ("bad.py", "def f(:\n", "SyntaxError"),
        ("bad.py", "import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("bad.py", "import nothing_of_that_name\n", "ModuleNotFoundError"),
        ("bad.py", "x = 1\n", "holds no tool"),
        ("bad.py:coun", TOOL, "has no tool 'coun'"),
        ("bad.py:NOTHING", TOOL, "has no tool 'NOTHING'"),
        ("bad.py", "from hilt import tool\n@tool(kind='perceive')\ndef f() -> int: ...\n", "limit="),
    ],
    ids=["raises", "syntax", "exits", "imports", "empty", "near", "empty list", "refused"],
)
async def test_a_module_that_cannot_be_used_says_where_and_why(
    project: Path, target: str, text: str, problem: str
) -> None:
    (project / "bad.py").write_text(text, encoding="utf-8")

    assert problem.format(folder=project) in await fault(target)


async def test_one_broken_target_does_not_hide_the_others(project: Path) -> None:
    (project / "a.json").write_text(json.dumps([MCP]), encoding="utf-8")

    listing = await list_targets(["absent.json", "a.json"])

    assert [each.name for each in listing.tools] == ["read"]
    assert len(listing.faults) == 1


async def test_without_targets_the_shelf_is_listed(project: Path) -> None:
    listing = await list_targets([])

    assert ("hilt", "read_file") in names(listing)
    assert all(each.tool is not None for each in listing.tools)


async def test_a_hilt_toml_is_listed_with_its_own_tools(project: Path) -> None:
    (project / "counting.py").write_text(TOOL, encoding="utf-8")
    (project / "hilt.toml").write_text('tools = ["counting.py"]\nshelf = ["read_file"]\n', encoding="utf-8")

    listing = await list_targets(["hilt.toml"])

    assert names(listing) == [("hilt", "read_file"), ("own", "count")]


def test_an_unknown_name_on_the_shelf_is_refused_with_the_nearest(project: Path) -> None:
    from hilt.assembly.targets import list_config

    with pytest.raises(ConfigError, match="read_fil"):
        list_config(read_config(settings=('shelf=["read_fil"]',)))


SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("demo")
@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers"
    return a + b
server.run()
"""


async def test_a_stdio_server_is_asked_for_its_tools(project: Path) -> None:
    (project / "server.py").write_text(SERVER, encoding="utf-8")

    listing = await list_targets([], (sys.executable, "server.py"))

    assert names(listing) == [("demo", "add")]


async def test_a_server_that_dies_is_unreachable_and_its_last_words_are_told(project: Path) -> None:
    (project / "dies.py").write_text("import sys\nsys.exit('no KEY in the environment')\n", encoding="utf-8")

    listing = await list_targets([], (sys.executable, "dies.py"))

    (error,) = listing.faults
    assert isinstance(error, ServerUnreachable)
    assert "no KEY in the environment" in error.problem


@pytest.mark.parametrize(
    ("targets", "command"), [((), ("/absent/program",)), (("http://127.0.0.1:9/mcp",), ())], ids=["program", "url"]
)
async def test_a_server_that_is_not_there_is_unreachable(
    project: Path, targets: tuple[str, ...], command: tuple[str, ...]
) -> None:
    listing = await list_targets(targets, command)

    assert [type(error) for error in listing.faults] == [ServerUnreachable]
