"""The search program: the pinned one, told apart from its failures, and never left running."""

import os
import signal
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.search.program import Run, collect, program, side_by_side, stream


def test_the_program_is_the_one_of_the_installed_package() -> None:
    assert Path(program()).is_file()
    assert Path(program()).name == "rg"


async def test_a_run_tells_found_from_nothing_found_and_from_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hit\n", encoding="utf-8")

    found = await collect(Run(options=["--regexp=hit", "--", str(tmp_path)]))
    nothing = await collect(Run(options=["--regexp=absent", "--", str(tmp_path)]))
    wrong = await collect(Run(options=["--no-such-option"]))

    assert (found.code, found.output) == (0, f"{tmp_path}/a:hit\n".encode())
    assert (nothing.code, nothing.output, nothing.complaints) == (1, b"", "")
    assert wrong.code == 2
    assert "no-such-option" in wrong.complaints


async def test_a_program_killed_by_others_is_an_environment_failure_with_the_signal(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(8 << 30)
    run = Run(options=["--text", "--regexp=absent", "--", str(tmp_path)])

    async def kill() -> None:
        while not (found := searching(tmp_path)):
            await anyio.lowlevel.checkpoint()
        os.kill(found, signal.SIGKILL)

    caught: list[EnvironmentFailure] = []
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill)
            try:
                await collect(run)
            except EnvironmentFailure as failure:
                caught.append(failure)

    assert "signal 9 (SIGKILL)" in caught[0].problem


def searching(folder: Path) -> int:
    """The process that searches `folder`; 0 while there is none."""
    for each in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (each / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if arguments[0].endswith(b"rg") and str(folder).encode() in arguments:
            return int(each.name)
    return 0


async def test_a_reader_that_has_enough_ends_the_run(tmp_path: Path) -> None:
    with (tmp_path / "lines").open("wb") as file:
        file.write(b"hit\n" * 1_000_000)
    seen: list[int] = []

    def feed(block: bytes) -> bool:
        seen.append(len(block))
        return False

    with anyio.fail_after(5):
        await stream(Run(options=["--regexp=hit", "--", str(tmp_path)]), feed)

    assert len(seen) == 1


async def test_runs_side_by_side_give_their_results_in_order_and_their_failure_bare() -> None:
    async def first() -> int:
        await anyio.lowlevel.checkpoint()
        return 1

    async def second() -> int:
        return 2

    async def failing() -> int:
        raise InvalidArguments("wrong", "do it right")

    assert await side_by_side(first, second) == [1, 2]
    with pytest.raises(InvalidArguments):
        await side_by_side(first, failing)
