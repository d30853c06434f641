"""A server of tools that misbehave, met by a client that does so too: whatever happens, MCP goes on being spoken."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import anyio
import pytest

from tests.mcp_clients.raw import LEGACY, MODERN, RawClient, alive, connected, gone, until

AT_ONCE = 1_000
ALLOW = {"action": "accept", "content": {"allow": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RawClient]:
    """A connection that tests share which leave the server as it was: starting one takes longer than the test."""
    async with connected(tmp_path_factory.mktemp("shared")) as client:
        await client.initialize()
        await client.call("echo", {"text": "the first result alone names the session"})
        yield client


async def test_req_A4_a_call_is_answered_once_and_under_its_id(client: RawClient) -> None:
    ids = [await client.start_call("echo", {"text": str(number)}) for number in range(AT_ONCE)]
    answers = {message["id"]: message["result"] for message in [await client.receive() for _ in ids]}
    after = await client.request("ping")

    assert {id: answer["content"][0]["text"] for id, answer in answers.items()} == {
        id: str(number) for number, id in enumerate(ids)
    }
    assert after["result"] == {}


async def test_req_A7_half_a_line_is_a_parse_error_and_the_next_line_is_served(folder: Path) -> None:
    """case-B113, from the server's side."""
    async with connected(folder) as client:
        await client.send(b"starting...")
        before = await client.receive()
        await client.initialize()
        await client.send(b'{"jsonrpc":"2.0","id":70,"method":"tools/ca')
        half = await client.answer(70)
        await client.send(b'[{"jsonrpc":"2.0","id":71,"method":"ping"}]')
        batch = await client.receive()
        ping = await client.request("ping")

    assert (before["id"], before["error"]["code"]) == (None, -32700)
    assert half["error"]["code"] == -32700
    assert (batch["id"], batch["error"]["code"]) == (None, -32600)
    assert ping["result"] == {}


async def test_req_A7_what_a_client_program_got_wrong_is_a_protocol_error(client: RawClient) -> None:
    unknown = await client.request("tools/destroy")
    unnamed = await client.request("tools/call", {"arguments": {}})
    await client.send(b'{"jsonrpc":"2.0","id":80,"method":"x","params":{"_meta":{"a":1,"a":2}}}')
    twice = await client.answer(80)
    await client.send(b'{"jsonrpc":"2.0","id":81,"method":"tools/call","params":{"name":"echo","_meta":{"a":"\xff"}}}')
    bytes_ = await client.answer(81)
    ping = await client.request("ping")

    assert unknown["error"]["code"] == -32601
    assert unnamed["error"]["code"] == -32602
    assert twice["error"]["code"] == -32700
    assert "UTF-8" in bytes_["error"]["message"]
    assert ping["result"] == {}


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("echoo", "{}", "did you mean echo"),
        ("echo", "[1]", "not one JSON object"),
        ("echo", '{"text":"a","text":"b"}', "twice"),
        ("echo", '{"text":7}', "text"),
        ("echo", '{"txt":"a"}', "text"),
        ("raises", "{}", "ValueError"),
        ("lies", "{}", "not as declared"),
    ],
    ids=["name", "list", "twice", "type", "unknown", "raises", "lies"],
)
async def test_req_A7_what_a_model_got_wrong_is_a_result_it_can_read(
    client: RawClient, name: str, arguments: str, says: str
) -> None:
    params = f'{{"name":"{name}","arguments":{arguments}}}'
    line = f'{{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{params}}}'
    await client.send(line.encode())
    answer = await client.answer(90)

    assert answer["result"]["isError"] is True
    assert says in answer["result"]["content"][0]["text"]
    assert "house" not in json.dumps(answer)


async def test_req_C1_arguments_reach_the_tool_as_the_model_wrote_them(client: RawClient) -> None:
    sent = '{"value":[18446744073709551617,0.1,-0.0,"\u201c\u00a0\ufeff\\u0041\\n","",null,[],{}]}'
    await client.send(
        f'{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"exact","arguments":{sent}}}}}'.encode()
    )
    answer = await client.answer(5)

    assert json.loads(answer["result"]["content"][0]["text"].split("\n", 1)[-1]) == json.loads(sent)


async def test_req_A7_nothing_a_tool_prints_reaches_the_client(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        printed = await client.call("prints")
        ping = await client.request("ping")
        code = await client.hang_up()

    assert printed["content"][0]["text"].endswith("read ''")
    assert (ping["result"], code) == ({}, 0)
    assert {message.get("id") for message in client.seen} == {1, 2, 3}
    said = (folder / "stderr").read_text()
    assert [line for line in ("print", "sys.stdout", "sys.__stdout__", "a program") if f"from {line}" not in said] == []


@pytest.mark.parametrize("name", ["forks", "forks_in_a_thread"])
async def test_req_A4_a_tool_that_forks_answers_once_and_leaves_no_child(folder: Path, name: str) -> None:
    async with connected(folder) as client:
        await client.initialize()
        answer = await client.call(name)
        ping = await client.request("ping")
        await client.hang_up()

    child = int(answer["content"][0]["text"].split()[-1])
    assert child > 0
    assert ping["result"] == {}
    assert [message.get("id") for message in client.seen] == [1, 2, 3]
    assert await gone(child)


async def test_req_A4_a_cancelled_call_ends_at_once_and_its_tool_sees_it(folder: Path) -> None:
    """case-B110: the tool is ended, no response is sent, and the session goes on."""
    async with connected(folder) as client:
        await client.initialize()
        id = await client.start_call("hangs")
        await until(folder / "hanging")
        with anyio.fail_after(1):
            await client.notify("notifications/cancelled", {"requestId": id, "reason": "enough"})
            seen = await until(folder / "cancelled")
            ping = await client.request("ping")

    assert seen == "the handler saw it"
    assert ping["result"] == {}
    assert id not in {message.get("id") for message in client.seen}


async def test_req_A4_initialising_cannot_be_cancelled(folder: Path) -> None:
    async with connected(folder) as client:
        id = await client.start(
            "initialize",
            {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
        )
        await client.notify("notifications/cancelled", {"requestId": id})
        answer = await client.answer(id)

    assert answer["result"]["protocolVersion"] == LEGACY


async def test_req_A4_a_client_that_dies_in_mid_call_leaves_no_server_behind(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        await client.start_call("hangs")
        server = int(await until(folder / "hanging"))
        assert client.process.stdin is not None
        assert client.process.stdout is not None
        await client.process.stdin.aclose()
        await client.process.stdout.aclose()

        assert await gone(server)
    assert (folder / "cancelled").read_text() == "the handler saw it"


async def test_req_A4_a_thread_that_hangs_does_not_keep_the_server_alive(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        await client.start_call("blocks")
        server = int(await until(folder / "blocking"))
        code = await client.hang_up()

    assert code == 0
    assert not alive(server)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
async def test_req_A4_a_server_told_to_end_ends_its_calls_first(folder: Path, sign: signal.Signals) -> None:
    async with connected(folder) as client:
        await client.initialize()
        await client.start_call("hangs")
        server = int(await until(folder / "hanging"))
        os.kill(server, sign)
        with anyio.fail_after(5):
            code = await client.process.wait()

    assert code == 0
    assert (folder / "cancelled").read_text() == "the handler saw it"


def test_req_A4_a_client_that_only_stops_sending_still_gets_its_answers(folder: Path) -> None:
    greeting = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    messages = [
        {"id": 1, "method": "initialize", "params": greeting},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "counts_in_a_thread", "arguments": {"end": 20}}},
    ]
    lines = "\n".join(json.dumps({"jsonrpc": "2.0", **message}) for message in messages)

    for source in ("pipe", "file"):
        answers = run_on(folder, lines, source)

        assert [answer["id"] for answer in answers] == [1, 2]
        assert answers[1]["result"]["content"][0]["text"].endswith("counted to 20")


def run_on(folder: Path, lines: str, source: str) -> list[dict]:
    program = [sys.executable, "-m", "tests.mcp_clients.server", str(folder)]
    asked = folder / "asked"
    asked.write_text(lines)
    with asked.open() as file:
        if source == "file":
            done = subprocess.run(program, stdin=file, text=True, capture_output=True, timeout=50, check=False)
        else:
            done = subprocess.run(program, input=lines, text=True, capture_output=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


async def test_req_D1_a_result_far_too_large_is_cut_and_says_so(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        await client.start_call("huge")
        with anyio.fail_after(30):
            line = await client._lines.receive_until(b"\n", 8_000_000)
        text = json.loads(line)["result"]["content"][0]["text"]
        ping = await client.request("ping")

    assert len(text) < 100_000
    assert "of 100,000,0" in text
    assert ping["result"] == {}


async def test_req_D2_pictures_follow_the_text_and_never_stand_in_it(client: RawClient) -> None:
    """case-B106, from the server's side."""
    shown = await client.call("picture")
    dishonest = await client.call("picture", {"honest": False})

    assert [(block["type"], block.get("mimeType")) for block in shown["content"]] == [
        ("text", None),
        ("image", "image/png"),
    ]
    assert [block["type"] for block in dishonest["content"]] == ["text"]
    assert "image/jpeg, 69 bytes, not shown: its bytes are image/png" in dishonest["content"][0]["text"]


async def test_req_D2_an_answer_is_text_alone_unless_the_server_is_structured(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        plain = await client.call("tickets", {"offset": 10})
        listed = await client.request("tools/list")
    async with connected(folder, "--structured") as client:
        await client.initialize()
        structured = await client.call("tickets", {"offset": 10})
        failed = await client.call("raises")

    assert set(plain) == {"content", "isError", "_meta"}
    assert not any("outputSchema" in each for each in listed["result"]["tools"])
    assert structured["structuredContent"]["items"] == [
        {"id": 10, "title": "ticket 10"},
        {"id": 11, "title": "ticket 11"},
    ]
    assert "structuredContent" not in failed


async def test_req_A8_the_first_result_alone_names_the_session(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        first = await client.call("echo", {"text": "a"})
        second = await client.call("echo", {"text": "b"})

    assert first["_meta"]["hilt/session"].startswith("session_")
    assert "_meta" not in second


@pytest.mark.parametrize("name", ["counts", "counts_in_a_thread"])
async def test_req_F13_progress_rises_and_ends_before_the_answer(client: RawClient, name: str) -> None:
    client.seen.clear()
    answer = await client.call(name, {"end": 30}, {"progressToken": "p1"})
    silent = await client.call(name, {"end": 30})
    await client.request("ping")

    told = [message["params"] for message in client.seen if message.get("method") == "notifications/progress"]
    numbers = [each["progress"] for each in told]
    assert answer["content"][0]["text"].endswith("counted to 30")
    assert silent["isError"] is False
    assert told
    assert numbers == sorted(set(numbers))
    assert {each["progressToken"] for each in told} == {"p1"}
    assert told[-1]["message"] == "at 30"
    places = [message.get("method") == "notifications/progress" for message in client.seen]
    assert not any(places[places.index(True) + len(told) :])


async def test_req_F13_a_client_hears_what_a_call_is_about_while_its_person_is_still_asked(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize("2025-11-25", elicitation={})
        params = {"name": "launches", "arguments": {"what": "mail"}, "_meta": {"progressToken": "p1"}}
        id = await client.start("tools/call", params)
        first = [await client.receive(), await client.receive()]
        question = next(each for each in first if each["method"] == "elicitation/create")
        progress = next(each for each in first if each["method"] == "notifications/progress")
        await client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        answer = await client.answer(id)

    assert progress["params"]["message"] == "launches"
    assert "denied by person" in answer["result"]["content"][0]["text"]
    assert not (folder / "launched").exists()


async def test_req_G5_a_client_hears_when_the_tools_are_others(folder: Path) -> None:
    """case-B112, from the server's side."""
    async with connected(folder) as client:
        greeting = await client.initialize()
        before = await client.request("tools/list")
        await client.call("grows")
        heard = [message["method"] for message in client.seen if "method" in message]
        await client.call("echo", {"text": "a"})
        after = await client.request("tools/list")

    assert greeting["capabilities"] == {"tools": {"listChanged": True}}
    assert heard == ["notifications/tools/list_changed"]
    assert len(after["result"]["tools"]) == len(before["result"]["tools"]) + 1
    assert after["result"]["tools"][: len(before["result"]["tools"])] == before["result"]["tools"]


async def test_req_G5_a_client_of_2026_hears_it_on_the_stream_it_opened(folder: Path) -> None:
    async with connected(folder) as client:
        await client.request("tools/list", modern=True)
        id = await client.start("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, modern=True)
        acknowledged = await client.receive()
        await client.request("tools/call", {"name": "grows"}, modern=True)
        heard = [message for message in client.seen if message.get("method") == "notifications/tools/list_changed"]

    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert [each["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for each in heard] == [id]


async def test_req_F16_a_client_that_cannot_ask_has_nobody(folder: Path) -> None:
    async with connected(folder) as client:
        await client.initialize()
        refused = await client.call("launches", {"what": "mail"})
    async with connected(folder) as client:
        modern = await client.request("tools/call", {"name": "launches", "arguments": {"what": "mail"}}, modern=True)

    for answer in (refused, modern["result"]):
        assert answer["isError"] is True
        assert answer["content"][0]["text"].startswith("denied by nobody_to_ask")
    assert not (folder / "launched").exists()


@pytest.mark.parametrize(
    ("said", "comes_to"),
    [
        ({"result": ALLOW}, "launched mail"),
        ({"result": {"action": "accept", "content": {"allow": False}}}, "denied by person"),
        ({"result": {"action": "accept", "content": {}}}, "denied by person"),
        ({"result": {"action": "decline"}}, "denied by person"),
        ({"result": {"action": "cancel"}}, "denied by nobody_to_ask"),
        ({"error": {"code": -32603, "message": "no screen"}}, "no screen"),
    ],
    ids=["ticked", "unticked", "empty", "declined", "dismissed", "broken"],
)
async def test_req_F16_a_person_is_asked_while_the_call_waits(folder: Path, said: dict, comes_to: str) -> None:
    async with connected(folder) as client:
        await client.initialize("2025-11-25", elicitation={})
        id = await client.start_call("launches", {"what": "mail"})
        question = await client.receive()
        await client.send({"jsonrpc": "2.0", "id": question["id"], **said})
        answer = await client.answer(id)

    assert question["method"] == "elicitation/create"
    assert '{"what": "mail"}' in question["params"]["message"]
    assert question["params"]["requestedSchema"]["required"] == ["allow"]
    assert comes_to in answer["result"]["content"][0]["text"]
    assert (folder / "launched").exists() == (comes_to == "launched mail")


async def ask_modern(client: RawClient) -> dict:
    asked = await client.request(
        "tools/call", {"name": "launches", "arguments": {"what": "mail"}}, modern=True, elicitation={}
    )
    return asked["result"]


async def reply_modern(client: RawClient, state: str, said: dict, what: str = "mail", name: str = "launches") -> dict:
    params = {"name": name, "arguments": {"what": what}, "requestState": state, "inputResponses": {"approval": said}}
    return await client.request("tools/call", params, modern=True, elicitation={})


async def test_req_F16_a_client_of_2026_is_told_to_ask_and_calls_again(folder: Path) -> None:
    async with connected(folder) as client:
        asked = await ask_modern(client)
        launched = await reply_modern(client, asked["requestState"], ALLOW, what="rocket")
        again = await reply_modern(client, asked["requestState"], ALLOW)
        refused = await reply_modern(client, (await ask_modern(client))["requestState"], {"action": "decline"})
        other = await reply_modern(client, (await ask_modern(client))["requestState"], ALLOW, name="echo")
        waits = await reply_modern(client, (await ask_modern(client))["requestState"], {"action": "cancel"})
        forged = await reply_modern(client, "ask_0000", ALLOW)
        silent = await client.request("tools/call", {"name": "launches", "requestState": "ask_0000"}, modern=True)

    assert asked["resultType"] == "input_required"
    question = asked["inputRequests"]["approval"]
    assert question["method"] == "elicitation/create"
    assert '{"what": "mail"}' in question["params"]["message"]
    # The call a person saw is the one that runs, whatever the second request says.
    assert launched["result"]["content"][0]["text"].endswith("launched mail")
    assert (folder / "launched").read_text() == "mail\n"
    assert [each["error"]["code"] for each in (again, other, forged, silent)] == [-32602] * 4
    assert refused["result"]["content"][0]["text"].startswith("denied by person")
    assert waits["result"]["content"][0]["text"].startswith("pending ask_")


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", MODERN])
async def test_req_A1_each_protocol_gets_its_own_form(folder: Path, version: str) -> None:
    async with connected(folder) as client:
        if version != MODERN:
            assert (await client.initialize(version))["protocolVersion"] == version
        listed = (await client.request("tools/list", modern=version == MODERN))["result"]
        again = (await client.request("tools/list", modern=version == MODERN))["result"]

    assert listed["tools"] == again["tools"]
    tool = next(each for each in listed["tools"] if each["name"] == "launches")
    assert tool["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    assert tool["title"] == "Launches"
    assert tool["inputSchema"]["additionalProperties"] is False
    assert ("ttlMs" in listed) == (version == MODERN)


async def test_req_H8_hilt_serve_offers_the_shelf(folder: Path, record_property: Callable[[str, object], None]) -> None:
    command = [sys.executable, "-m", "hilt", "serve", "--workspace", str(folder)]
    (folder / "a.txt").write_text("one\ntwo\n")
    async with connected(folder, command=command) as client:
        began = anyio.current_time()
        greeting = await client.initialize()
        record_property("report", f"hilt serve answers initialize after {anyio.current_time() - began:.2f} s")
        listed = await client.request("tools/list")
        read = await client.call("read_file", {"path": str(folder / "a.txt")})
        code = await client.hang_up()

    assert greeting["serverInfo"]["name"] == "hilt"
    assert {"search_code", "find_files", "read_file"} <= {each["name"] for each in listed["result"]["tools"]}
    assert "two" in read["content"][0]["text"]
    assert code == 0
