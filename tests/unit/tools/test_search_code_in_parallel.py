"""Searches beside each other, in a process that may open few files."""

import resource
import subprocess
import sys
from pathlib import Path

from hilt.workspace.search.page import MOST_FILES_A_RUN
from hilt.workspace.workspace import MANY_FILES_AT_ONCE

FEW = MOST_FILES_A_RUN * MANY_FILES_AT_ONCE + 150
SEARCHES = """
import json, resource, sys
from pathlib import Path
import anyio
from hilt import Runtime, Session, ToolCall
from hilt.calls.call import Turn
from hilt.tools.search_code import search_code
from hilt.workspace.workspace import Workspace

resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]),) * 2)
workspace = Workspace([Path(sys.argv[1])])
runtime = Runtime([search_code], parts={Workspace: workspace}, resolver=workspace)
calls = [
    ToolCall(name="search_code", id=f"c{n}", arguments=json.dumps({"pattern": f"word{n}$", "output": "content"}))
    for n in range(12)
]

async def main():
    for answer in await runtime.answer(Session(), Turn(id="t", calls=tuple(calls))):
        print(answer.result.status, len(answer.result.items), answer.result.summary, *answer.result.notes)

anyio.run(main)
"""


def test_many_searches_at_once_need_no_more_descriptors_than_two(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= FEW
    for number in range(MOST_FILES_A_RUN):
        (tmp_path / f"{number}.txt").write_text("".join(f"word{n}\n" for n in range(12)))

    finished = subprocess.run(
        [sys.executable, "-c", SEARCHES, str(tmp_path), str(FEW)],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert finished.stderr == ""
    assert finished.stdout.splitlines() == ["success 250 250 matching lines in 250 files"] * 12
