"""Hilt over HTTP, in this process: two servers on one store are two workers, and clients of both eras meet them."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, TextContent

from hilt import Context, Param, Runtime, schema_tool, tool
from hilt.adapters.mcp_http_cancels import MEMO, MOST_WORDS
from hilt.adapters.mcp_http_door import BODY_S, LONGEST_BODY, PATH
from hilt.adapters.mcp_people import ClientPerson
from hilt.calls.memos import Memos
from hilt.calls.tool import Handling
from hilt.declarations.effects import Effects
from hilt.results.render import compact_json
from hilt.review.answering import answer_question
from hilt.review.people import Reply
from hilt.store import open_store
from hilt.store.protocol import Store
from tests.mcp_clients.web import ANN, BOB, ERAS, PATIENCE_S, Poster, envelope, official, poster, served, text_of

SAFE = Effects(reads="none", brings="own", does=frozenset())


class Tools:
    """Tools of one worker, which say what becomes of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begun = anyio.Event()
        self.ended = anyio.Event()
        self.done: list[str] = []
        self.runtime: Runtime | None = None

    def all(self) -> list:
        said = schema_tool(
            "exact",
            exact,
            parameters={"type": "object", "properties": {"value": {}}},
            description="Say the arguments.",
            effects=SAFE,
            handling=Handling(parallel=True),
        )
        return [echo, remembers, *self.waiting(), *self.acting(), said]

    def waiting(self) -> list:
        @tool(kind="perceive", limit=1, effects=SAFE, timeout_s=None)
        async def hangs() -> str:
            """Wait for ever."""
            self.begun.set()
            try:
                await anyio.sleep_forever()
            finally:
                self.ended.set()
            return "never"

        @tool(kind="perceive", limit=1, effects=SAFE, timeout_s=None)
        async def counts(ctx: Context, end: Annotated[int, Param("where to stop")]) -> str:
            """Count, and wait for the listener at the first."""
            ctx.progress("at 1", done=1, total=end)
            await self.begun.wait()
            return f"counted to {end}"

        return [hangs, counts]

    def acting(self) -> list:
        @tool(kind="act", effects={"does": "run"}, idempotent=False, undo="none: a test")
        async def launches(what: Annotated[str, Param("what to launch")]) -> str:
            """Do what a person has to allow."""
            self.done.append(what)
            return f"launched {what}"

        @tool(kind="perceive", limit=1, effects=SAFE)
        async def grows() -> str:
            """Add a tool to the catalog."""
            assert self.runtime is not None
            self.runtime.catalog.add(echo.renamed(f"echo_{len(self.runtime.catalog)}"))
            return "there is one tool more"

        return [launches, grows]


@tool(kind="perceive", limit=1, effects=SAFE)
async def echo(text: Annotated[str, Param("anything")]) -> str:
    """Say the text again."""
    return text


@tool(kind="perceive", limit=1, effects=SAFE)
async def remembers(ctx: Context, word: Annotated[str, Param("what to keep")] = "") -> str:
    """Keep a word in the session, and say those that were kept before."""

    def add(old: object) -> tuple[object, object]:
        kept = [*old, word] if isinstance(old, list) else [word]
        return kept, kept

    return json.dumps(await ctx.part(Memos).change(ctx.session, "words", add))


async def exact(arguments: object) -> str:
    return compact_json(arguments)


class Worker:
    def __init__(self, name: str, store: Store, *, inbox: bool = False) -> None:
        self.tools = Tools(name)
        person = ClientPerson(inbox=inbox)
        self.runtime = Runtime(self.tools.all(), store=store, person=person, wait_s=0.05)
        self.tools.runtime = self.runtime
        self.url = ""


@asynccontextmanager
async def workers(
    folder: Path, count: int = 2, *, inbox: bool = False, origins: tuple[str, ...] = ()
) -> AsyncGenerator[list[Worker]]:
    made = [Worker(f"worker {n}", open_store(str(folder / "store.db")), inbox=inbox) for n in range(count)]
    async with AsyncExitStack() as stack:
        for each in made:
            each.url = await stack.enter_async_context(
                served(each.runtime, ANN, BOB, hosts=("hilt.example",), origins=origins)
            )
        yield made
    for each in made:
        await each.runtime.close()


@pytest.fixture
async def one(tmp_path: Path) -> AsyncGenerator[Worker]:
    async with workers(tmp_path, 1) as (worker,):
        yield worker


@pytest.fixture
async def two(tmp_path: Path) -> AsyncGenerator[list[Worker]]:
    async with workers(tmp_path) as made:
        yield made


@asynccontextmanager
async def posters(*of: Worker, token=ANN) -> AsyncGenerator[list[Poster]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(poster(each.url, token)) for each in of]


def said(result) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def begun(client: Poster) -> str:
    """The handle of a session of its own."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    return (await client.ask("initialize", hello))["result"]["_meta"]["hilt/session"]


@pytest.mark.parametrize("mode", ERAS)
async def test_req_G5_the_official_client_of_either_era_lists_and_calls(one: Worker, mode: str) -> None:
    async with official(one.url, mode) as client:
        listed = await client.list_tools()
        echoed = await client.call_tool("echo", {"text": "hé"})
        wrong = await client.call_tool("echo", {"txt": "a"})
        with pytest.raises(MCPError) as unknown:
            await client.list_prompts()

    assert [each.name for each in listed.tools][:2] == ["echo", "remembers"]
    assert (said(echoed), echoed.is_error) == ("hé", False)
    assert wrong.is_error
    assert "text" in said(wrong)
    assert unknown.value.error.code == -32601


@pytest.mark.parametrize("mode", ERAS)
async def test_req_F13_progress_is_streamed_while_the_call_runs(one: Worker, mode: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        if message == "at 1":
            one.tools.begun.set()  # the call ends only once its progress was read

    with anyio.fail_after(PATIENCE_S):
        async with official(one.url, mode) as client:
            result = await client.call_tool("counts", {"end": 3}, progress_callback=hear)

    assert said(result) == "counted to 3"
    assert (1, 3, "at 1") in heard


@pytest.mark.parametrize("mode", ERAS)
async def test_req_A4_a_client_that_gives_up_ends_its_call(one: Worker, mode: str) -> None:
    with anyio.fail_after(PATIENCE_S):
        async with official(one.url, mode) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "hangs", {})
            await one.tools.begun.wait()
            group.cancel_scope.cancel()
        await one.tools.ended.wait()
        async with official(one.url, mode) as client:
            after = await client.call_tool("echo", {"text": "still here"})

    assert said(after) == "still here"


async def test_req_A4_a_client_that_hangs_up_ends_its_call(one: Worker) -> None:
    async with posters(one) as (ann,):
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as group:
                group.start_soon(ann.ask, "tools/call", {"name": "hangs", "arguments": {}})
                await one.tools.begun.wait()
                group.cancel_scope.cancel()
            await one.tools.ended.wait()


@pytest.mark.parametrize("by", [0, 1], ids=["at the same worker", "at another worker"])
async def test_req_A4_a_word_of_cancelling_ends_the_call_wherever_it_runs(two: list[Worker], by: int) -> None:
    said_to: dict = {}

    async def ask(ann: Poster) -> None:
        said_to.update(await ann.ask("tools/call", {"name": "hangs", "arguments": {}}, id=7))

    statuses: list[int] = []
    async with posters(*two) as both, anyio.create_task_group() as group:
        both[0].session = both[1].session = await begun(both[0])
        group.start_soon(ask, both[0])
        await two[0].tools.begun.wait()
        statuses.append((await both[by].cancel("7")).status_code)
        assert not two[0].tools.ended.is_set()
        statuses.append((await both[by].cancel(7)).status_code)

    assert statuses == [202, 202]
    assert two[0].tools.ended.is_set()
    assert said_to["error"] == {"code": -32800, "message": "the client cancelled this call"}


async def test_req_A4_a_principal_cannot_cancel_what_another_one_called(two: list[Worker]) -> None:
    async with posters(*two) as both, posters(*two, token=BOB) as bobs:
        with anyio.fail_after(PATIENCE_S):
            both[0].session = both[1].session = await begun(both[0])
            async with anyio.create_task_group() as group:
                group.start_soon(both[0].ask, "tools/call", {"name": "hangs", "arguments": {}})
                await two[0].tools.begun.wait()
                for bob in bobs:
                    await bob.cancel(1)
                await both[1].cancel(2)
                await both[0].call("echo", {"text": "time has passed"}, id=3)
                assert not two[0].tools.ended.is_set()
                await both[0].cancel(1)
                await two[0].tools.ended.wait()


async def test_req_A4_words_of_cancelling_that_meet_no_call_do_not_pile_up(one: Worker) -> None:
    async with posters(one) as (ann,):
        ann.session = await begun(ann)
        for id in (*range(MOST_WORDS + 20), "i" * 100_000):
            assert (await ann.cancel(id)).status_code == 202
    (kept,) = [await one.runtime.store.memos(ann.session, "")]

    assert len(json.loads(kept[MEMO])) == MOST_WORDS
    assert len(kept) == 1
    assert sum(map(len, kept.values())) < 10_000


async def test_req_A4_clients_that_share_a_session_by_naming_none_cannot_end_each_others_calls(one: Worker) -> None:
    async with posters(one, one) as (ann, other):
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as group:
                group.start_soon(ann.ask, "tools/call", {"name": "hangs", "arguments": {}})
                await one.tools.begun.wait()
                assert (await other.cancel(1)).status_code == 202
                assert not one.tools.ended.is_set()
                group.cancel_scope.cancel()  # hanging up is how it ends
            await one.tools.ended.wait()


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "envelope"])
async def test_req_A8_without_a_handle_a_principal_has_one_session_wherever_it_asks(
    two: list[Worker], modern: bool
) -> None:
    async with posters(*two) as anns, posters(*two, token=BOB) as bobs:
        first = await anns[0].call("remembers", {"word": "a"}, modern=modern)
        second = await anns[1].call("remembers", {"word": "b"}, modern=modern)
        other = await bobs[0].call("remembers", {"word": "c"}, modern=modern)

    handles = [each["_meta"]["hilt/session"] for each in (first, second, other)]
    assert (text_of(second), text_of(other)) == ('["a", "b"]', '["c"]')
    assert handles[0] == handles[1] != handles[2]


async def test_req_A8_a_client_that_begins_is_issued_a_session_of_its_own_to_send_back(two: list[Worker]) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    async with posters(*two) as anns:
        begun = await anns[0].ask("initialize", hello)
        discovered = await anns[0].ask("server/discover", modern=True)
        handles = [each["result"]["_meta"]["hilt/session"] for each in (begun, discovered)]
        in_header = [await each.call("remembers", {"word": "x"}, hilt_session=handles[0]) for each in anns]
        meta = {"hilt/session": handles[1]}
        in_meta = [
            (await each.ask("tools/call", {"name": "remembers", "arguments": {"word": "y"}, "_meta": meta}))["result"]
            for each in anns
        ]
        own = await anns[0].call("remembers", {"word": "z"})

    assert len(set(handles)) == 2
    assert [text_of(each) for each in in_header] == ['["x"]', '["x", "x"]']
    assert [text_of(each) for each in in_meta] == ['["y"]', '["y", "y"]']
    assert text_of(own) == '["z"]'
    assert ["_meta" in each for each in (*in_header, *in_meta)] == [False] * 4


async def test_req_A8_two_clients_of_the_handshake_are_two_sessions_by_the_protocols_own_header(
    two: list[Worker],
) -> None:
    async with official(two[0].url, "legacy") as one, official(two[0].url, "legacy") as other:
        kept = [said(await each.call_tool("remembers", {"word": "a"})) for each in (one, one, other)]

    assert kept == ['["a"]', '["a", "a"]', '["a"]']


async def test_req_A8_a_session_that_was_not_issued_to_the_caller_is_refused(one: Worker) -> None:
    async with posters(one) as (ann,), posters(one, token=BOB) as (bob,):
        anns = (await ann.call("remembers", {"word": "secret"}))["_meta"]["hilt/session"]
        begun = await ann.ask("server/discover", modern=True)
        issued = begun["result"]["_meta"]["hilt/session"]
        body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {}}).encode()
        refused = [
            await bob.send(body, hilt_session=anns),
            await bob.send(body, hilt_session=issued),
            await bob.send(body, mcp_session_id=issued),
            await ann.send(body, hilt_session="session_made_up"),
            await ann.send(body.replace(b"{}", b'{"_meta":{"hilt/session":7}}')),
            await ann.send(body, hilt_session=anns, mcp_session_id=issued),
        ]
        allowed = await ann.send(body, hilt_session=anns, mcp_session_id=anns)

    assert [each.status_code for each in refused] == [403, 403, 404, 403, 403, 400]
    assert {each.json()["id"] for each in refused} == {5}
    assert "was not issued to bob; leave it out" in refused[0].json()["error"]["message"]
    assert allowed.status_code == 200


async def test_req_F16_a_person_is_asked_between_requests_and_another_worker_takes_the_answer(
    two: list[Worker],
) -> None:
    params = {"name": "launches", "arguments": {"what": "rocket"}, "_meta": envelope(elicitation={"form": {}})}
    yes = {"approval": {"action": "accept", "content": {"allow": True}}}
    async with posters(*two) as anns, posters(*two, token=BOB) as bobs:
        asked = (await anns[0].ask("tools/call", params, modern=True))["result"]
        answer = {
            **params,
            "arguments": {"what": "other"},
            "requestState": asked["requestState"],
            "inputResponses": yes,
        }
        stolen = await bobs[1].ask("tools/call", answer, modern=True)
        ran = (await anns[1].ask("tools/call", answer, modern=True))["result"]
        again = await anns[0].ask("tools/call", answer, modern=True)

    assert asked["resultType"] == "input_required"
    assert "rocket" in asked["inputRequests"]["approval"]["params"]["message"]
    assert stolen["error"]["code"] == -32602
    assert text_of(ran) == "launched rocket"
    assert "error" in again
    assert (two[0].tools.done, two[1].tools.done) == ([], ["rocket"])


async def test_req_F16_the_official_client_shows_its_person_the_question(one: Worker) -> None:
    asked: list[str] = []

    async def answer(context, params) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"allow": True})

    async with official(one.url, "auto", elicitation_callback=answer) as client:
        result = await client.call_tool("launches", {"what": "rocket"})

    assert "rocket" in asked[0]
    assert said(result) == "launched rocket"


async def test_req_F16_a_client_of_the_handshake_has_nobody_to_ask_and_is_told_what_helps(one: Worker) -> None:
    async def answer(context, params) -> ElicitResult:
        return ElicitResult(action="accept", content={"allow": True})

    async with official(one.url, "legacy", elicitation_callback=answer) as client:
        result = await client.call_tool("launches", {"what": "rocket"})

    assert result.is_error
    assert "needs a person's leave" in said(result)
    assert one.tools.done == []


async def test_req_F16_where_there_is_an_inbox_the_call_waits_there_and_runs_once_it_is_allowed(tmp_path: Path) -> None:
    async with workers(tmp_path, 2, inbox=True) as both, posters(*both) as anns:
        first = await anns[0].call("launches", {"what": "rocket"})
        store = both[1].runtime.store
        (waiting,) = await store.list_pending()
        with anyio.fail_after(PATIENCE_S):
            await answer_question(store, waiting.handle, Reply(word="approve"), by="ann")
            told = ""
            while "meanwhile" not in told:  # the word is looked for now and then
                told = text_of(await anns[1].call("echo", {"text": "and?"}))

    assert waiting.handle in text_of(first)
    assert "launched rocket" in told
    assert [*both[0].tools.done, *both[1].tools.done] == ["rocket"]


async def test_req_G5_a_call_that_changes_the_list_tells_a_client_of_the_handshake_beside_its_answer(
    one: Worker,
) -> None:
    heard: list[str] = []

    async def hear(message: object) -> None:
        heard.append(type(message).__name__)

    async with official(one.url, "legacy", message_handler=hear) as client:
        can = client.server_capabilities.tools
        assert can is not None
        assert can.list_changed is True
        await client.call_tool("echo", {"text": "no news"})
        quiet = list(heard)
        await client.call_tool("grows", {})
        names = [each.name for each in (await client.list_tools()).tools]

    assert (quiet, heard) == ([], ["ToolListChangedNotification"])
    assert names[-1].startswith("echo_")


async def test_req_G5_a_client_that_listens_hears_of_tools_that_came_in_the_background(one: Worker) -> None:
    with anyio.fail_after(PATIENCE_S):
        async with official(one.url, "auto") as client, client.listen(tools_list_changed=True) as events:
            one.runtime.catalog.remove("hangs")
            event = await anext(aiter(events))

    assert type(event).__name__ == "ToolsListChanged"


async def test_req_C1_arguments_reach_the_tool_as_the_model_wrote_them_over_http(one: Worker) -> None:
    sent = '{"value":[18446744073709551617,0.1,-0.0,"\u201c\u00a0\ufeff\\u0041\\n","",null,[],{}]}'
    async with posters(one) as (ann,):
        for modern in (False, True):
            meta = json.dumps(envelope()) if modern else "{}"
            params = f'{{"_meta":{meta},"name":"exact","arguments":{sent}}}'
            body = f'{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}'.encode()
            headers = {"mcp_method": "tools/call", "mcp_name": "exact", "mcp_protocol_version": "2026-07-28"}
            response = await ann.send(body, **(headers if modern else {}))
            text = response.text if modern else response.text.partition("data: ")[2].partition("\r\n")[0]
            assert json.loads(text_of(json.loads(text)["result"])) == json.loads(sent)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("echoo", "{}", "did you mean echo"),
        ("echo", "[1]", "not one JSON object"),
        ("echo", '{"text":"a","text":"b"}', "twice"),
        ("echo", '{"text":NaN}', "are not JSON"),
    ],
)
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "envelope"])
async def test_req_A7_what_a_model_got_wrong_is_a_result_over_http_too(
    one: Worker, name: str, arguments: str, says: str, modern: bool
) -> None:
    meta = json.dumps(envelope()) if modern else "{}"
    params = f'{{"_meta":{meta},"name":"{name}","arguments":{arguments}}}'
    body = f'{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}'.encode()
    headers = {"mcp_method": "tools/call", "mcp_name": name, "mcp_protocol_version": "2026-07-28"}
    async with posters(one) as (ann,):
        response = await ann.send(body, **(headers if modern else {}))

    assert response.status_code == 200
    assert '"isError":true' in response.text.replace(" ", "")
    assert says in response.text


NO_HOSTS = (
    "[::1]evil.example",
    "[::1].evil.example:80",
    "localhost:80@evil.example",
    "127.0.0.1:8765/x",
    "localhost,evil",
)
PING = b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{}}'


@pytest.mark.parametrize(
    ("body", "headers", "status", "code", "says"),
    [
        (b'{"jsonrpc":"2.0","id":3,"method":"pi', {}, 400, -32700, "not one JSON object"),
        (b'{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}', {}, 400, -32700, "twice"),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\xff"}}', {}, 400, -32700, "not UTF-8"),
        (b"[" + PING + b"]", {}, 400, -32600, "one by one"),
        (b"", {}, 400, -32700, "the body is empty"),
        (b'{"jsonrpc":"1.0","id":3,"method":"ping"}', {}, 400, -32600, '"2.0"'),
        (PING, {"content_type": "text/plain"}, 415, -32600, "application/json, not text/plain"),
        (PING, {"content_type": ""}, 415, -32600, "application/json"),
        (PING, {"content_encoding": "gzip"}, 415, -32600, "without a content encoding"),
        (PING, {"authorization": ""}, 401, -32600, "no token was sent"),
        (PING, {"authorization": f"Bearer {ANN.text}x"}, 401, -32600, "not one of this server's"),
        (PING, {"host": "evil.example"}, 421, -32600, "not known as 'evil.example'"),
        (PING, {"origin": "http://evil.example"}, 403, -32600, "--allow-origin"),
        (PING, {"origin": "null"}, 403, -32600, "pages of 'null' may not call this server"),
        *((PING, {"host": each}, 421, -32600, "not known as") for each in NO_HOSTS),
        (PING, {"method": "GET"}, 405, -32600, "POST"),
        (PING, {"method": "DELETE"}, 405, -32600, "POST"),
        (PING, {"path": "/other"}, 404, -32600, f"MCP is spoken at {PATH}"),
        (b" " * (LONGEST_BODY + 1), {}, 413, -32600, f"{LONGEST_BODY:,} bytes"),
        (PING.replace(b"ping", b"tools/destroy"), {}, 200, -32601, "Method not found"),
    ],
)
async def test_req_A7_what_a_client_program_got_wrong_has_a_status_and_a_json_rpc_error(
    one: Worker, body: bytes, headers: dict, status: int, code: int, says: str
) -> None:
    async with posters(one) as (ann,):
        if "path" in headers:
            headers = {**headers, "path": one.url.replace(PATH, headers["path"])}
        response = await ann.send(body, **headers)
        after = await ann.send(PING)

    text = response.text.partition("data: ")[2] or response.text
    error = json.loads(text)["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert says in error["message"]
    assert "--allow-origin null" not in error["message"]  # whoever frames a page could be that
    assert ANN.text not in response.text + str(response.headers)
    assert after.status_code == 200


async def test_req_A7_a_body_that_grows_too_large_without_saying_so_is_refused(one: Worker) -> None:
    async def pieces() -> AsyncGenerator[bytes]:
        for _ in range(LONGEST_BODY // 1_000_000 + 2):
            yield b" " * 1_000_000

    async with posters(one) as (ann,):
        headers = {**ann.headers, "content-type": "application/json"}
        response = await ann.client.post(ann.url, content=pieces(), headers=headers)

    assert response.status_code == 413


async def test_req_G5_addresses_and_the_servers_own_name_are_taken_as_hosts(one: Worker) -> None:
    async with posters(one) as (ann,):
        hosts = (
            "hilt.example:80",
            "HILT.example",
            "[::1]:99",
            "[fe80::1%25eth0]",
            "127.0.0.1",
            "localhost:1",
            "192.0.2.7:8765",
        )
        statuses = [(await ann.send(PING, host=each)).status_code for each in hosts]

    assert statuses == [200] * len(hosts)


async def test_req_G5_a_page_of_an_allowed_origin_may_call_and_no_other(tmp_path: Path) -> None:
    page = "http://app.example:3000"
    async with workers(tmp_path, 1, origins=(f"{page}/",)) as (one,), posters(one) as (ann,):
        before = await ann.send(b"", method="OPTIONS", origin=page, authorization="")
        called = await ann.send(PING, origin=page)
        untold = await ann.send(PING, origin=page, authorization="")
        stranger = await ann.send(b"", method="OPTIONS", origin="http://app.example:3001", authorization="")

    assert before.status_code == 204
    assert "authorization" in before.headers["access-control-allow-headers"]
    assert [each.headers["access-control-allow-origin"] for each in (before, called, untold)] == [page] * 3
    assert (called.status_code, untold.status_code, stranger.status_code) == (200, 401, 403)
    assert "access-control-allow-origin" not in stranger.headers


async def test_req_A4_many_calls_at_once_at_both_workers_are_each_answered_once(two: list[Worker]) -> None:
    answers: dict[int, str] = {}

    async def ask(ann: Poster, number: int) -> None:
        modern = number % 3 == 0
        answers[number] = text_of(await ann.call("echo", {"text": str(number)}, id=number, modern=modern))

    async with posters(*two) as anns:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for number in range(200):
                    group.start_soon(ask, anns[number % 2], number)

    assert answers == {number: str(number) for number in range(200)}


def test_req_G5_a_slow_client_is_waited_for_half_a_minute() -> None:
    assert BODY_S == 30
