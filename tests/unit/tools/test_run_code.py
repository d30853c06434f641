import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after

from hilt import Session
from hilt.calls.answer import Answer
from hilt.runtime.runtime import Runtime
from hilt.tools.artifact_read import artifact_read
from hilt.tools.run_code import run_code
from hilt.workspace import Workspace
from hilt.workspace.code import Interpreters
from hilt.workspace.processes import Processes
from tests import kit
from tests.commands import item

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")]
WAIT_S = 30


@dataclass(frozen=True, slots=True)
class Python:
    runtime: Runtime
    session: Session

    async def run(self, code: str, session: Session | None = None, **arguments: Any) -> Answer:
        with fail_after(WAIT_S):
            return await kit.answered(
                self.runtime, "run_code", json.dumps({"code": code, **arguments}), session or self.session
            )

    async def artifact(self, id: str, **arguments: Any) -> Answer:
        return await kit.answered(
            self.runtime, "artifact_read", json.dumps({"artifact": id, **arguments}), self.session
        )


@asynccontextmanager
async def python(root: Path) -> AsyncGenerator[Python]:
    workspace, processes = Workspace([root]), Processes()
    parts = {Workspace: workspace, Processes: processes, Interpreters: Interpreters(processes)}
    runtime = kit.runtime(run_code, artifact_read, parts=parts, resolver=workspace)
    session = Session()
    try:
        await kit.answered(runtime, "run_code", json.dumps({"code": "1"}), session)  # which loads its declaration
        yield Python(runtime=runtime, session=session)
    finally:
        await processes.close()
        await runtime.close()


async def test_the_value_of_the_last_expression_comes_back_exact(tmp_path: Path) -> None:
    async with python(tmp_path) as py:
        answer = await py.run("x = 2 ** 4000\nx % 10**9 + 1")
        assert item(answer) == {"output": "", "result": str(2**4000 % 10**9 + 1)}
        assert answer.result.status == "success"
