"""What holds behind each rung that isolates."""

from pathlib import Path

import pytest

from hilt.workspace.isolation.isolation import Rung
from tests.isolated import RUNGS, behind, ran


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_command_writes_in_the_workspace_and_nowhere_else(rung: Rung, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "kept").write_text("as it was")
    tries = (
        f"echo x > {outside}/canary",
        f"echo x > {outside}/kept",
        f"mv here {outside}/moved",
        f"rm {outside}/kept",
        f"mkdir {outside}/folder",
        f"ln here {outside}/linked",
        f"ln -s {outside} door; echo x > door/through",
        f"echo x > /proc/self/root{outside}/by_proc",
        f"truncate -s 0 {outside}/kept",
    )
    async with behind(rung, root) as processes:
        status, output = await ran(processes, "echo in > here; cat here", root)
        for each in tries:
            await ran(processes, each, root)
    assert (status, output) == (0, "in\n")
    assert (root / "here").read_text() == "in\n"
    assert [(each.name, each.read_text()) for each in outside.iterdir()] == [("kept", "as it was")]
