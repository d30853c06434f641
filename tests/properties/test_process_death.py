"""A process killed in the middle of a turn: what it finished is answered again, and nothing runs twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from hilt import Runtime, Session
from hilt.store.sql import SqlStore
from tests.kit import EVERYTHING, turn

PROGRAM = """
import sys
from pathlib import Path
from typing import Annotated

import anyio

from hilt import Description, Param, Runtime, Session, tool
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.store.sql import SqlStore
from tests.kit import turn

FOLDER = Path(sys.argv[1])


def options(idempotent):
    return dict(
        kind="act", effects={"does": "spend", "irreversible": not idempotent}, idempotent=idempotent, undo="none: x",
        description=Description(use_for="a test", returns="what it did"), timeout_s=None,
    )


async def act(n: Annotated[int, Param("which")], wait: Annotated[bool, Param("hang")] = False) -> str:
    with (FOLDER / "ran").open("a") as file:
        file.write(f"{n}\\n")
    if wait and (FOLDER / "first").exists():
        (FOLDER / "waiting").touch()
        await anyio.sleep_forever()
    return f"did {n}"


runtime = Runtime(
    [tool(name="pay", **options(False))(act), tool(name="put", **options(True))(act)],
    policy=Policy(rules=(Rule(word="allow"),)),
    store=SqlStore(FOLDER / "kept.db"),
)
calls = turn(("pay", '{"n": 1}'), (sys.argv[2], '{"n": 2, "wait": true}'), ("pay", '{"n": 3}'))


async def main():
    for answer in await runtime.answer(Session(id="s"), calls):
        print(answer.text.replace("\\n", " / "))
    for answer in await runtime.recover(Session(id="s"), calls):
        print(answer.text.replace("\\n", " / "))
    again = await runtime.answer(Session(id="s"), turn((sys.argv[2], '{"n": 2, "wait": true}'), id="later"))
    print(again[0].text.replace("\\n", " / "))
    await runtime.store.close()


anyio.run(main)
"""


@pytest.mark.parametrize("name", ["pay", "put"])
async def test_a_turn_killed_midway_runs_nothing_twice_and_says_what_is_unknown(name: str, tmp_path: Path) -> None:
    program = [sys.executable, "-c", PROGRAM, str(tmp_path), name]
    (tmp_path / "first").touch()
    killed = subprocess.Popen(program, cwd=Path(__file__).parents[2])  # noqa: ASYNC220  # killed before anything waits
    with anyio.fail_after(30):
        while not (tmp_path / "waiting").exists():
            assert killed.poll() is None
            await anyio.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    (tmp_path / "first").unlink()

    again = await anyio.run_process(program, cwd=Path(__file__).parents[2])

    lines = again.stdout.decode().splitlines()
    ran = (tmp_path / "ran").read_text().split()
    assert lines[0] == lines[3] == "did 1"
    assert lines[2] == lines[5] == "did 3"
    assert lines[1] == lines[4]
    if name == "pay":
        assert "outcome unknown" in lines[1]
        assert "check whether it took effect" in lines[1]
        assert "outcome unknown" in lines[6]
        assert ran == ["1", "2", "3"]
    else:
        assert "outcome not_started" in lines[1]
        assert lines[6] == "did 2"
        assert ran == ["1", "2", "3", "2"]


async def test_a_transcript_broken_before_any_call_ran_says_not_started(tmp_path: Path) -> None:
    of = Runtime(policy=EVERYTHING, store=SqlStore(tmp_path / "kept.db"))
    answers = await of.recover(Session(id="s"), turn(("pay", "{}"), ("pay", "{}"), id=""))
    await of.close()

    assert [each.result.failure and each.result.failure.outcome for each in answers] == ["not_started", "not_started"]
