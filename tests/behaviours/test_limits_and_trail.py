"""What is counted and what is written down: limits that are exact over processes, a trail that shows a change."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import pytest

from hilt import Effects, Param, Runtime, Session, tool
from hilt.policy.policy import Policy
from hilt.policy.rules import Per, Rule
from hilt.policy.taint_state import Switches
from hilt.store.memory import MemoryStore
from tests.command import Ran, as_process
from tests.kit import acting
from tests.postgres import Server

LIMIT = """
[[policy.rules]]
word = "limit"
tools = "write_file"
most = 2
window_s = 600
per = "principal"
name = "two files"
"""
SECRET = "sk-ant-" + "api03-" + "a" * 93 + "AA"
AT_ONCE = 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "here"
    made.mkdir()
    return made


@pytest.fixture
def hilt(folder: Path, tmp_path: Path) -> Callable[..., Ran]:
    return partial(as_process, folder=folder, home=tmp_path)


def write(folder: Path, name: str, content: str = "x") -> str:
    return json.dumps({"path": str(folder / name), "content": content})


def test_req_F5_a_limit_is_exact_over_processes_that_call_at_one_moment(
    hilt: Callable[..., Ran], folder: Path, tmp_path: Path
) -> None:
    """Each call is a process and a session of its own; two processes that claim at once are req-A8 too."""
    (tmp_path / "limits.toml").write_text(LIMIT)
    surroundings = {**os.environ, "HILT_HOME": str(tmp_path / "state"), "HILT_CONFIG": str(tmp_path / "limits.toml")}
    call = [sys.executable, "-m", "hilt", "call", "write_file", "--json"]
    started = [
        subprocess.Popen([*call, write(folder, f"{n}.txt")], cwd=folder, env=surroundings, stdout=subprocess.PIPE)
        for n in range(AT_ONCE)
    ]
    answers = [json.loads(each.communicate(timeout=50)[0]) for each in started]

    refused = [each["failure"] for each in answers if each["status"] != "success"]
    assert len(list(folder.iterdir())) == 2
    assert len(refused) == AT_ONCE - 2
    assert all("(two files)" in each["problem"] and 0 < each["retry_after_s"] <= 600 for each in refused)
    assert hilt("trail", "verify").code == 0


@pytest.mark.parametrize(
    ("per", "passes"),
    [("session", [1, 0, 1, 1]), ("principal", [1, 0, 0, 1]), ("tool", [1, 0, 0, 0]), ("host", [1, 0, 0, 0])],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_req_F5_a_limit_counts_per_session_principal_tool_or_host(per: Per, passes: list[int]) -> None:
    ran: list[str] = []

    @tool(**acting(effects=Effects(reads="none", does=frozenset({"fetch"}), roles={"address": "url"})))
    def post(address: Annotated[str, Param("where to")]) -> str:
        ran.append(address)
        return "posted"

    limit = Rule(word="limit", most=1, window_s=60, per=per)
    policy = Policy(rules=(Rule(word="allow"), limit), switches=Switches(mode="off"))
    runtime = Runtime([post], policy=policy, store=MemoryStore())
    first = Session(id="one", principal="ann")
    sessions = (first, first, Session(id="two", principal="ann"), Session(id="three", principal="bob"))
    called = [await runtime.call(each, "post", {"address": "https://a.example/x"}) for each in sessions]

    assert [len(each.items) for each in called] == passes
    assert len(ran) == sum(passes)


def test_req_F15_decisions_stand_in_a_chain_and_a_change_of_one_shows(
    hilt: Callable[..., Ran], folder: Path, tmp_path: Path
) -> None:
    hilt("call", "write_file", write(folder, "a.txt", SECRET), "-c", "trail.arguments=true")
    hilt("call", "write_file", write(Path("/etc"), "hilt-test"))

    entries = hilt("trail", "--json").json["entries"]
    assert isinstance(entries, list)
    assert [each["event"] for each in reversed(entries)] == ["decision", "outcome", "refused"]
    assert entries[-1]["digest"]
    assert SECRET not in json.dumps(entries)
    assert "a.txt" in entries[-1]["arguments"]
    assert hilt("trail", "verify", "--head", entries[0]["hash"]).code == 0

    connection = sqlite3.connect(tmp_path / "state" / "hilt.db")
    connection.execute("UPDATE trail SET text = replace(text, '\"deny\"', '\"allow\"')")
    connection.commit()
    connection.close()
    verified = hilt("trail", "verify")
    assert verified.code == 1
    assert verified.out.startswith("broken at entry 3")


def test_req_F15_a_call_with_deeds_that_cannot_be_written_down_does_not_run(
    hilt: Callable[..., Ran], folder: Path, tmp_path: Path
) -> None:
    hilt("call", "write_file", write(folder, "a.txt"))
    connection = sqlite3.connect(tmp_path / "state" / "hilt.db")
    connection.execute("CREATE TRIGGER full BEFORE INSERT ON trail BEGIN SELECT RAISE(ABORT, 'no room'); END")
    connection.commit()
    connection.close()

    wrote = hilt("call", "write_file", write(folder, "b.txt"))
    read = hilt("call", "read_file", json.dumps({"path": str(folder / "a.txt")}))

    assert wrote.code != 0
    assert "nothing was run, for the state cannot be kept" in wrote.out
    assert not (folder / "b.txt").exists()
    assert read.code == 0


def test_req_A8_what_one_process_kept_on_postgresql_the_next_one_reads(
    hilt: Callable[..., Ran], folder: Path, postgres: Server
) -> None:
    where = f"store.where={postgres.emptied()}"

    hilt("call", "write_file", write(folder, "a.txt"), "--session", "mine", "-c", where)
    kept = hilt("log", "session:mine", "--json", "-c", where).json["calls"]
    trail = hilt("trail", "verify", "--json", "-c", where).json

    assert isinstance(kept, list)
    assert [call["tool"] for call in kept] == ["write_file"]
    assert (trail["holds"], trail["entries"]) == (True, 2)
