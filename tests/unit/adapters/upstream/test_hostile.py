"""Servers that hang, crash, flood and talk nonsense: each told in one line, none harming another or this process."""

import os
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from hilt.adapters.upstream import Limits, ServerUnreachable, StdioPlace, Upstream
from hilt.adapters.upstream.frames import LINE_CHARS, MOST_LINES, MOST_PIECE, LastLines
from hilt.adapters.upstream.peer import Peer
from hilt.results.failures import Aborted, EnvironmentFailure, Outcome, Retryable, ToolFailure
from tests.unit.adapters.upstream.kept import QUICK, kept, notes, place, texts, until

HOST = Path(__file__).with_name("host.py")
HASTY = replace(QUICK, start_s=0.5, list_s=0.5)


async def failure_of(upstream: Upstream, tool: str = "echo") -> ToolFailure:
    """How a call fails; its words are one line of bounded length."""
    with pytest.raises(ToolFailure) as failed:
        await upstream.call(tool, {})
    assert "\n" not in failed.value.problem
    assert "Traceback" not in failed.value.problem
    assert len(failed.value.problem) < 5_000
    return failed.value


async def test_a_server_that_hangs_at_its_start_is_given_up_on(tmp_path: Path) -> None:
    async with kept(place("hang-at-start", tmp_path), HASTY) as upstream:
        failure = await failure_of(upstream)
    assert isinstance(failure, EnvironmentFailure)
    assert "did not answer within 0.5 s of its start" in failure.problem


async def test_a_server_that_hangs_at_its_list_is_told_and_goes_on(tmp_path: Path) -> None:
    async with kept(place("hang-at-list", tmp_path), replace(QUICK, list_s=0.5)) as upstream:
        with pytest.raises(ServerUnreachable, match=r"did not answer tools/list within 0\.5 s"):
            await upstream.tools()
        assert upstream.state == "ready"


async def test_a_server_that_hangs_in_a_call_harms_no_other_server(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path)) as hanging, kept(place("good", tmp_path)) as other:
        with anyio.move_on_after(1) as cut:
            await hanging.call("slow", {})
        assert cut.cancelled_caught
        assert texts(await other.call("echo", {})) == ["{}"]
        assert texts(await hanging.call("echo", {})) == ["{}"]


async def test_a_server_that_ends_at_once_is_told_with_its_code_and_its_last_lines(tmp_path: Path) -> None:
    async with kept(place("crash-at-start", tmp_path), replace(QUICK, tries=2)) as upstream:
        failure = await failure_of(upstream)
        await until(lambda: upstream.state == "failed")
        assert upstream.last_lines[:2] == ("loading", "no such option: --frob")
        assert "files failed: it ended with exit code 3; it last wrote: loading | no such option" in upstream.line
        again = await failure_of(upstream)
    assert isinstance(failure, EnvironmentFailure)
    assert isinstance(again, EnvironmentFailure)
    assert "cannot be reached: it ended with exit code 3; it last wrote: loading | no such option" in failure.problem
    assert failure.next_steps[1].startswith("the person can: run it by hand and see what it says: ")


async def test_a_server_that_came_up_at_the_second_try_answers(tmp_path: Path) -> None:
    async with kept(place("crash-at-first-start", tmp_path)) as upstream:
        assert isinstance(await failure_of(upstream), EnvironmentFailure)
        assert texts(await upstream.call("echo", {})) == ["{}"]
        assert (upstream.state, upstream.restarts, upstream.fault) == ("ready", 0, "")


async def test_a_call_that_a_crash_cut_is_of_unknown_outcome_and_the_next_finds_a_new_server(tmp_path: Path) -> None:
    async with kept(place("crash-once", tmp_path)) as upstream:
        failure = await failure_of(upstream)
        assert texts(await upstream.call("echo", {})) == ["second life"]
        assert upstream.restarts == 1
    assert isinstance(failure, Aborted)
    assert failure.outcome is Outcome.UNKNOWN
    assert "it ended with exit code 9; it last wrote: Segmentation fault in libfrob" in failure.problem


async def test_every_call_that_runs_is_cut_by_a_crash(tmp_path: Path) -> None:
    failures: list[ToolFailure] = []

    async def slow(upstream: Upstream) -> None:
        failures.append(await failure_of(upstream, "slow"))

    async with kept(place("crash-when-told", tmp_path)) as upstream, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(slow, upstream)
        await until(lambda: notes(tmp_path).count("slow") == 5)
        failures.append(await failure_of(upstream, "crash"))
    assert [type(each) for each in failures] == [Aborted] * 6


async def test_a_server_that_crashes_each_time_is_tried_later_and_later(tmp_path: Path) -> None:
    limits = replace(QUICK, first_delay_s=0.05, longest_delay_s=5, tries=9)
    async with kept(place("crash", tmp_path), limits) as upstream:
        for _ in range(4):
            assert isinstance(await failure_of(upstream), Aborted)
        await until(lambda: upstream.state == "waiting")
        assert "tried again in 0." in upstream.line
    assert (tmp_path / "starts").read_text() == "xxxx"


async def test_a_server_far_from_its_next_try_is_told_with_the_seconds(tmp_path: Path) -> None:
    async with kept(place("crash", tmp_path), replace(QUICK, first_delay_s=20, longest_delay_s=20)) as upstream:
        assert isinstance(await failure_of(upstream), Aborted)
        await until(lambda: upstream.state == "waiting")
        failure = await failure_of(upstream)
        with pytest.raises(ServerUnreachable, match="is being restarted"):
            await upstream.tools()
    assert isinstance(failure, Retryable)
    assert failure.retry_after_s is not None
    assert 1 < failure.retry_after_s <= 20
    assert failure.next_steps[0] == f"call it again in {failure.retry_after_s:g} s"


def test_delays_double_to_a_bound() -> None:
    limits = Limits()
    assert [limits.delay_s(each) for each in range(1, 10)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("half-frame", "its answer is no JSON-RPC message: the frame is not one JSON object"),
        ("half-frame-without-id", "its answer is no JSON-RPC message: the frame is not one JSON object"),
        ("not-utf8", "is not UTF-8"),
        ("twice", "the key 'a' is given twice"),
        ("number", "its first answer is of no use: its result is no object"),
    ],
)
async def test_an_answer_that_is_no_message_fails_its_call_alone(tmp_path: Path, way: str, said: str) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        failure = await failure_of(upstream)
        assert isinstance(failure, EnvironmentFailure)
        assert said in failure.problem
        if way != "number":
            assert (upstream.state, upstream.restarts) == ("ready", 0)
            assert await upstream.tools()


async def test_what_a_server_prints_between_its_messages_is_kept_for_people(tmp_path: Path) -> None:
    async with kept(place("strays", tmp_path)) as upstream:
        assert len(await upstream.tools()) == 2
        assert texts(await upstream.call("echo", {})) == ["{}"]
        assert "on its standard output: Server is running!" in upstream.last_lines
        assert 'on its standard output: {"level":"info"}' in upstream.last_lines
        assert upstream.state == "ready"


@pytest.mark.parametrize("way", ["large", "large-id-last", "large-without-id"])
async def test_an_answer_of_50_megabytes_is_skipped_and_told(tmp_path: Path, way: str) -> None:
    async with kept(place(way, tmp_path), replace(QUICK, frame_bytes=16 << 20)) as upstream:
        failure = await failure_of(upstream)
        assert isinstance(failure, EnvironmentFailure)
        assert "its answer is over 16,777,216 bytes" in failure.problem
        assert failure.next_steps[0] == "ask it for less at a time"
        assert (upstream.state, upstream.restarts) == ("ready", 0)
        assert await upstream.tools()


async def test_a_large_answer_to_nobody_knows_whom_restarts_the_server(tmp_path: Path) -> None:
    where, limits = place("large-without-id", tmp_path), replace(QUICK, frame_bytes=16 << 20)
    async with kept(where, limits) as upstream, anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(failure_of, upstream)
        await until(lambda: "too large to tell whom it answers" in upstream.fault)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("endless-line", "it writes a line without end to its standard output"),
        ("endless-lines", "it floods: over 50,000 messages nobody asked for"),
        ("endless-notices", "it floods: over 50,000 messages nobody asked for"),
    ],
)
async def test_a_server_that_floods_is_restarted(tmp_path: Path, way: str, said: str) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        failure = await failure_of(upstream)
        assert isinstance(failure, Aborted)
        assert said in failure.problem
        assert len(await upstream.tools()) == 2
        assert upstream.restarts == 1


async def test_a_flooded_standard_error_is_bounded_and_keeps_no_call_back(tmp_path: Path) -> None:
    async with kept(place("flood-errors", tmp_path)) as upstream:
        assert texts(await upstream.call("echo", {})) == ["flooded"]
        await until(lambda: "the last line" in upstream.last_lines)
        assert len(upstream.last_lines) <= MOST_LINES
        assert max(map(len, upstream.last_lines)) <= LINE_CHARS


@pytest.mark.parametrize("way", ["endless-pages", "same-page"])
async def test_a_list_without_end_is_told(tmp_path: Path, way: str) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        with pytest.raises(ServerUnreachable, match=r"its list does not end: [\d,]+ entries on [\d,]+ pages"):
            await upstream.tools()
        assert upstream.state == "ready"


async def test_ten_thousand_tools_are_listed(tmp_path: Path) -> None:
    async with kept(place("many-tools", tmp_path)) as upstream:
        assert len(await upstream.tools()) == 10_000


@pytest.mark.parametrize(
    ("way", "said"),
    [("no-list", "it holds no list of tools"), ("error", "with error -32000: path: must be absolute")],
)
async def test_a_list_that_is_none_is_told(tmp_path: Path, way: str, said: str) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        with pytest.raises(ServerUnreachable, match=said):
            await upstream.tools()


async def test_a_server_that_closes_its_output_but_lives_is_ended(tmp_path: Path) -> None:
    async with kept(place("close-output", tmp_path)) as upstream:
        failure = await failure_of(upstream)
        assert "it closed its output" in failure.problem
        assert await upstream.tools()
        assert upstream.restarts == 1


async def test_a_server_that_closes_its_input_but_lives_is_ended_and_the_call_was_not_made(tmp_path: Path) -> None:
    async with kept(place("close-input", tmp_path)) as upstream:
        assert texts(await upstream.call("echo", {})) == ["closed"]
        failure = await failure_of(upstream)
        assert isinstance(failure, Retryable)
        assert "did not reach it" in failure.problem
        assert await upstream.tools()


async def test_an_answer_whose_id_became_text_is_the_answer(tmp_path: Path) -> None:
    async with kept(place("id-as-text", tmp_path)) as upstream:
        assert texts(await upstream.call("echo", {})) == ["text"]


async def test_a_command_that_is_empty_is_told() -> None:
    async with kept(StdioPlace(())) as upstream:
        assert "its command is empty" in (await failure_of(upstream)).problem


async def test_a_word_no_process_can_be_given_is_told(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path, "a\0b"), replace(QUICK, tries=1)) as upstream:
        assert "it could not be run: Invalid argument" in (await failure_of(upstream)).problem


def test_a_line_without_its_start_is_not_shown() -> None:
    lines = LastLines(lambda text: text.replace("secret", "***"))
    lines.feed(b"sec" + b"x" * MOST_PIECE + b"ret tail\nwhole secret\nhalf")
    lines.end()
    assert list(lines) == ["whole ***", "half"]


async def test_a_server_that_no_longer_reads_is_busy(tmp_path: Path) -> None:
    async with kept(place("stop-reading", tmp_path)) as upstream, anyio.create_task_group() as group:
        group.start_soon(upstream.call, "echo", {})
        await until(lambda: "reads no more" in notes(tmp_path))
        group.start_soon(upstream.call, "echo", {"text": "x" * (9 << 20)})
        await anyio.wait_all_tasks_blocked()
        failure = await failure_of(upstream)
        assert isinstance(failure, Retryable)
        assert "too busy" in failure.problem
        group.cancel_scope.cancel()


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_what_a_server_started_ends_with_it(tmp_path: Path) -> None:
    async with kept(place("child", tmp_path)) as upstream:
        await upstream.tools()
        child = int((tmp_path / "child").read_text())
        assert not is_gone(child)
    assert is_gone(child)


async def test_a_server_and_what_it_started_end_when_the_host_is_killed(tmp_path: Path) -> None:
    with anyio.fail_after(30):
        async with await anyio.open_process([sys.executable, str(HOST), str(tmp_path)], stderr=None) as host:
            assert host.stdout is not None
            assert await host.stdout.receive() == b"ready\n"
            child = int((tmp_path / "child").read_text())
            assert not is_gone(child)
            host.kill()
            await host.wait()
        await until(lambda: is_gone(child))


async def test_a_flood_takes_little_memory(tmp_path: Path) -> None:
    """The bound of a message, its copy while it is cut, and what else there is."""
    before = _memory()
    async with kept(place("large", tmp_path)) as upstream:
        await failure_of(upstream)
    async with kept(place("endless-line", tmp_path)) as upstream:
        await failure_of(upstream)
    assert _memory() - before < 16 << 20


def _open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _memory() -> int:
    """Bytes of memory this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


async def test_a_server_that_ends_is_noticed_though_its_child_holds_the_pipes(tmp_path: Path) -> None:
    async with kept(place("crash-with-child", tmp_path)) as upstream:
        failure = await failure_of(upstream)
        child = int((tmp_path / "child").read_text())
        assert "it ended with exit code 9" in failure.problem
        assert await upstream.tools()
        assert is_gone(child)


async def test_a_server_that_will_not_end_is_ended(tmp_path: Path) -> None:
    async with kept(place("stay", tmp_path)) as upstream:
        await upstream.tools()


async def test_a_program_that_is_missing_is_told_with_the_path(tmp_path: Path) -> None:
    async with kept(StdioPlace(("npx-of-nobody", "-y", "x"))) as upstream, kept(StdioPlace(("/no/such",))) as other:
        failure, no_path = await failure_of(upstream), await failure_of(other)
        assert upstream.state == "failed"
    assert isinstance(failure, EnvironmentFailure)
    assert "the program `npx-of-nobody` is not on the PATH it is started with (" in failure.problem
    assert failure.next_steps[1] == "the person can: give the program's whole path"
    assert "the program /no/such is not there, or may not be run" in no_path.problem


async def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path, cwd=tmp_path / "gone")) as upstream:
        assert "gone is not there" in (await failure_of(upstream)).problem


async def test_no_secret_is_repeated(tmp_path: Path) -> None:
    where = place("say-secret", tmp_path, "--key", "hunter2hunter2", "--api-token=tok-123456", env={"A_TOKEN": "e" * 9})
    async with kept(where) as upstream:
        await upstream.tools()
        await until(lambda: bool(upstream.last_lines))
        said = " ".join(upstream.last_lines) + repr(where) + where.shown
    assert "hunter2" not in said
    assert "tok-123456" not in said
    assert "abcdef123456" not in said
    assert "eeeee" not in said
    assert "--key [hilt masked: key]" in said


async def test_forty_servers_start_beside_one_that_hangs(tmp_path: Path) -> None:
    answers: list[str] = []

    async def one(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        async with kept(place("good", folder)) as upstream:
            answers.extend(texts(await upstream.call("echo", {"n": number})))

    async with kept(place("hang-at-start", tmp_path)) as hanging, anyio.create_task_group() as group:
        hanging.wake()
        for number in range(40):
            group.start_soon(one, number)
    assert len(answers) == 40


async def test_a_thousand_calls_over_twenty_servers_are_each_answered(tmp_path: Path) -> None:
    answers: set[str] = set()

    async def one(upstream: Upstream, number: int) -> None:
        answers.update(texts(await upstream.call("echo", {"n": number})))

    async with AsyncExitStack() as stack:
        servers: list[Upstream] = []
        for number in range(20):
            (tmp_path / str(number)).mkdir()
            servers.append(await stack.enter_async_context(kept(place("good", tmp_path / str(number)))))
        async with anyio.create_task_group() as group:
            for number in range(1_000):
                group.start_soon(one, servers[number % 20], number)
    assert answers == {f'{{"n": {number}}}' for number in range(1_000)}


async def test_restarts_leave_no_descriptor_open(tmp_path: Path) -> None:
    limits = replace(QUICK, first_delay_s=0.01, longest_delay_s=0.01, tries=99)
    async with kept(place("crash", tmp_path), limits) as upstream:
        assert isinstance(await failure_of(upstream), Aborted)
        await upstream.tools()
        before = _open_descriptors()
        for _ in range(5):
            assert isinstance(await failure_of(upstream), Aborted)
        await upstream.tools()
        assert _open_descriptors() == before
        assert upstream.restarts == 6


async def test_an_answer_under_an_id_of_thousands_of_digits_answers_nothing_and_the_next_message_is_heard(
    tmp_path: Path,
) -> None:
    async with kept(place("long-id", tmp_path)) as upstream:
        for _ in range(2):
            assert texts(await upstream.call("echo", {})) == ["behind it"]
        assert (upstream.state, upstream.restarts) == ("ready", 0)


async def test_a_message_that_cannot_be_taken_in_ends_its_connection_and_is_not_met_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with kept(place("good", tmp_path)) as upstream:
        assert texts(await upstream.call("echo", {})) == ["{}"]
        with monkeypatch.context() as broken:
            broken.setattr(Peer, "receive", _cannot)
            failure = await failure_of(upstream)
        assert texts(await upstream.call("echo", {})) == ["{}"]
    assert isinstance(failure, Aborted)
    assert "a message of it cannot be taken in (KeyError)" in failure.problem


def _cannot(_: Peer, __: object) -> None:
    raise KeyError("a fault that nobody thought of")
