"""Hilt's tools as a toolset of pydantic-ai. Start with `pydantic_ai.py`, which imports this when it is asked to."""

import json
from collections.abc import Mapping

from pydantic_ai import RunContext, ToolReturn
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import BinaryContent
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from hilt.adapters.frameworks import Door, parameters_of, program_form
from hilt.adapters.mcp_forms import TAKEN
from hilt.adapters.media import shown
from hilt.adapters.wire import argument_text
from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.declarations.schema import is_object


class Written(dict[str, object]):
    """Arguments as the model wrote them, and as hooks of the framework may read and change them."""

    def __init__(self, text: str) -> None:
        super().__init__(_read(text))
        self.text = text
        self._seen = _dumped(self)

    def as_sent(self) -> str:
        """The model's own text, unless a hook has changed the arguments since."""
        now = _dumped(self)
        return self.text if now == self._seen else now


def _read(text: str) -> Mapping[str, object]:
    """What hooks get to see; nothing where the text is not one JSON object, which the road says better."""
    try:
        made: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return made if is_object(made) else {}


def _dumped(arguments: Mapping[str, object]) -> str:
    return argument_text(dict(arguments), none="{}")


class _AsWritten:
    """The framework's place for a validator: it checks nothing and converts nothing, for the road does."""

    def validate_json(self, input: str | bytes | bytearray, **options: object) -> Written:
        del options
        return Written(input if isinstance(input, str) else bytes(input).decode("utf-8", "surrogateescape"))

    def validate_python(self, input: object, **options: object) -> Written:
        del options
        return Written(argument_text(input, none="{}"))


class HiltToolset(AbstractToolset[object]):
    """What one session offers, read anew for every step of a run."""

    def __init__(self, door: Door, *, id: str | None, deferred: bool) -> None:
        self._door = door
        self._id = id
        self._deferred = deferred

    @property
    def id(self) -> str | None:
        """The name under which durable execution knows it."""
        return self._id

    async def get_tools(self, ctx: RunContext[object]) -> dict[str, ToolsetTool[object]]:
        """The tools offered now; what was loaded since the last step is among them."""
        await self._door.host.ready(self._door.session)
        return {each.declaration.name: self._tool(each, ctx) for each in self._door.offers(deferred=self._deferred)}

    def _tool(self, offer: Offer, ctx: RunContext[object]) -> ToolsetTool[object]:
        name = offer.declaration.name
        return ToolsetTool(
            toolset=self,
            tool_def=ToolDefinition(
                name=name,
                description=offer.description,
                parameters_json_schema=parameters_of(offer),
                sequential=not self._door.parallel(name),
                defer_loading=offer.deferred,
                metadata={"server": offer.declaration.server} if offer.declaration.server else None,
            ),
            max_retries=ctx.max_retries,
            args_validator=_AsWritten(),
        )

    async def call_tool(
        self, name: str, tool_args: dict[str, object], ctx: RunContext[object], tool: ToolsetTool[object]
    ) -> object:
        """One call on the road. Raises `ToolFailed` with the text of a call that failed or was refused."""
        text = tool_args.as_sent() if isinstance(tool_args, Written) else _dumped(tool_args)
        call = ctx.tool_call_id or ""
        turn = f"{ctx.run_id}:{ctx.run_step}:{call}" if ctx.run_id and call else ""
        return _returned(await self._door.answer(name, text, id=call, turn=turn))


def _returned(answer: Answer) -> ToolReturn[object]:
    each = shown(answer, TAKEN)
    if answer.result.is_error and not each.parts:
        raise ToolFailed(each.text)
    parts = [BinaryContent(data=part.content, media_type=part.media_type) for part in each.parts]
    return ToolReturn(return_value=[each.text, *parts] if parts else each.text, metadata=program_form(answer))
