"""Servers that misbehave, behind one gateway: told in one line, and the others answer meanwhile."""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from hilt.assembly.gateway.settings import ServerSpec, server_of
from hilt.assembly.pinning import Checked, Pinning
from hilt.results.envelope import Status
from tests.unit.assembly.gateway.kit import SOON_S, Told, behind, entry

FLOODS = "import sys\nsys.stdin.readline()\nfor _ in range(50): sys.stdout.write('x' * (1 << 20))\nsys.stdin.read()"
NONSENSE = "import sys\nfor line in sys.stdin: print('{\"jsonrpc\": 1', flush=True)"
HANGS = "import sys\nfor line in sys.stdin: pass"
MANY = 10_000


def python(name: str, code: str) -> ServerSpec:
    return server_of(name, {"command": sys.executable, "args": ["-S", "-c", code], "startup_timeout_s": 2}, {})


@pytest.mark.parametrize("code", [FLOODS, NONSENSE, HANGS], ids=["floods", "nonsense", "hangs"])
async def test_a_server_that_says_nothing_of_use_is_told_once_and_harms_no_other(tmp_path: Path, code: str) -> None:
    one = Told(tmp_path, "one", "read")

    async with behind(python("bad", code), one.spec()) as held:
        answer = await held.call("one__read")
        again = await held.call("one__read")
        fault = held.state("bad").fault

    assert answer.result.status is Status.SUCCESS
    assert fault
    told = [note for note in answer.result.notes if "the server bad" in note]
    assert len(told) == 1
    assert "\n" not in told[0]
    assert not any("the server bad cannot be used" in note for note in again.result.notes)


@pytest.mark.timeout(180)
async def test_a_server_with_ten_thousand_tools_is_offered_whole_and_in_one_line(tmp_path: Path) -> None:
    many = Told(tmp_path, "many", *(entry(f"tool_{number}", f"Does the thing {number}.") for number in range(MANY)))
    one = Told(tmp_path, "one", "read")

    async with behind(many.spec(), one.spec()) as held:
        with anyio.fail_after(SOON_S * 6):
            await held.gateway.ready("many")
        answer = await held.call(f"many__tool_{MANY - 1}")
        other = await held.call("one__read")

        assert len(held.names) == MANY + 1

    assert json.loads(str(answer.result.items[0]))["called"] == f"tool_{MANY - 1}"
    assert other.result.status is Status.SUCCESS
    assert sum(len(note) for note in answer.result.notes) < 1_000


async def test_a_server_that_changes_its_tools_all_the_time_is_not_heard_all_the_time(tmp_path: Path) -> None:
    one = Told(tmp_path, "one", "change", entry("read", "0"))

    async with behind(one.spec()) as held:
        heard: list[str] = []
        for number in range(20):
            one.lists("change", entry("read", str(number)))
            answer = await held.call("one__change")
            heard += answer.result.notes
            assert answer.result.status is Status.SUCCESS

    assert len([note for note in heard if "read" in note]) < 20


async def test_a_list_that_breaks_its_reader_harms_no_other_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = Told(tmp_path, "one", "read"), Told(tmp_path, "two", "read")
    check = Pinning.check

    async def broken(self: Pinning, server: str, *others: Any, **options: Any) -> Checked:
        if server == "one":
            raise KeyError("a fault that nobody thought of")
        return await check(self, server, *others, **options)

    monkeypatch.setattr(Pinning, "check", broken)
    async with behind(one.spec(), two.spec()) as held:
        answer = await held.call("two__read")
        fault = held.state("one").fault
    assert not answer.result.is_error
    assert fault == "its list cannot be taken in (KeyError)"
