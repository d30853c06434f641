"""Function tools of the OpenAI Agents SDK as ours. Start with `openai_agents.py`, which imports this when asked to."""

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, cast

from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrailData,
    ToolOutputFileContent,
    ToolOutputGuardrailData,
    ToolOutputImage,
    ToolOutputText,
)
from agents.tool import (
    default_tool_error_function,
    resolve_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
)
from agents.tool_context import ToolContext
from pydantic_core import to_jsonable_python

from hilt.adapters.framework_tools import (
    NEXT_AFTER_FAILURE,
    Judged,
    Returned,
    busy,
    check_judged,
    effects_of,
    failure,
    refused,
)
from hilt.calls.context import Context
from hilt.calls.tool import DEFAULT_TIMEOUT_S, AnyTool, Handling, schema_tool
from hilt.declarations.effects import UNDECLARED
from hilt.errors import DeclarationError
from hilt.results.failures import EnvironmentFailure, Refused

UNKNOWN = "application/octet-stream"
"""The media type of a file of which only base64 is given."""


def tools_of(
    source: Tool | Iterable[Tool] | Agent[Any], context: object, *, effects: Judged, server: str
) -> list[AnyTool]:
    """See `openai_agents.from_openai_agents`."""
    given = source.tools if isinstance(source, Agent) else source if isinstance(source, Iterable) else [source]
    found = [_function(each) for each in given]
    check_judged(effects, [each.name for each in found])
    return [_tool(each, context, effects=effects, server=server) for each in found if each.is_enabled is not False]


def _function(tool: Tool) -> FunctionTool:
    if not isinstance(tool, FunctionTool):
        raise DeclarationError(
            f"{tool.name} is a {type(tool).__name__}, which runs in the SDK or at OpenAI and not as a function",
            "give the function tools alone: [t for t in agent.tools if isinstance(t, FunctionTool)]",
        )
    return tool


def _tool(tool: FunctionTool, context: object, *, effects: Judged, server: str) -> AnyTool:
    judged = UNDECLARED if tool.needs_approval is not False else effects_of(effects, tool.name)
    bare = set_function_tool_failure_error_function(copy.copy(tool), None)  # its exceptions come to us as they are
    return schema_tool(
        tool.name,
        _Foreign(tool=tool, bare=bare, context=context).call,
        parameters=tool.params_json_schema,
        description=tool.description,
        kind="perceive" if judged.read_only else "act",
        effects=judged,
        handling=Handling(timeout_s=tool.timeout_seconds or DEFAULT_TIMEOUT_S),
        server=server,
        asks_context=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign:
    """One function tool, the same without its handler of failures, and what its context holds."""

    tool: FunctionTool
    bare: FunctionTool
    context: object

    async def call(self, arguments: Mapping[str, object], context: Context) -> object:
        """One call as the SDK's runner makes it: guardrails, function, guardrails."""
        text = json.dumps(arguments, ensure_ascii=False)
        run = ToolContext(
            context=self.context, tool_name=self.tool.name, tool_call_id=context.call, tool_arguments=text
        )
        agent: Agent[Any] = Agent(name="hilt", tools=[self.tool])
        await self._check_enabled(run, agent)
        for guard in self.tool.tool_input_guardrails or ():
            self._heed(await guard.run(ToolInputGuardrailData(context=run, agent=agent)), guard.get_name())
        try:
            value: object = await self.bare.on_invoke_tool(run, text)
        except ModelBehaviorError as error:
            raise refused(error) from error
        except Exception as error:
            await self._tell(error, run)
            raise
        for check in self.tool.tool_output_guardrails or ():
            seen = ToolOutputGuardrailData(context=run, agent=agent, output=value)
            self._heed(await check.run(seen), check.get_name())
        return await _taken(Returned(), value).result(context)

    async def _check_enabled(self, run: ToolContext[object], agent: Agent[Any]) -> None:
        asked = self.tool.is_enabled
        enabled = asked(run, agent) if callable(asked) else asked
        if not (await enabled if isawaitable(enabled) else enabled):
            raise EnvironmentFailure(f"{self.tool.name} is not enabled now", NEXT_AFTER_FAILURE)

    def _heed(self, output: ToolGuardrailFunctionOutput, name: str) -> None:
        """Raise `Refused` where a guardrail objects."""
        if output.behavior["type"] == "reject_content":
            raise Refused(output.behavior["message"], NEXT_AFTER_FAILURE, by="reviewer", rule=name)
        if output.behavior["type"] == "raise_exception":
            raise Refused(
                f"the guardrail {name} stopped this call", "report it to the person", by="reviewer", rule=name
            )

    async def _tell(self, error: Exception, run: ToolContext[object]) -> None:
        """Raise what the author of the tool lets the model hear of the error; else nothing."""
        if busy(error):
            raise failure(error) from error
        own = resolve_function_tool_failure_error_function(self.tool, run)
        if own is None or own is default_tool_error_function:
            return
        said = own(run, error)
        raise failure(Exception(await said if isawaitable(said) else said)) from error


def _taken(returned: Returned, value: object) -> Returned:
    """With a value put where it belongs: the SDK's outputs are text and parts, anything else is a JSON value."""
    whole = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    for each in whole:
        if isinstance(each, ToolOutputText):
            returned.values.append(each.text)
        elif isinstance(each, ToolOutputImage | ToolOutputFileContent):
            _take_media(returned, each)
        elif each is not None or len(whole) > 1:
            returned.values.append(to_jsonable_python(each, fallback=str))
    return returned


def _take_media(returned: Returned, output: ToolOutputImage | ToolOutputFileContent) -> None:
    """Bytes become a part; what lies elsewhere is told by its address or id."""
    if isinstance(output, ToolOutputImage):
        if not returned.take_bytes(output.image_url or "", "image"):
            returned.values.append(f"image {output.image_url or output.file_id}")
    elif not returned.take_bytes(output.file_data or "", "file", media_type=UNKNOWN, name=output.filename or ""):
        returned.values.append(f"file {output.file_url or output.file_id}")
