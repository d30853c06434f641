"""Hilt's tools as tools of LangChain. Start with `langchain.py`, which imports this when it is asked to."""

from collections.abc import Iterator, Sequence
from typing import Any

from anyio.from_thread import BlockingPortalProvider
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from pydantic import PrivateAttr
from typing_extensions import override

from hilt.adapters.frameworks import Door, parameters_of, program_form
from hilt.adapters.mcp_forms import TAKEN
from hilt.adapters.media import base64, shown
from hilt.adapters.wire import argument_text, words
from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.results.parts import Audio, Image, Part

Content = str | list[str | dict[str, object]]
_CALL_ID = "hilt call id"
"""What the id of a call is called among its arguments on their way through LangChain: no schema declares it."""


class HiltTool(BaseTool):
    """One tool of one session. LangChain checks nothing of its arguments and converts nothing."""

    _door: Door = PrivateAttr()
    _portals: BlockingPortalProvider = PrivateAttr()

    @override
    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        places, arguments = super()._to_args_and_kwargs(tool_input, tool_call_id)
        return places, {**arguments, _CALL_ID: tool_call_id or ""}

    @override
    def _run(self, /, **arguments: object) -> ToolMessage | Content:
        with self._portals as portal:
            return portal.call(self._answer, arguments)

    @override
    async def _arun(self, /, **arguments: object) -> ToolMessage | Content:
        return await self._answer(arguments)

    async def _answer(self, arguments: dict[str, object]) -> ToolMessage | Content:
        id = words(arguments.pop(_CALL_ID, ""))
        answer = await self._door.answer(self.name, argument_text(arguments, none="{}"), id=id)
        if not id:
            return _content(answer)
        return ToolMessage(
            content=_content(answer),
            tool_call_id=id,
            name=self.name,
            status="error" if answer.result.is_error else "success",
            artifact=program_form(answer),
        )


def hilt_tools(door: Door, offers: Sequence[Offer]) -> Iterator[HiltTool]:
    """A tool for each offer; sync calls of all of them run in one thread, which lives as long as they do."""
    portals = BlockingPortalProvider()
    for offer in offers:
        made = HiltTool(
            name=offer.declaration.name,
            description=offer.description,
            args_schema=parameters_of(offer),
            extras={"defer_loading": True} if offer.deferred else None,
        )
        made._door, made._portals = door, portals  # pyright: ignore[reportPrivateUsage]  # pydantic takes them no other way
        yield made


def _content(answer: Answer) -> Content:
    each = shown(answer, TAKEN)
    text: dict[str, object] = {"type": "text", "text": each.text}
    return [text, *(_block(part) for part in each.parts)] if each.parts else each.text


def _block(part: Part) -> dict[str, object]:
    kind = "image" if isinstance(part, Image) else "audio" if isinstance(part, Audio) else "file"
    return {"type": kind, "base64": base64(part), "mime_type": part.media_type}
