"""Inspect AI's tools as ours. Start with `inspect_ai.py`, which imports this when it is asked to."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    Content,
    ContentAudio,
    ContentDocument,
    ContentImage,
    ContentText,
    execute_tools,
)
from inspect_ai.tool import Tool, ToolCall, ToolCallError, ToolDef, ToolError

from hilt.adapters.framework_tools import (
    NEXT_AFTER_CUT,
    NEXT_AFTER_FAILURE,
    NEXT_AFTER_REFUSAL,
    Judged,
    Returned,
    busy,
    check_judged,
    effects_of,
    failure,
)
from hilt.adapters.wire import plain_object
from hilt.calls.context import Context
from hilt.calls.tool import AnyTool, Handling, schema_tool
from hilt.results.failures import Aborted, EnvironmentFailure, InvalidArguments, Outcome, Refused, Retryable


def tools_of(source: Tool | ToolDef | Iterable[Tool | ToolDef], *, effects: Judged, server: str) -> list[AnyTool]:
    """See `inspect_ai.from_inspect_ai`."""
    given = list(source) if isinstance(source, Iterable) else [source]
    found = [each if isinstance(each, ToolDef) else ToolDef(each) for each in given]
    check_judged(effects, [each.name for each in found])
    return [_tool(each, effects=effects, server=server) for each in found]


def _tool(tool: ToolDef, *, effects: Judged, server: str) -> AnyTool:
    judged = effects_of(effects, tool.name)
    return schema_tool(
        tool.name,
        _Foreign(tool).call,
        parameters=json.loads(tool.parameters.model_dump_json(exclude_none=True)),
        description=tool.description,
        kind="perceive" if judged.read_only else "act",
        effects=judged,
        handling=Handling(parallel=tool.parallel),
        server=server,
        asks_context=True,
    )


@dataclass(frozen=True, slots=True)
class _Foreign:
    """One tool of Inspect."""

    tool: ToolDef

    async def call(self, arguments: Mapping[str, object], context: Context) -> object:
        """One call as Inspect makes it, uncut unless the tool itself wants it cut: the road cuts, and says so."""
        asked = ToolCall(id=context.call, function=self.tool.name, arguments=dict(arguments))
        said = ChatMessageAssistant(content="", tool_calls=[asked])
        try:
            done = await execute_tools([said], [self.tool], max_output=0)
        except Exception as error:
            if busy(error):
                raise failure(error) from error
            raise
        answers = [each for each in done.messages if isinstance(each, ChatMessageTool)]
        returned = Returned()
        for message in answers:
            if message.error is not None:
                raise _failure(message.error)
            content = message.content
            for each in [ContentText(text=content)] if isinstance(content, str) else content:
                _take(returned, each)
        return await returned.result(context)


def _failure(error: ToolCallError) -> Exception:
    """The failure or refusal that an error of Inspect's stands for."""
    made = _BY_TYPE.get(error.type)
    return made(error.message) if made else failure(ToolError(error.message))


def _timed_out(words: str) -> Retryable:
    cut = Retryable(words, NEXT_AFTER_CUT)
    cut.outcome = Outcome.UNKNOWN
    return cut


def _of_the_world(words: str) -> EnvironmentFailure:
    return EnvironmentFailure(words, NEXT_AFTER_FAILURE)


_BY_TYPE: Mapping[str, Callable[[str], Exception]] = {
    "parsing": lambda words: InvalidArguments(words, NEXT_AFTER_REFUSAL),
    "timeout": _timed_out,
    "approval": lambda words: Refused(words, NEXT_AFTER_FAILURE, by="reviewer", rule="inspect approval"),
    "cancelled": lambda words: Aborted(words, NEXT_AFTER_CUT),
    **dict.fromkeys(
        ("unicode_decode", "permission", "file_not_found", "is_a_directory", "limit", "sandbox_unavailable"),
        _of_the_world,
    ),
}
"""Inspect's types of error; what is `unknown` is read by its words."""


def _take(returned: Returned, content: Content) -> None:
    """Put content where it belongs: text, or bytes as a part, or as it is."""
    if isinstance(content, ContentText):
        returned.values.append(content.text)
    elif isinstance(content, ContentImage):
        _take_media(returned, content, content.image)
    elif isinstance(content, ContentAudio):
        _take_media(returned, content, content.audio)
    elif isinstance(content, ContentDocument):
        _take_media(returned, content, content.document, content.filename)
    else:
        returned.values.append(plain_object(content, "Inspect"))


def _take_media(returned: Returned, content: Content, written: str, name: str = "") -> None:
    if not returned.take_bytes(written, content.type, name=name):
        returned.values.append(plain_object(content, "Inspect"))
