"""Folders from outside that are mounted below a root are outside; what is nowhere else belongs to the workspace.

Mounts are made in a namespace of their own, by a process that any user may start.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hilt.workspace.mounts import foreign
from hilt.workspace.roots import Root
from tests.needs import missing, need

APART = ("unshare", "--user", "--map-root-user", "--mount")
TRYING = """
import json, subprocess, sys
from pathlib import Path
import anyio
from hilt.results.failures import Refused
from hilt.workspace import Workspace

root, outside = Path(sys.argv[1]), Path(sys.argv[2])
world = Workspace([root])
before = world.path(str(root / "bound/secret")).inside
binds = ["--bind", outside, root / "bound"], ["--bind", root / "in", root / "again"]
for words in (*binds, ["-t", "tmpfs", "x", root / "own"]):
    subprocess.run(["mount", *map(str, words)], check=True)
(root / "own/a").write_text("own")

async def tried(path):
    said = []
    for act in (opened, changed, world.list_folder, world.remove, created, moved):
        try:
            await act(str(path))
            said.append("done")
        except Refused as refused:
            said.append(str(refused))
        except Exception as error:
            said.append(type(error).__name__)
    return said

async def opened(path):
    async with world.open(path) as file:
        await file.read_at(0, 10)

async def changed(path):
    async with world.change(path) as change:
        await change.replace(b"changed")

async def created(path):
    await world.create(path + "-new", b"new")

async def moved(path):
    await world.move(str(root / "in/b"), path + "-moved")

facts = {}
for name in ("bound", "bound/secret", "own/a", "again/a", "in/a", "link"):
    fact = world.path(str(root / name))
    facts[name] = [fact.inside, fact.real, fact.why]
print(json.dumps({"before": before, "facts": facts, "bound": anyio.run(tried, root / "bound/secret"),
                  "link": anyio.run(tried, root / "link"), "own": anyio.run(tried, root / "own/a")}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    need("unshare", "mounts are made in a namespace of their own")
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        missing("no namespace can be made here: mounts are made in one")
    top = tmp_path_factory.mktemp("mounts")
    root, outside = top / "root", top / "outside"
    for folder in (root / "bound", root / "own", root / "in", root / "again", outside):
        folder.mkdir(parents=True)
    for file in (outside / "secret", root / "in/a", root / "in/b"):
        file.write_text("old", encoding="utf-8")
    (root / "link").symlink_to("bound/secret")
    words = [*APART, sys.executable, "-c", TRYING, str(root), str(outside)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return root, outside, json.loads(done.stdout)


def test_a_folder_from_outside_mounted_in_a_root_is_outside_under_its_own_path(
    found: tuple[Path, Path, dict[str, Any]],
) -> None:
    root, outside, said = found

    assert said["before"] is True
    for name in ("bound/secret", "link"):
        inside, real, why = said["facts"][name]
        assert (inside, real) == (False, f"{outside}/secret")
        assert why.startswith(f"{root}/{name} is mounted from {outside}/secret, which is outside the workspace")
    assert said["facts"]["bound"][:2] == [False, str(outside)]


def test_nothing_in_it_is_read_changed_made_moved_there_or_removed(found: tuple[Path, Path, dict[str, Any]]) -> None:
    _, outside, said = found

    assert len(said["bound"]) == 6
    assert all("is mounted from" in refusal for refusal in said["bound"])
    assert all("is mounted from" in refusal for refusal in said["link"][:3])
    assert [each.name for each in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text(encoding="utf-8") == "old"


def test_what_is_mounted_nowhere_else_or_from_the_workspace_itself_is_inside(
    found: tuple[Path, Path, dict[str, Any]],
) -> None:
    _, _, said = found

    assert all(said["facts"][name][0] for name in ("own/a", "again/a", "in/a"))
    assert said["own"][:2] == ["done", "done"]


ROOTS = (Root(real="/w", given="/w"),)


def line(device: str, part: str, at: str) -> str:
    return f"1 2 {device} {part} {at} rw - ext4 /dev/x rw\n"


@pytest.mark.parametrize(
    ("mounted", "expected"),
    [
        (line("8:1", "/", "/") + line("8:1", "/etc", "/w/etc"), (("/w/etc", "/etc"),)),
        (line("8:1", "/", "/") + line("8:1", "/a\\040b", "/w/c\\040d"), (("/w/c d", "/a b"),)),
        (line("8:1", "/", "/") + line("8:2", "/", "/home") + line("8:2", "/ann", "/w/x"), (("/w/x", "/home/ann"),)),
        # a container: its volumes are parts of a disk that is seen nowhere else
        (line("0:9", "/", "/") + line("8:1", "/vol/src", "/w") + line("8:1", "/vol/modules", "/w/node_modules"), ()),
        # the workspace mounted in itself, and a disk of its own
        (line("8:1", "/", "/") + line("8:1", "/w/a", "/w/b") + line("8:3", "/", "/w/disk"), ()),
        # a root that is a mount is what was given as the root
        (line("8:1", "/", "/") + line("8:1", "/srv/w", "/w"), ()),
        (line("8:1", "/etcetera", "/e") + line("8:1", "/etc", "/w/etc"), ()),
        ("nonsense\n", ()),
    ],
)
def test_only_what_has_another_path_outside_is_from_outside(
    mounted: str, expected: tuple[tuple[str, str], ...]
) -> None:
    assert foreign(mounted, ROOTS) == expected
