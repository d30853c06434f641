"""One server that does as it should: connected to when asked, kept, told of, cancelled, closed."""

import json
import os
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from hilt.adapters.upstream import Change, StdioPlace, Upstream
from hilt.adapters.upstream.wording import REPORT
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from tests.unit.adapters.upstream.kept import QUICK, SERVER, kept, notes, place, texts, until


async def test_a_server_is_started_by_the_first_question_and_kept_for_the_next(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path)) as upstream:
        assert (upstream.state, (tmp_path / "starts").exists()) == ("idle", False)
        tools = await upstream.tools()
        answers = [texts(await upstream.call("echo", {"n": each})) for each in range(3)]

        assert [each["name"] for each in tools] == ["echo", "slow"]
        assert answers == [[f'{{"n": {each}}}'] for each in range(3)]
        assert (upstream.state, upstream.server_name, upstream.instructions) == ("ready", "the server", "Ask kindly.")
        assert upstream.protocol == "2025-11-25"
    assert (tmp_path / "starts").read_text() == "x"
    assert upstream.line == "files closed"
    with pytest.raises(EnvironmentFailure, match="closed"):
        await upstream.call("echo", {})


async def test_calls_run_at_the_same_time_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    answers: dict[int, list[str]] = {}

    async def one(upstream: Upstream, number: int) -> None:
        answers[number] = list(texts(await upstream.call("echo", {"n": number})))

    async with kept(place("out-of-order", tmp_path)) as upstream, anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(one, upstream, number)
    assert answers == {number: [f'{{"n": {number}}}'] for number in range(10)}


async def test_arguments_come_as_they_were_whatever_they_hold(tmp_path: Path) -> None:
    arguments = {"text": "é\u2028\n\ud800 日本", "deep": [[{"a": None}]], "big": 10**20, "long": "x" * 3_000_000}
    async with kept(place("good", tmp_path), replace(QUICK, frame_bytes=32 << 20)) as upstream:
        (said,) = texts(await upstream.call("echo", arguments))
    assert json.loads(said) == arguments


async def test_a_cancelled_call_is_free_at_once_and_the_server_is_told(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path)) as upstream:
        async with anyio.create_task_group() as group:
            group.start_soon(upstream.call, "slow", {})
            await until(lambda: "slow" in notes(tmp_path))
            group.cancel_scope.cancel()
        assert texts(await upstream.call("echo", {})) == ["{}"]
        told = [json.loads(each) for each in notes(tmp_path) if each.startswith("{")]
    assert [each["method"] for each in told] == ["notifications/initialized", "notifications/cancelled"]
    assert told[1]["params"]["requestId"] == 2


async def test_progress_reaches_the_caller_and_what_is_no_progress_does_not(tmp_path: Path) -> None:
    seen: list[tuple[float, float | None, str]] = []
    async with kept(place("progress", tmp_path)) as upstream:
        result = await upstream.call("echo", {}, progress=lambda *step: seen.append(step))
    assert seen == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
    assert texts(result) == ["done"]


async def test_a_listener_that_fails_harms_no_call(tmp_path: Path) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a listener's own fault")

    async with kept(place("progress", tmp_path)) as upstream:
        upstream.listen(fails)
        assert texts(await upstream.call("echo", {}, progress=fails)) == ["done"]


async def test_changes_of_a_server_are_told_once_each(tmp_path: Path) -> None:
    seen: list[Change] = []
    async with kept(place("change", tmp_path)) as upstream:
        upstream.listen(seen.append)
        for _ in range(3):
            await upstream.call("echo", {})
        await until(lambda: any(each.kind == "prompts" for each in seen))
    kinds = [each.kind for each in seen]
    assert [kinds.count(each) for each in ("tools", "resources", "prompts")] == [1, 1, 1]
    assert [each.line for each in seen if each.kind == "state"] == ["files connecting", "files ready", "files closed"]


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("invalid", InvalidArguments, "does not take these arguments for echo: path: must be absolute"),
        ("unknown", EnvironmentFailure, "has no such call: path: must be absolute"),
        ("error", EnvironmentFailure, "answered echo with error -32000: path: must be absolute"),
        ("input-required", EnvironmentFailure, "asks for an answer of a person"),
    ],
)
async def test_an_error_of_the_server_has_its_class_and_its_words(
    tmp_path: Path, way: str, kind: type[Exception], said: str
) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        with pytest.raises(kind, match=said) as failed:
            await upstream.call("echo", {})
        assert upstream.state == "ready"
    assert "\n" not in str(failed.value)


async def test_what_the_server_asks_of_us_is_answered(tmp_path: Path) -> None:
    async with kept(place("asks", tmp_path)) as upstream:
        (said,) = texts(await upstream.call("echo", {}))
    answers = json.loads(said)
    assert [each.get("error", {}).get("code") for each in answers] == [-32601, -32601, -32601, None]
    assert answers[0]["error"]["message"] == "sampling/createMessage is not offered here"
    assert answers[3]["result"] == {}


async def test_a_server_without_a_handshake_is_met_in_its_own_way(tmp_path: Path) -> None:
    seen: list[Change] = []
    async with kept(place("modern", tmp_path)) as upstream:
        upstream.listen(seen.append)
        (said,) = texts(await upstream.call("echo", {}))
        await until(lambda: any(each.kind == "tools" for each in seen))
        assert (upstream.protocol, upstream.server_name) == ("2026-07-28", "newer")
    meta = json.loads(said)
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "hilt"
    assert notes(tmp_path)[0] == '{"toolsListChanged": true}'


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("future", "it speaks protocols 2031-01-01"),
        ("old", "it speaks protocol 1.0; known are 2025-11-25"),
        ("refuse", "it refused the handshake with error -32000: path: must be absolute"),
        ("number", "its first answer is of no use: its result is no object"),
    ],
)
async def test_a_server_that_no_protocol_is_shared_with_is_told_as_such(tmp_path: Path, way: str, said: str) -> None:
    async with kept(place(way, tmp_path)) as upstream:
        with pytest.raises(EnvironmentFailure, match=said) as failed:
            await upstream.call("echo", {})
    assert failed.value.next_steps[0] == REPORT


async def test_resources_and_prompts_are_listed_and_read(tmp_path: Path) -> None:
    async with kept(place("rich", tmp_path)) as upstream:
        assert await upstream.resources() == ({"name": "resources", "uri": "a:b"},)
        assert await upstream.resource_templates() == ({"name": "resourceTemplates", "uri": "a:b"},)
        assert await upstream.prompts() == ({"name": "prompts", "uri": "a:b"},)
        assert await upstream.read_resource("a:b") == {"params": {"uri": "a:b"}}
        assert await upstream.prompt("p", {"x": "1"}) == {"params": {"name": "p", "arguments": {"x": "1"}}}


async def test_a_server_without_resources_has_none(tmp_path: Path) -> None:
    async with kept(place("modern", tmp_path)) as without, kept(place("good", tmp_path)) as refusing:
        assert await without.resources() == ()
        assert await refusing.prompts() == ()


async def test_a_server_gets_a_minimal_environment_its_additions_and_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "not for servers")
    where = place("environment", tmp_path, env={"GITHUB_TOKEN": "given"}, cwd=tmp_path)
    async with kept(where) as upstream:
        (said,) = texts(await upstream.call("echo", {}))
    told = json.loads(said)
    assert told["env"]["GITHUB_TOKEN"] == "given"  # too short to be looked for
    assert "SOME_API_KEY" not in told["env"]
    assert told["env"]["PATH"] == os.environ["PATH"]
    assert told["cwd"] == str(tmp_path)
    assert told["argv"] == [str(SERVER), "environment", str(tmp_path)]


async def test_a_server_that_was_never_asked_for_is_closed_without_a_start(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path)) as upstream:
        pass
    assert not (tmp_path / "starts").exists()
    await upstream.run()
    assert upstream.state == "closed"
    unrun = Upstream("other", StdioPlace(("true",)))
    await unrun.close()
    assert unrun.state == "closed"


async def test_a_server_that_is_woken_connects_though_nobody_asks(tmp_path: Path) -> None:
    async with kept(place("good", tmp_path)) as upstream:
        upstream.wake()
        await until(lambda: upstream.state == "ready")


async def test_a_server_that_shows_its_environment_shows_no_credential_it_was_given(tmp_path: Path) -> None:
    given = {"GITHUB_TOKEN": 'given "and quoted"', "GIT_AUTHOR_NAME": "Ann Example", "SSH_KEY": "/home/ann/.key/x"}
    async with kept(place("environment", tmp_path, env=given)) as upstream:
        (said,) = texts(await upstream.call("echo", {}))
    told = json.loads(said)["env"]
    assert "given" not in said
    assert told["GITHUB_TOKEN"] == "[hilt masked: GITHUB_TOKEN]"
    assert told["GIT_AUTHOR_NAME"] == "Ann Example"
    assert told["SSH_KEY"] == "/home/ann/.key/x"
