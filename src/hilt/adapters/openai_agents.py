"""OpenAI's Agents SDK, both ways: a session's tools as its function tools, and its function tools as ours.

agent = Agent(name="desk", tools=[*openai_agents.tools(runtime, session)])
runtime = Runtime(openai_agents.from_openai_agents(agent))
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hilt.adapters import openai_responses
from hilt.adapters.framework_tools import Judged
from hilt.adapters.frameworks import Door, Host
from hilt.adapters.media import inline_url, shown
from hilt.adapters.openai_responses import TAKEN
from hilt.adapters.wire import words
from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import UNDECLARED
from hilt.declarations.schema import is_object
from hilt.errors import MissingExtra
from hilt.results.parts import FilePart, Part

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, Tool, ToolOutputFileContent, ToolOutputImage
    from agents.tool_context import ToolContext

EXTRA = "openai-agents"


def tools(runtime: Host, session: Session) -> "list[FunctionTool]":
    """Every tool the session may come to use, each enabled while the session offers it.

    The list is an agent's for good: a tool that is deferred is in it, and seen by the model from the turn after it was
    loaded. A tool that comes to the runtime later is not in it. A call of a tool that is not enabled is refused by the
    SDK itself; `RunConfig(tool_not_found_behavior="return_error_to_model")` lets the run go on. The argument text
    goes to the road as it came. Raises `MissingExtra`.
    """
    try:
        import agents as sdk
    except ImportError as error:
        raise MissingExtra("tools for the OpenAI Agents SDK", EXTRA) from error
    door = Door(host=runtime, session=session)
    return [_function_tool(sdk.FunctionTool, door, offer) for offer in door.every_offer()]


def _function_tool(make: "type[FunctionTool]", door: Door, offer: Offer) -> "FunctionTool":
    [wire] = openai_responses.tools([replace(offer, deferred=False)])
    name, parameters = offer.declaration.name, wire["parameters"]

    async def invoke(context: "ToolContext[object]", arguments: str) -> object:
        return _output(await door.answer(name, arguments, id=context.tool_call_id))

    def is_enabled(context: object, agent: object) -> bool:
        del context, agent
        return name in door.host.offered_names(door.session)

    return make(
        name=name,
        description=words(wire["description"]),
        params_json_schema=parameters if is_object(parameters) else {},
        on_invoke_tool=invoke,
        strict_json_schema=wire["strict"] is True,
        is_enabled=is_enabled,
    )


def _output(answer: Answer) -> object:
    """The text alone, or with pictures and files beside it in the SDK's own form."""
    from agents import ToolOutputText

    each = shown(answer, TAKEN)
    return [ToolOutputText(text=each.text), *(_part(part) for part in each.parts)] if each.parts else each.text


def _part(part: Part) -> "ToolOutputImage | ToolOutputFileContent":
    from agents import ToolOutputFileContent, ToolOutputImage

    if isinstance(part, FilePart):
        return ToolOutputFileContent(file_data=inline_url(part), filename=part.name or None)
    return ToolOutputImage(image_url=inline_url(part))


def from_openai_agents(
    source: "Tool | Iterable[Tool] | Agent[Any]",
    context: object = None,
    *,
    effects: Judged = UNDECLARED,
    server: str = "",
) -> list[AnyTool]:
    """Function tools of the SDK as ours: one, some, or all of an agent's, which is not run.

    `context` is what their `ToolContext` holds. Their guardrails run too, a rejection being a refusal. What a tool
    raises is told as its own `failure_error_function` says it; the SDK's fixed sentence is never used. A tool that
    `needs_approval` keeps every effect whatever `effects` say, so that a person is asked. Raises `MissingExtra`, and
    `DeclarationError` for a tool that runs at OpenAI.
    """
    try:
        from hilt.adapters.openai_agents_tools import tools_of
    except ImportError as error:
        raise MissingExtra("tools of the OpenAI Agents SDK", EXTRA) from error
    return tools_of(source, context, effects=effects, server=server)
