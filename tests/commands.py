"""What tests of commands share: a runtime with a workspace and processes, its calls in short, and who still runs."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from hilt import Session
from hilt.calls.answer import Answer
from hilt.runtime.runtime import Runtime
from hilt.tools.artifact_read import artifact_read
from hilt.tools.command_input import command_input
from hilt.tools.command_list import command_list
from hilt.tools.command_output import command_output
from hilt.tools.command_stop import command_stop
from hilt.tools.read_file import read_file
from hilt.tools.run_command import run_command
from hilt.workspace import Workspace
from hilt.workspace.processes import Processes
from tests import kit


@dataclass(frozen=True, slots=True)
class Shell:
    """A session that runs commands below `root`."""

    root: Path
    runtime: Runtime
    processes: Processes
    session: Session

    async def call(self, tool: str = "run_command", **arguments: Any) -> Answer:
        return await kit.answered(self.runtime, tool, json.dumps(arguments), self.session)

    async def run(self, command: str, **arguments: Any) -> Answer:
        return await self.call(command=command, **arguments)


@asynccontextmanager
async def shell(root: Path) -> AsyncGenerator[Shell, None]:
    """A shell, whose processes end with the block."""
    workspace, processes = Workspace([root]), Processes()
    tools = (run_command, read_file, artifact_read, command_output, command_stop, command_list, command_input)
    runtime = kit.runtime(*tools, parts={Workspace: workspace, Processes: processes}, resolver=workspace)
    try:
        yield Shell(root=workspace.roots[0], runtime=runtime, processes=processes, session=Session())
    finally:
        await processes.close()
        await runtime.close()


def item(answer: Answer) -> Any:
    """The one item of an answer."""
    (only,) = answer.result.items
    return only


def running(mark: str) -> list[int]:
    """The processes whose command line holds `mark`, this one aside."""
    found: list[int] = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit() and int(each.name) != os.getpid():
            try:
                line = (each / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line:
                found.append(int(each.name))
    return found


async def none_left(mark: str) -> None:
    """Wait until no process of that mark runs; the caller's `fail_after` bounds it."""
    while running(mark):  # noqa: ASYNC110  # nobody sets an event when a process ends
        await anyio.sleep(0.02)


async def until_running(mark: str, count: int) -> None:
    """Wait until so many processes of that mark run; the caller's `fail_after` bounds it."""
    while len(running(mark)) < count:  # noqa: ASYNC110  # nobody sets an event when a process begins
        await anyio.sleep(0.02)
