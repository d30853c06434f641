"""What is promised of `run_code`: an interpreter instead of many small tools, bounded, honest about what went wrong."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after

from hilt import Runtime, Session
from hilt.calls.answer import Answer
from hilt.tools.run_code import run_code
from hilt.workspace import Workspace
from hilt.workspace.code import Interpreters
from hilt.workspace.processes import Processes
from tests.commands import item, running
from tests.kit import EVERYTHING

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 60
Run = Callable[..., Awaitable[Answer]]


@asynccontextmanager
async def interpreter(root: Path) -> AsyncGenerator[Run]:
    processes, workspace = Processes(), Workspace([root])
    parts = {Interpreters: Interpreters(processes), Workspace: workspace}
    runtime = Runtime([run_code], parts=parts, policy=EVERYTHING)
    session = Session()

    async def run(code: str, **arguments: Any) -> Answer:
        with fail_after(WAIT_S):
            return await runtime.answer_one(session, "run_code", json.dumps({"code": code, **arguments}))

    try:
        yield run
    finally:
        await processes.close()
        await runtime.close()


async def test_req_H2_code_answers_exactly_keeps_its_variables_on_request_and_hands_files_out(tmp_path: Path) -> None:
    async with interpreter(tmp_path) as run:
        exact = await run("from fractions import Fraction\nsum(Fraction(1, n) for n in range(1, 31))")
        assert item(exact)["result"] == "Fraction(9304682830147, 2329089562800)"
        await run("rows = [3, 1, 2]", keep=True)
        kept = await run("rows.sort()\nopen('rows.csv', 'w').write('\\n'.join(map(str, rows)))\nrows", keep=True)
        assert item(kept)["result"] == "[1, 2, 3]"
        assert [each["name"] for each in item(kept)["files"]] == ["rows.csv"]
        assert item(await run("rows"))["error"]["message"] == "name 'rows' is not defined"


async def test_req_H2_code_that_fails_hangs_or_dies_is_told_apart_and_leaves_nothing(tmp_path: Path) -> None:
    async with interpreter(tmp_path) as run:
        raised = await run("def half(n):\n    return n / 0\nprint('begun')\nhalf(1)")
        dead = await run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        late = await run("import subprocess\nsubprocess.run(['sleep', '67.25'])", timeout_s=1)
        assert not running("67.25")
    assert raised.text.startswith("ZeroDivisionError in line 2: division by zero\nbegun\n")
    assert "line 4: half(1)\n  line 2, in half: return n / 0" in raised.text
    assert (raised.result.status, dead.result.status, late.result.status) == ("success", "success", "error")
    assert "died of SIGKILL" in dead.text
    assert late.result.failure is not None
    assert (late.result.failure.kind, late.result.failure.outcome) == ("aborted", "unknown")
