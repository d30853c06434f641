"""Tools of pydantic-ai as ours. Start with `pydantic_ai.py`, which imports this when it is asked to."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Generic, TypeVar, cast

from pydantic import ValidationError
from pydantic_ai import Agent, RunContext, Tool, ToolReturn
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.messages import BinaryContent
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FunctionToolset, ToolsetTool
from pydantic_ai.usage import RunUsage
from pydantic_core import to_jsonable_python

from hilt.adapters.framework_tools import (
    Judged,
    Returned,
    busy,
    check_judged,
    effects_of,
    failure,
    invalid,
    part_of,
    refused,
)
from hilt.calls.context import Context
from hilt.calls.tool import DEFAULT_TIMEOUT_S, AnyTool, Handling, schema_tool
from hilt.declarations.effects import UNDECLARED
from hilt.results.failures import EnvironmentFailure

DepsT = TypeVar("DepsT")
OutputT = TypeVar("OutputT")


async def tools_of(
    source: Tool[DepsT] | AbstractToolset[DepsT] | Agent[DepsT, OutputT], deps: DepsT, *, effects: Judged, server: str
) -> list[AnyTool]:
    """See `pydantic_ai.from_pydantic_ai`."""
    toolset = _toolset(source)
    found = await toolset.get_tools(_run_context(deps))
    check_judged(effects, found)
    return [
        _tool(_Foreign(toolset=toolset, tool=each, deps=deps), each.tool_def, effects=effects, server=server)
        for each in found.values()
    ]


def _toolset(
    source: Tool[DepsT] | AbstractToolset[DepsT] | Agent[DepsT, OutputT],
) -> AbstractToolset[DepsT]:
    if isinstance(source, Tool):
        return FunctionToolset([source])
    return CombinedToolset(list(source.toolsets)) if isinstance(source, Agent) else source


def _run_context(deps: DepsT, name: str | None = None, of: Context | None = None) -> RunContext[DepsT]:
    """A context outside any run: no history, and a model that is never asked. What the road let pass is approved."""
    return RunContext(
        deps=deps,
        model=TestModel(),
        usage=RunUsage(),
        prompt=of.session.user_words if of else None,
        tool_name=name,
        tool_call_id=of.call if of else None,
        tool_call_approved=of is not None,
    )


def _tool(foreign: "_Foreign[DepsT]", declared: ToolDefinition, *, effects: Judged, server: str) -> AnyTool:
    approved_by_a_person = declared.kind == "unapproved"
    judged = UNDECLARED if approved_by_a_person else effects_of(effects, declared.name)
    return schema_tool(
        declared.name,
        foreign.call,
        parameters=declared.parameters_json_schema,
        description=declared.description or "",
        kind="perceive" if judged.read_only else "act",
        effects=judged,
        handling=Handling(timeout_s=declared.timeout or DEFAULT_TIMEOUT_S, parallel=not declared.sequential),
        server=server,
        asks_context=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign(Generic[DepsT]):
    """One tool of a toolset, and what its context holds."""

    toolset: AbstractToolset[DepsT]
    tool: ToolsetTool[DepsT]
    deps: DepsT

    async def call(self, arguments: Mapping[str, object], context: Context) -> object:
        """One call as pydantic-ai makes it: its validator, its own check, its function."""
        run = _run_context(self.deps, self.tool.tool_def.name, context)
        try:
            given = await self._given(arguments, run)
            value: object = await self.toolset.call_tool(self.tool.tool_def.name, given, run, self.tool)
        except ModelRetry as error:
            raise refused(error) from error
        except ToolFailed as error:
            raise failure(error) from error
        except (ApprovalRequired, CallDeferred) as error:
            asks = "approval" if isinstance(error, ApprovalRequired) else "an answer from outside its run"
            raise EnvironmentFailure(
                f"{self.tool.tool_def.name} asks its own framework for {asks}, and runs without it here",
                "take another way",
                "report it to the person",
            ) from error
        except Exception as error:
            if busy(error):
                raise failure(error) from error
            raise
        return await _returned(value).result(context)

    async def _given(self, arguments: Mapping[str, object], run: RunContext[DepsT]) -> dict[str, object]:
        """The arguments in Python's types, as the tool's function takes them."""
        try:
            given = self.tool.args_validator.validate_json(json.dumps(arguments))
        except ValidationError as error:
            raise invalid(error) from error
        check = self.tool.args_validator_func
        checked: object = check(run, **given) if check else None
        if isawaitable(checked):
            await checked
        return given


def _returned(value: object) -> Returned:
    if not isinstance(value, ToolReturn):
        return _taken(Returned(), value)
    whole = cast("ToolReturn[object]", value)
    return _taken(_taken(Returned(), whole.return_value), whole.content)


def _taken(returned: Returned, value: object) -> Returned:
    """With a value put where it belongs: a list is its elements, bytes of a media type are a part."""
    whole = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    for each in whole:
        if isinstance(each, BinaryContent):
            returned.parts.append(part_of(each.data, each.media_type, each.identifier))
        elif each is not None or len(whole) > 1:
            returned.values.append(to_jsonable_python(each, by_alias=True))
    return returned
