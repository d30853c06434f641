"""Starting is quick because little is loaded."""

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "mcp", "anyio", "sqlalchemy", "rich", "asyncio", "jsonschema_rs", "tiktoken")


def loaded(*arguments: str) -> set[str]:
    program = (
        "import sys; from hilt.cli import main; code = main(sys.argv[1:]);"
        f"print('loaded', *set({(*HEAVY, 'click')}) & set(sys.modules)); sys.exit(code)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=50, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return set(finished.stdout.splitlines()[-1].split()[1:])


def test_the_version_is_told_before_anything_is_loaded() -> None:
    assert loaded("--version") == set()


def test_help_loads_nothing_but_click() -> None:
    program = (
        "import sys; from hilt.cli import main\n"
        "try: main(['--help'])\n"
        f"finally: print('loaded', *set({HEAVY}) & set(sys.modules))"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)

    assert finished.stdout.splitlines()[-1] == "loaded"


@pytest.mark.parametrize("arguments", [["tools"], ["show", "--name", "read_file"], ["bill"]], ids=lambda each: each[0])
def test_looking_at_tools_loads_no_store_and_no_server(arguments: list[str]) -> None:
    assert not {"sqlalchemy", "mcp", "rich"} & loaded(*arguments, "-c", "results.counter=bytes/4")
