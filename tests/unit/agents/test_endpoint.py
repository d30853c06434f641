"""Real HTTP through the official SDKs: a run against an endpoint, and each way an endpoint can fail."""

import socket
from collections.abc import Callable

import pytest

from hilt.agents.endpoint import Endpoint, anthropic_endpoint, openai_endpoint
from hilt.agents.loop import run_task
from hilt.agents.scripted import Line, ask, completion, say
from hilt.calls.declaring import tool
from hilt.calls.session import Session
from hilt.errors import ConfigError, EndpointError
from hilt.runtime.runtime import Runtime
from tests.fakes import provider_server
from tests.unit.agents.serving import serving


@tool(kind="perceive", limit=1)
async def double(number: int) -> int:
    """Twice a number; a description that is long enough to be missed when it never reaches a prompt.

    Args:
        number: any whole number, of any size and either sign, as long as it is a JSON integer
    """
    return 2 * number


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def counted(line: Line, number: int, prompt_tokens: int) -> tuple[int, dict[str, object]]:
    return 200, {**completion(line, number), "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 5}}


async def test_a_run_against_an_openai_compatible_server_reaches_its_answer() -> None:
    replies = [counted(ask("double", number=21), 0, 400)[1], counted(say("42"), 1, 450)[1]]
    with provider_server.serving(*replies) as served:
        async with openai_endpoint("any", base_url=f"{served.url}/v1", options={"temperature": 0}) as model:
            run = await run_task(Runtime([double]), Session(), model, "twice 21?")

    assert run.text == "42"
    assert served.refusals == []
    assert served.requests[0]["temperature"] == 0
    assert served.requests[1]["messages"][-1]["content"].endswith("42")
    assert [turn.reported for turn in run.bill.turns] == [(400, 5), (450, 5)]


async def test_a_run_against_an_anthropic_server_reaches_its_answer() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "double", "input": {"number": 21}}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 390, "output_tokens": 5}
    first = {"id": "m1", "role": "assistant", "content": [use], "stop_reason": "tool_use", "usage": usage}
    last = {**first, "id": "m2", "content": [{"type": "text", "text": "42"}], "stop_reason": "end_turn"}
    with provider_server.serving(first, last) as served:
        async with anthropic_endpoint("any", base_url=served.url) as model:
            run = await run_task(Runtime([double]), Session(), model, "twice 21?")

    assert run.text == "42"
    assert run.bill.turns[0].reported == (400, 5)
    assert served.refusals == []
    assert served.requests[0]["max_tokens"] > 0
    assert served.requests[1]["messages"][-1]["content"][0]["tool_use_id"] == "toolu_1"


@pytest.mark.parametrize("choice", ["auto", "required"])
async def test_a_server_that_never_shows_tools_to_its_model_is_named(choice: str) -> None:
    with serving([counted(say("I think 40?"), 0, 12)]) as served:
        async with openai_endpoint("any", base_url=served.url, options={"tool_choice": choice}) as model:
            with pytest.raises(EndpointError, match="tools-not-shown"):
                await run_task(Runtime([double]), Session(), model, "twice 21?")


async def test_words_instead_of_a_call_are_an_answer_where_the_tools_were_in_the_prompt() -> None:
    with serving([counted(say("42, by heart"), 0, 400)]) as served:
        async with openai_endpoint("any", base_url=served.url) as model:
            run = await run_task(Runtime([double]), Session(), model, "twice 21?")

    assert run.text == "42, by heart"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "refused the key"),
        (404, "has nothing there, or no model 'any'"),
        (400, "refused the request"),
        (503, "overloaded or broken"),
    ],
)
async def test_each_refusal_of_an_endpoint_says_what_to_do(status: int, words: str) -> None:
    with serving([(status, {"error": {"message": "no"}})]) as served:
        async with openai_endpoint("any", base_url=served.url) as model:
            with pytest.raises(EndpointError) as caught:
                await model.turn([{"role": "user", "content": "x"}], [])

    assert words in caught.value.problem
    assert served.url in caught.value.problem
    assert caught.value.next_steps


async def test_an_endpoint_that_is_not_there_is_told_with_its_address() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        async with openai_endpoint("any", base_url=url) as model:
            with pytest.raises(EndpointError, match="cannot be reached"):
                await model.turn([{"role": "user", "content": "x"}], [])


@pytest.mark.parametrize(
    ("make", "variable"), [(openai_endpoint, "OPENAI_API_KEY"), (anthropic_endpoint, "ANTHROPIC_API_KEY")]
)
def test_without_key_and_own_server_the_variable_is_named(make: Callable[[str], Endpoint], variable: str) -> None:
    with pytest.raises(ConfigError, match=f"{variable} is not set"):
        make("any")
