"""Servers at a URL: sessions, streams, credentials, and what goes wrong on the way."""

from dataclasses import replace

import anyio
import pytest

from hilt.adapters.upstream import Change, HttpPlace, ServerUnreachable, Upstream
from hilt.results.failures import Aborted, EnvironmentFailure, InvalidArguments, Retryable, ToolFailure
from tests.servers.http import TOKEN, Served, served
from tests.unit.adapters.upstream.kept import QUICK, kept, texts, until


def at(server: Served, **options: object) -> HttpPlace:
    return HttpPlace(server.url, **options)  # type: ignore[arg-type]


async def failure_of(upstream: Upstream) -> ToolFailure:
    with pytest.raises(ToolFailure) as failed:
        await upstream.call("echo", {})
    assert "\n" not in failed.value.problem
    return failed.value


async def test_a_server_at_a_url_is_listed_and_called_in_one_session() -> None:
    with served("good") as server:
        async with kept(at(server, headers={"X-Team": "a"})) as upstream:
            assert [each["name"] for each in await upstream.tools()] == ["echo"]
            assert texts(await upstream.call("echo", {"n": 1})) == ['{"n": 1}']
            assert (upstream.server_name, upstream.protocol) == ("web", "2025-11-25")
        asked = server.asked
    posts = [(message["method"], headers) for how, headers, message in asked if how == "POST"]
    assert [method for method, _ in posts] == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    assert all(headers["mcp-session-id"] == "s0" for _, headers in posts[1:])
    assert all(headers["mcp-protocol-version"] == "2025-11-25" for _, headers in posts[2:])
    assert all(headers["x-team"] == "a" for _, headers in posts)
    assert [how for how, _, _ in asked if how != "POST"] == ["GET", "DELETE"]


async def test_a_server_without_sessions_is_met_in_its_own_way() -> None:
    with served("modern") as server:
        async with kept(at(server)) as upstream:
            await upstream.tools()
            assert texts(await upstream.call("echo", {"to": "Zoë"})) == ['{"to": "Zo\\u00eb"}']
            assert upstream.protocol == "2026-07-28"
        headers = next(each for _, each, message in server.asked if message and message["method"] == "tools/call")
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "echo")
    assert headers["mcp-param-to"].startswith("=?base64?")
    assert headers["mcp-protocol-version"] == "2026-07-28"


async def test_an_answer_may_come_as_a_stream_with_progress() -> None:
    seen: list[tuple[float, float | None, str]] = []
    with served("events") as server:
        async with kept(at(server)) as upstream:
            result = await upstream.call("echo", {}, progress=lambda *step: seen.append(step))
            assert texts(result) == ["{}"]
            server.ended.set()
    assert seen == [(1, None, "")]


async def test_what_a_server_says_of_its_own_accord_is_heard() -> None:
    seen: list[Change] = []
    with served("tells") as server:
        async with kept(at(server)) as upstream:
            upstream.listen(seen.append)
            await upstream.tools()
            await until(lambda: any(each.kind == "tools" for each in seen))


async def test_a_session_that_is_over_is_begun_anew_and_the_call_made_once() -> None:
    with served("expires") as server:
        async with kept(at(server)) as upstream:
            assert texts(await upstream.call("echo", {"n": 1})) == ['{"n": 1}']
            assert (upstream.restarts, upstream.state) == (1, "ready")
        assert server.methods().count("initialize") == 2


@pytest.mark.parametrize(
    ("way", "given", "said", "step"),
    [
        ("token", None, "401 Unauthorized: it needs credentials, and it was given none", "set `bearer`, or"),
        ("token", "wrong-token-given", "it needs credentials, and those it was given are not taken", "renew the token"),
        ("status 403", None, "403 Forbidden: it needs credentials", "set `bearer`, or"),
    ],
)
async def test_a_server_that_needs_credentials_says_so(way: str, given: str | None, said: str, step: str) -> None:
    with served(way) as server:
        async with kept(at(server, bearer=given)) as upstream:
            failure = await failure_of(upstream)
            assert upstream.state == "failed"
            with pytest.raises(ServerUnreachable, match=f"needs credentials.*; {step}"):
                await upstream.tools()
            assert "wrong-token" not in failure.problem + upstream.line + repr(upstream.place)
    assert isinstance(failure, EnvironmentFailure)
    assert said in failure.problem
    assert failure.next_steps[1].startswith(f"the person can: {step}")


async def test_the_bearer_is_given() -> None:
    with served("token") as server:
        async with kept(at(server, bearer=TOKEN)) as upstream:
            assert await upstream.tools()


async def test_the_bearer_is_never_taken_to_another_place() -> None:
    with served("good") as other, served("elsewhere") as server:
        server.elsewhere = other.url
        async with kept(at(server, bearer=TOKEN)) as upstream:
            failure = await failure_of(upstream)
        assert other.asked == []
    assert f"redirects to {other.url}, which is not followed" in failure.problem


async def test_a_redirect_within_the_server_is_followed_but_not_in_circles() -> None:
    with served("slash") as server, served("circle") as circle:
        async with kept(at(server, bearer=TOKEN)) as upstream:
            assert await upstream.tools()
        async with kept(at(circle)) as upstream:
            assert "redirects in circles" in (await failure_of(upstream)).problem


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("half", Aborted, "the stream with its answer ended before the answer came"),
        ("cut", Aborted, "the connection broke"),
        ("call 502", Aborted, "it answered 502 Bad Gateway"),
        ("call 503", Retryable, "it answered 503 Service Unavailable"),
        ("call 429", Retryable, "it answered 429 Too Many Requests"),
        ("call 500", EnvironmentFailure, "it answered 500 Internal Server Error"),
        ("call 599", EnvironmentFailure, "it answered 599"),
        ("broken", EnvironmentFailure, "its answer is no JSON-RPC message"),
        ("no-message", EnvironmentFailure, "its answer is no JSON-RPC message"),
        ("html", EnvironmentFailure, "it answered 200 with text/html in place of JSON"),
        ("large", EnvironmentFailure, "its answer is over 1,048,576 bytes"),
        ("large-event", EnvironmentFailure, "its answer is over 1,048,576 bytes"),
        ("invalid", InvalidArguments, "does not take these arguments for echo: not so"),
    ],
)
async def test_a_call_that_fails_on_its_way_fails_alone(way: str, kind: type[ToolFailure], said: str) -> None:
    with served(way) as server:
        async with kept(at(server)) as upstream:
            failure = await failure_of(upstream)
            assert isinstance(failure, kind)
            assert said in failure.problem
            assert upstream.state == "ready"
            assert await upstream.tools()


async def test_a_busy_server_may_say_how_long() -> None:
    with served("call 503") as server:
        async with kept(at(server)) as upstream:
            failure = await failure_of(upstream)
    assert isinstance(failure, Retryable)
    assert (failure.retry_after_s, failure.next_steps[0]) == (7, "call it again in 7 s")


async def test_a_stream_that_floods_is_left() -> None:
    with served("noise") as server:
        async with kept(at(server)) as upstream:
            failure = await failure_of(upstream)
            assert isinstance(failure, Aborted)
            assert "it floods: over 50,000 messages nobody asked for" in failure.problem
            assert await upstream.tools()


async def test_no_secret_of_an_address_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with served("good") as server:
        place = HttpPlace(f"{server.url}?key=secret-of-the-query", bearer=TOKEN)
        async with kept(place) as upstream:
            await upstream.tools()
    assert "POST" in caplog.text
    assert "secret-of-the-query" not in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("status 404", "404 Not Found: no MCP server takes requests there"),
        ("status 405", "405 Method Not Allowed: no MCP server takes requests there"),
        ("status 500", "its first answer is of no use: it answered 500"),
        ("status 503", "no first answer came: it answered 503"),
    ],
)
async def test_an_address_without_a_server_is_told(way: str, said: str) -> None:
    with served(way) as server:
        async with kept(at(server), replace(QUICK, tries=1)) as upstream:
            assert said in (await failure_of(upstream)).problem


async def test_a_cancelled_call_is_free_at_once() -> None:
    with served("hangs") as server:
        async with kept(at(server)) as upstream:
            async with anyio.create_task_group() as group:
                group.start_soon(upstream.call, "echo", {})
                await until(lambda: "tools/call" in server.methods())
                group.cancel_scope.cancel()
            await until(lambda: "notifications/cancelled" in server.methods())
            assert await upstream.tools()


async def test_a_server_that_is_gone_is_waited_for() -> None:
    with served("closes") as server:
        where = at(server)
        async with kept(where, replace(QUICK, first_delay_s=0.1, tries=50)) as upstream:
            await upstream.tools()
            server.shutdown()
            server.server_close()
            failure = await failure_of(upstream)
            assert isinstance(failure, Retryable)
            assert "being restarted" in failure.problem
            await until(lambda: "no connection to http://127.0.0.1" in upstream.fault)


async def test_an_address_nobody_answers_at_is_told() -> None:
    with served("good") as server:
        where = at(server)
    bad = HttpPlace("http://127.0.0.1:1/", headers={"X": "line\nfeed"})
    async with (
        kept(where, replace(QUICK, tries=1)) as upstream,
        kept(HttpPlace("no address")) as other,
        kept(bad) as header,
    ):
        failure, none, feed = [await failure_of(each) for each in (upstream, other, header)]
    assert isinstance(feed, EnvironmentFailure)
    assert "no connection to http://127.0.0.1" in failure.problem
    assert failure.next_steps[1].startswith("the person can: see whether it runs: curl -i http://127.0.0.1")
    assert isinstance(none, EnvironmentFailure)


def test_an_address_is_shown_without_what_may_be_a_secret() -> None:
    place = HttpPlace("https://ann:pw123456@example.com/mcp?key=abcdef123", {"X-Key": "0123456789"}, "bearer-value")
    assert repr(place) == "HttpPlace(https://example.com/mcp)"
