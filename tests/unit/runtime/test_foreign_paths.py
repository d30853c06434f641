"""Path arguments of other people's tools: what policy is shown of them."""

import json
from pathlib import Path

import pytest

from hilt import Session, schema_tool
from hilt.declarations.effects import Effects
from hilt.results.envelope import Denier
from hilt.workspace import Workspace
from hilt.workspace.resolving import Resolving
from tests.kit import runtime

READS = Effects(does=frozenset(), roles={"path": "path"})


async def said(root: Path, asked: str, server: str) -> tuple[Denier | None, str]:
    reads = schema_tool(
        "read",
        lambda arguments: f"read {arguments['path']}",
        parameters={"type": "object", "properties": {"path": {"type": "string"}}},
        effects=READS,
        server=server,
    )
    held = runtime(reads, resolver=Resolving(Workspace([root]), frozenset))
    answer = await held.answer_one(Session(), "read", json.dumps({"path": asked}))
    return (answer.result.denied.by if answer.result.denied else None), answer.text


@pytest.mark.parametrize("asked", ["src/main.py", "README.md", "a..b/c"])
async def test_a_plain_relative_path_of_a_servers_tool_is_the_servers_own_affair(tmp_path: Path, asked: str) -> None:
    by, text = await said(tmp_path, asked, "gitlab")

    assert by is None
    assert f"read {asked}" in text


@pytest.mark.parametrize("asked", ["/etc/passwd", "~/.ssh/id_rsa", "../../etc/passwd", "a/../../b"])
async def test_a_path_of_this_machine_outside_the_workspace_is_denied_to_a_servers_tool(
    tmp_path: Path, asked: str
) -> None:
    by, _ = await said(tmp_path, asked, "files")

    assert by is Denier.RULE


async def test_a_tool_of_our_own_is_told_to_give_an_absolute_path(tmp_path: Path) -> None:
    _, text = await said(tmp_path, "src/main.py", "")

    assert "expected an absolute path" in text
