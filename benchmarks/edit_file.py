"""`edit_file` of one place in 50 MB, its digests included, against reading and writing the same file; and kill -9.

With `--full` processes are killed at random moments of 1,000 edits, and every file they leave is looked at.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import Options, Row, in_turns, medians, options, ratio, report

from hilt import Runtime, Session
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.tools.edit_file import edit_file
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace

LINES = 690_000
EDITED = LINES * 2 // 3
EDITS = 1_000
LONGEST_LIFE_S = 0.5
BETWEEN = 20_000


def main(asked: Options) -> None:
    rounds = 31 if asked.full else 11
    with TemporaryDirectory(prefix="hilt-benchmark-") as folder:
        path = Path(folder, "big.txt")
        path.write_text(
            "".join(
                f"line {number:06d} of a file that is edited in one place, and not in others\n"
                for number in range(LINES)
            )
        )
        editor = Editor(path)
        contenders = {"hilt": editor.edit, "read and write": lambda: copied(path)}
        in_turns(contenders, 1)
        measured = in_turns(contenders, rounds)
        detail = f"{medians(measured, 'ms')}; {path.stat().st_size / 1e6:.0f} MB"
        value = ratio(measured, "hilt", "read and write")
        report(Row(name="edit_file 50 MB / read and write", goal=2.0, value=value, detail=detail), asked)
        editor.close()
    if asked.full:
        edits, kills, torn = killed(EDITS)
        detail = f"{edits:,} edits, {kills} processes killed"
        report(Row(name="files torn or left over by kill -9", goal=0, value=torn, unit="files", detail=detail), asked)


class Editor:
    """One session that edits the file again and again, each time in the same line."""

    def __init__(self, path: Path) -> None:
        self._path, self._session, self._numbers = path, Session(), count()
        self._loop = asyncio.new_event_loop()
        self._runtime = runtime(path.parent)
        self._call("read_file", path=str(path), limit=1)

    def edit(self) -> float:
        """Milliseconds of one edit through the whole road."""
        number = next(self._numbers)
        at = f"line {EDITED:06d} of a file"
        old, new = at + " again" * (number % 2), at + " again" * ((number + 1) % 2)
        tail = " that is edited"
        started = time.perf_counter()
        self._call("edit_file", path=str(self._path), edits=[{"old": old + tail, "new": new + tail}])
        return (time.perf_counter() - started) * 1e3

    def _call(self, tool: str, **arguments: object) -> None:
        result = self._loop.run_until_complete(self._runtime.call(self._session, tool, arguments))
        if result.is_error:
            raise SystemExit(f"{tool}: {result.summary}")

    def close(self) -> None:
        self._loop.run_until_complete(self._runtime.close())
        self._loop.close()


def copied(path: Path) -> float:
    """Milliseconds to read the file and write it over another of its size, whose old pages go, as an edit's do."""
    copy = path.with_suffix(".copy")
    started = time.perf_counter()
    copy.write_bytes(path.read_bytes())
    return (time.perf_counter() - started) * 1e3


def runtime(folder: Path) -> Runtime:
    world = Workspace([folder])
    allowed = Policy(rules=(Rule(word="allow"),))
    return Runtime([edit_file, read_file], parts={Workspace: world}, resolver=world, policy=allowed)


def killed(edits: int) -> tuple[int, int, int]:
    """Edits made, processes killed, and files that were neither old nor new, or should not have been there."""
    chance = random.Random(1)
    torn = kills = made = 0
    with TemporaryDirectory(prefix="hilt-benchmark-") as folder:
        path = Path(folder, "f.txt")
        path.write_text(state(0))
        while made < edits:
            command = [sys.executable, __file__, "--edit", str(path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as editing:
                editing.stdout.readline() if editing.stdout else None
                time.sleep(chance.random() * LONGEST_LIFE_S)
                os.kill(editing.pid, signal.SIGKILL)
            kills += 1
            text = path.read_text()
            made = int(text.split()[1])
            torn += (text != state(made)) + len(list(Path(folder).iterdir())) - 1
    return made, kills, torn


def state(number: int) -> str:
    between = "".join(f"line {line} of what stands between\n" for line in range(BETWEEN))
    return f"first {number} of two\n{between}last {number} of two\n"


def number_in(path: Path) -> int:
    return int(path.read_text().split()[1])


async def edit_on(path: Path) -> None:
    """Edit the first and the last line together, until killed."""
    editing, session = runtime(path.parent), Session()
    await editing.call(session, "read_file", {"path": str(path), "limit": 1})
    print("started", flush=True)
    for number in count(number_in(path)):
        edits = [{"old": f"{place} {number} ", "new": f"{place} {number + 1} "} for place in ("first", "last")]
        result = await editing.call(session, "edit_file", {"path": str(path), "edits": edits})
        if result.is_error:
            raise SystemExit(result.summary)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--edit"]:
        asyncio.run(edit_on(Path(sys.argv[2])))
    else:
        main(options(__doc__))
