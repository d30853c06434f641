"""Settings that a page shows are settings: each block of `hilt.toml` is read, and its rules hold to their examples."""

import re
from pathlib import Path

import pytest

from hilt.assembly.config import read_config
from hilt.assembly.rules import policy_of
from hilt.workspace import Workspace
from tests.gates.source import ROOT

BLOCK = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_settings_that_a_page_shows_are_taken_whole(block: str, tmp_path: Path) -> None:
    file = tmp_path / "hilt.toml"
    file.write_text(block, encoding="utf-8")
    world = Workspace([tmp_path])

    config = read_config(tmp_path, file=file)
    policy = policy_of(config, roots=world.roots, prove=world.command)

    assert len(policy.rules) == block.count("[[policy.rules]]")
    assert not config.notes


def test_pages_show_settings() -> None:
    assert len(BLOCKS) >= 5
