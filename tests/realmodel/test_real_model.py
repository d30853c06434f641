"""A real model over real HTTP: what it writes is read, checked, run and answered. What it chooses is not judged."""

from collections.abc import Callable

import pytest

from hilt.adapters.clients import openai_client
from hilt.agents.endpoint import Endpoint, anthropic_endpoint, openai_endpoint
from hilt.agents.loop import run_task
from hilt.agents.steps import Answered
from hilt.calls.declaring import tool
from hilt.calls.session import Session
from hilt.errors import EndpointError
from hilt.results.envelope import Status
from hilt.runtime.runtime import Runtime
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from tests.realmodel.constrained import ConstrainedModel

PROMPTS = (
    "What is the weather in Paris?",
    "Multiply 17 by 23.",
    "Is it raining in Oslo today?",
    "How much is 12 times 12?",
    "Weather for Tokyo, please.",
)


@tool(kind="perceive", limit=1)
async def weather(city: str) -> str:
    """The weather in one city now.

    Args:
        city: its name
    """
    return f"sunny in {city}"


@tool(kind="perceive", limit=1)
async def multiply(first: int, second: int) -> int:
    """The product of two whole numbers.

    Args:
        first: one number
        second: the other
    """
    return first * second


@pytest.fixture
def runtime() -> Runtime:
    return Runtime([weather, multiply])


@pytest.mark.parametrize("prompt", PROMPTS)
async def test_a_constrained_call_is_read_checked_executed_and_answered(
    server: str, runtime: Runtime, prompt: str
) -> None:
    client = openai_client(f"{server}/v1")

    run = await run_task(runtime, Session(user_words=prompt), ConstrainedModel(client), prompt, most_turns=2)
    await client.close()

    (answered,) = [step for step in run.steps if isinstance(step, Answered)]
    assert answered.answer.call.name in ("weather", "multiply")
    assert answered.answer.result.status is Status.SUCCESS
    assert run.reason in ("answered", "output_limit")
    assert all(turn.reported for turn in run.bill.turns)


@pytest.mark.parametrize(("make", "path"), [(openai_endpoint, "/v1"), (anthropic_endpoint, "")])
async def test_a_server_whose_template_knows_no_tools_is_named(
    server: str, make: Callable[..., Endpoint], path: str
) -> None:
    """With tools of some size: the prompt of two small ones is too short to be told from none."""
    runtime = Runtime([search_code, read_file])
    async with make("smollm2", base_url=f"{server}{path}", options={"max_tokens": 48, "temperature": 0}) as model:
        with pytest.raises(EndpointError, match="tools-not-shown"):
            await run_task(runtime, Session(), model, PROMPTS[0])


async def test_without_tools_the_model_answers_in_words(server: str) -> None:
    async with openai_endpoint("smollm2", base_url=f"{server}/v1", options={"max_tokens": 32}) as model:
        run = await run_task(Runtime(), Session(), model, "Say hello.")

    assert run.text
    assert run.bill.declared_tokens == 1
