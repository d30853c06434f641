"""Rooms that only think do not look at the world, and tools reach it only through `workspace`."""

from collections.abc import Iterator

import pytest

from tests.gates.source import Module, modules, parsed, references

PURE_ROOMS = ("policy", "lint", "audit", "catalog", "results", "declarations")

WORLDLY_MODULES = {"time", "random", "secrets", "tempfile", "shutil", "glob"}
PURE_NAMES = {"os.PathLike", "os.fspath", "os.sep", "io.StringIO", "io.BytesIO"}
WORLDLY_NAMES = {"open", "input", "builtins.open", "uuid.uuid1", "uuid.uuid4"}
CLOCKS = {
    f"{clock}.{method}" for clock in ("datetime.datetime", "datetime.date") for method in ("now", "utcnow", "today")
}
# Methods that only a path on a disk has. Those it shares with other nouns (`open`, `replace`, `resolve`) need no entry:
# a pure room does not get as far as a concrete Path, for PurePath names paths just as well.
DISK_METHODS = {
    "expanduser", "hardlink_to", "is_dir", "is_file", "is_symlink", "iterdir", "lstat", "mkdir", "read_bytes",
    "read_text", "readlink", "rglob", "rmdir", "samefile", "symlink_to", "unlink", "write_bytes", "write_text",
}  # fmt: skip
CONCRETE_PATHS = {"pathlib.Path", "pathlib.PosixPath", "pathlib.WindowsPath"}

TOOL_DOORS = {"open", "builtins.open", "os.open", "os.fdopen", "io.open", "io.FileIO", "anyio.open_file", "anyio.Path"}


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_reads_no_disk_clock_chance_or_environment(room: str) -> None:
    assert [fault for module in modules(room) for fault in impurities(module)] == []


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "import os\nos.environ['HOME']",
        "from os import getcwd as here\nhere()",
        "from time import monotonic\nmonotonic()",
        "import random",
        "from datetime import datetime\ndatetime.now()",
        "from pathlib import Path\ndef f(p: Path): return p.resolve()",
        "import pathlib\npathlib.Path('x')",
        "def f(p): return p.parent().read_text()",
        "def f(p): return p.read_text()",
        "import uuid\nuuid.uuid4()",
    ],
    ids=["open", "environ", "alias", "clock", "chance", "today", "path", "module", "chained", "text", "uuid"],
)
def test_each_way_out_of_a_pure_room_is_seen(text: str) -> None:
    assert list(impurities(parsed(text))) != []


def test_pure_code_is_left_alone() -> None:
    text = (
        "import os\nfrom pathlib import PurePath\ndef f(p: os.PathLike[str]): return PurePath(p).name.replace('a', '')"
    )

    assert list(impurities(parsed(text))) == []


def test_no_tool_opens_a_path_itself() -> None:
    assert [fault for module in modules("tools") for fault in doors(module)] == []


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "import os\nos.open('x', 0)",
        "from pathlib import Path\nPath('x').open()",
        "import anyio as a\na.Path('x')",
    ],
    ids=["builtin", "os", "path", "anyio"],
)
def test_each_door_a_tool_could_take_is_seen(text: str) -> None:
    assert list(doors(parsed(text))) != []


def test_a_tool_may_open_through_the_workspace() -> None:
    assert list(doors(parsed("async def f(ctx, path):\n    async with ctx.part(Workspace).open(path): ..."))) == []


def impurities(module: Module) -> Iterator[str]:
    """Every reach into the world, as `path:line name`."""
    for name in sorted(set(module.imported.values())):
        if name.split(".")[0] in WORLDLY_MODULES or name in CONCRETE_PATHS:
            yield f"{module.path} imports {name}"
    for line, name in references(module):
        if worldly(name):
            yield f"{module.path}:{line} {name}"


def worldly(name: str) -> bool:
    if name in WORLDLY_NAMES | CLOCKS | CONCRETE_PATHS:
        return True
    if name.startswith(("os.", "io.")):
        return name not in PURE_NAMES
    return "." in name and name.rpartition(".")[2] in DISK_METHODS


def doors(module: Module) -> Iterator[str]:
    """A tool names paths with PurePath and opens them through `ctx.part(Workspace)`."""
    for line, name in references(module):
        if name in TOOL_DOORS | CONCRETE_PATHS:
            yield f"{module.path}:{line} {name}"
