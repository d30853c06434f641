"""Links turned back and forth while files are read, changed, moved and removed: nothing outside the roots is."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hilt.results.failures import Refused, ToolFailure
from hilt.workspace import Workspace
from tests.hosts import OLD

ROOT = Path(__file__).parents[2]
RACE_S = 5
WAIT_S = 60

# It turns `door` between a folder inside and one outside as fast as it can, until it is killed.
TURNING = """
import os, sys
os.chdir(sys.argv[1])
while True:
    for target in ("in", "../outside"):
        os.symlink(target, "turning")
        os.rename("turning", "door")
"""

# The one who reads and changes meanwhile; it says how it opened paths, what it read, and how often it tried.
WORKING = """
import json, sys, time
from contextlib import suppress
from pathlib import Path
import anyio
from hilt.results.failures import Refused, ToolFailure
from hilt.workspace import Workspace

ROOT, SECONDS = Path(sys.argv[1]), float(sys.argv[2])
world = Workspace([ROOT])
seen, tries = set(), 0

async def read(number):
    path = str(ROOT / "door/a")
    fact = world.path(path)
    async with world.open(path, allowed=fact if fact.inside else None) as file:
        seen.add((await file.read_at(0, 20)).decode())

async def change(number):
    async with world.change(str(ROOT / "door/a")) as change:
        await change.replace(b"inside")

async def create(number):
    await world.create(str(ROOT / f"door/new{number}"), b"new")

async def move(number):
    await world.create(str(ROOT / f"in/from{number}"), b"moved")
    await world.move(str(ROOT / f"in/from{number}"), str(ROOT / f"door/to{number}"))

async def move_out(number):
    await world.move(str(ROOT / "door/kept"), str(ROOT / f"in/taken{number}"))
    await world.move(str(ROOT / f"in/taken{number}"), str(ROOT / "in/kept"))

async def remove(number):
    await world.remove(str(ROOT / "door/b"))

async def refill(number):
    await world.create(str(ROOT / "in/b"), b"inside")

async def listed(number):
    seen.update(each.name for each in await world.list_folder(str(ROOT / "door")) if each.name == "outside-only")

async def work():
    global tries
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for act in (read, change, create, move, move_out, remove, refill, listed):
            with suppress(Refused, ToolFailure):
                await act(tries)
            tries += 1

anyio.run(work)
print(json.dumps({"by": world.kept_inside_by, "seen": sorted(seen), "tries": tries}))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("root/in", "outside"):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("a", "b", "kept"):
            (tmp_path / folder / name).write_text(folder.removeprefix("root/"), encoding="utf-8")
    (tmp_path / "outside/outside-only").touch()
    (tmp_path / "root/door").symlink_to("in")
    return tmp_path / "root"


@pytest.mark.parametrize(("host", "by"), [("", "openat2"), (OLD, "walk")])
def test_five_seconds_of_turning_lead_nothing_outside(
    root: Path, host: str, by: str, record_property: Callable[[str, object], None]
) -> None:
    wrapped = [sys.executable, str(ROOT / "tests/hosts.py"), host] if host else []
    words = [*wrapped, sys.executable, "-c", WORKING, str(root), str(RACE_S)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", TURNING, str(root)]) as turning:
        try:
            done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False)
        finally:
            turning.send_signal(signal.SIGKILL)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    record_property("report", f"paths: {said['tries']:,} tries against a link turned for {RACE_S} s ({by}), 0 led out")

    assert said["by"] == by
    assert set(said["seen"]) <= {"in", "inside"}
    assert said["tries"] > 100
    outside = root.parent / "outside"
    assert {each.name: each.read_text(encoding="utf-8") for each in outside.iterdir()} == {
        "a": "outside", "b": "outside", "kept": "outside", "outside-only": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    "way", ["/proc/self/root", "/proc/self/cwd", "/proc/1/root", "/proc/thread-self/root", "/dev/fd/0"]
)
async def test_the_kernels_own_links_lead_where_they_lead_and_not_inside(root: Path, way: str) -> None:
    world = Workspace([root])
    (root / "magic").symlink_to(way)
    for path in (f"{way}/etc/passwd", str(root / "magic/etc/passwd"), str(root / "magic")):
        fact = world.path(path)
        assert not fact.inside
        with pytest.raises((Refused, ToolFailure)):
            async with world.open(path):
                pass
        with pytest.raises((Refused, ToolFailure)):
            await world.create(f"{path}/new", b"x")


async def test_a_file_that_gets_a_second_name_after_it_was_allowed_is_not_changed(root: Path) -> None:
    world = Workspace([root])
    path = str(root / "in/a")
    allowed = world.path(path)
    os.link(path, root.parent / "outside/second")

    with pytest.raises(Refused, match="pointed elsewhere"):
        async with world.change(path, allowed=allowed) as change:
            await change.replace(b"changed")
    assert (root.parent / "outside/second").read_text(encoding="utf-8") == "in"

    async with world.change(path, allowed=world.path(path)) as change:
        replaced = await change.replace(b"changed")
    assert any("2 names" in note for note in replaced.notes)
    assert (root.parent / "outside/second").read_text(encoding="utf-8") == "in"


async def test_what_has_become_a_protected_thing_since_it_was_allowed_is_not_changed(root: Path) -> None:
    world = Workspace([root])
    (root / ".git").mkdir()
    paths = [str(root / "in" / name) for name in ("a", "b", "new")]
    allowed = {path: world.path(path) for path in paths}
    (root / ".git/config").write_text("[core]\nhooksPath = in\n", encoding="utf-8")

    assert {world.path(path).hole for path in paths} == {"core.hooksPath"}
    with pytest.raises(Refused):
        async with world.change(paths[0], allowed=allowed[paths[0]]):
            pass
    with pytest.raises(Refused):
        await world.remove(paths[1], allowed=allowed[paths[1]])
    with pytest.raises(Refused):
        await world.create(paths[2], b"x", allowed=allowed[paths[2]])
    with pytest.raises(Refused):
        await world.move(paths[0], str(root / "moved"), allowed=(allowed[paths[0]], world.path(str(root / "moved"))))
    with suppress(Refused):
        await world.create(paths[2], b"x", allowed=world.path(paths[2]))
    assert (root / "in/new").exists()
