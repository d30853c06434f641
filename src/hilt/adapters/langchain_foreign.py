"""Tools of LangChain as ours. Start with `langchain.py`, which imports this when it is asked to."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, ToolException
from langchain_core.utils.pydantic import model_json_schema
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from hilt.adapters.framework_tools import Judged, Returned, busy, check_judged, effects_of, failure, invalid
from hilt.adapters.wire import words
from hilt.calls.context import Context
from hilt.calls.tool import AnyTool, schema_tool
from hilt.declarations.schema import Schema, is_array, is_object
from hilt.errors import DeclarationError


def tools_of(
    source: BaseTool | Iterable[BaseTool],
    *,
    effects: Judged,
    server: str,
    injected: Mapping[str, object],
    config: RunnableConfig | None,
) -> list[AnyTool]:
    """See `langchain.from_langchain`."""
    found = [source] if isinstance(source, BaseTool) else list(source)
    check_judged(effects, [each.name for each in found])
    return [_tool(each, effects=effects, server=server, injected=injected, config=config) for each in found]


def _tool(
    tool: BaseTool, *, effects: Judged, server: str, injected: Mapping[str, object], config: RunnableConfig | None
) -> AnyTool:
    parameters = _schema(tool.tool_call_schema)
    given = _injected(tool, parameters, injected)
    judged = effects_of(effects, tool.name)
    bare = tool.model_copy(update={"handle_tool_error": False, "handle_validation_error": False})
    return schema_tool(
        tool.name,
        _Foreign(tool=tool, bare=bare, injected=given, config=config).call,
        parameters={key: value for key, value in parameters.items() if key != "description"},
        description=tool.description,
        kind="perceive" if judged.read_only else "act",
        effects=judged,
        server=server,
        asks_context=True,
    )


def _schema(given: object) -> Schema:
    if is_object(given):
        return given
    made: object = model_json_schema(cast("type[BaseModel]", given))
    return made if is_object(made) else {}


def _injected(tool: BaseTool, parameters: Schema, injected: Mapping[str, object]) -> Mapping[str, object]:
    """What of `injected` this tool takes. Raises `DeclarationError` for what it needs and nobody injects."""
    model = tool.args_schema
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        return {}
    shown = parameters.get("properties")
    hidden = {name: field for name, field in model.model_fields.items() if not is_object(shown) or name not in shown}
    by_the_call = {
        name
        for name, field in hidden.items()
        if any(each is InjectedToolCallId or isinstance(each, InjectedToolCallId) for each in field.metadata)
    }
    missing = [name for name, field in hidden.items() if field.is_required() and name not in {*injected, *by_the_call}]
    if missing:
        raise DeclarationError(
            f"{tool.name} takes {', '.join(missing)} from its graph, and there is none here",
            f"give from_langchain(..., injected={{{missing[0]!r}: ...}})",
        )
    return {name: injected[name] for name in hidden if name in injected}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign:
    """One tool, the same without its handlers of failures, and what goes along with each call."""

    tool: BaseTool
    bare: BaseTool
    injected: Mapping[str, object]
    config: RunnableConfig | None

    async def call(self, arguments: Mapping[str, object], context: Context) -> object:
        """One call as LangChain makes it."""
        args = {**arguments, **self.injected}
        asked = {"type": "tool_call", "name": self.tool.name, "args": args, "id": context.call}
        try:
            value: object = await self.bare.ainvoke(asked, self.config)
        except ValidationError as error:
            if error.title == getattr(self.tool.args_schema, "__name__", ""):
                raise invalid(error) from error
            raise
        except ToolException as error:
            raise failure(ToolException(self._worded(error))) from error
        except Exception as error:
            if busy(error):
                raise failure(error) from error
            raise
        return await _returned(value).result(context)

    def _worded(self, error: ToolException) -> str:
        """The error as the tool's author wants it read."""
        handler = self.tool.handle_tool_error
        said: object = handler(error) if callable(handler) else handler
        if isinstance(said, str):
            return said
        return str(error) if isinstance(said, bool) or said is None else json.dumps(said, ensure_ascii=False)


def _returned(value: object) -> Returned:
    """A message's content taken apart; an object that LangChain wrote as JSON is one again."""
    content: object = cast("object", value.content) if isinstance(value, ToolMessage) else value
    if isinstance(value, ToolMessage) and value.status == "error":
        raise failure(ToolException(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)))
    returned = Returned()
    if isinstance(content, str):
        read = _read(content)
        returned.values += read if is_array(read) else [read]
    else:
        for each in cast("Sequence[object]", content) if isinstance(content, list | tuple) else (content,):
            _take_block(returned, each)
    return returned


def _read(text: str) -> object:
    """The value whose JSON this text is to the byte, or the text."""
    if text[:1] in ("{", "["):
        try:
            made: object = json.loads(text)
            return made if json.dumps(made, ensure_ascii=False) == text else text
        except (ValueError, RecursionError):
            return text
    return text


def _take_block(returned: Returned, block: object) -> None:
    """Put a content block where it belongs: text, or bytes as a part, or as it is."""
    if not is_object(block):
        returned.values.append(to_jsonable_python(block, fallback=str))
        return
    if block.get("type") == "text":
        returned.values.append(words(block.get("text")))
        return
    url, media_type = block.get("image_url"), words(block.get("mime_type"))
    written = words(url.get("url")) if is_object(url) else words(url) or words(block.get("base64"))
    if not returned.take_bytes(written, words(block.get("type")), media_type="" if url else media_type):
        returned.values.append(block)
