"""Hilt's tools as tools of Inspect AI. Start with `inspect_ai.py`, which imports this when it is asked to."""

from collections.abc import Iterator, Sequence
from typing import Any

from inspect_ai.model import Content, ContentDocument, ContentImage, ContentText
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParam, ToolParams
from inspect_ai.tool._tool import ToolApprovalError, ToolParsingError

from hilt.adapters.frameworks import Door, parameters_of
from hilt.adapters.media import DOCUMENTS, PICTURES, inline_url, shown
from hilt.adapters.wire import argument_text
from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.declarations.schema import Schema, is_object, map_schemas, resolved
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind
from hilt.results.parts import FilePart, Part
from hilt.results.render import compact_json

TAKEN = PICTURES | DOCUMENTS
UNCUT = 0
"""Inspect's word for a result it must not cut: the road has cut it, and says how to go on."""
_KEYWORDS = frozenset(ToolParam.model_fields)


class HiltSource:
    """What one session offers, as a source of tools that Inspect asks before every generation."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def tools(self) -> list[Tool]:
        """The tools offered now."""
        await self._door.host.ready(self._door.session)
        return [each.as_tool() for each in hilt_tools(self._door, self._door.offers())]


def hilt_tools(door: Door, offers: Sequence[Offer]) -> Iterator[ToolDef]:
    """A definition for each offer."""
    for offer in offers:
        name = offer.declaration.name
        yield ToolDef(
            _execute(door, name),
            name=name,
            description=offer.description or name,  # Inspect takes no tool without one
            parameters=_params(parameters_of(offer), name),
            parallel=door.parallel(name),
            max_output=UNCUT,
        )


def _execute(door: Door, name: str) -> Tool:
    async def execute(**kwargs: Any) -> Any:  # Any and this name: by them Inspect hands arguments on as they are
        return _content(await door.answer(name, argument_text(kwargs, none="{}")))

    return execute


def _params(schema: Schema, name: str) -> ToolParams:
    made = ToolParams.model_validate(map_schemas(resolved(schema, name), _narrowed))
    for key, param in made.properties.items():
        param.description = param.description or key  # Inspect takes no parameter without one
    return made


def _narrowed(node: Schema) -> Schema:
    """The schema in the keywords that Inspect knows; what the others say is told in words."""
    if "const" in node:
        node = {**node, "enum": [node["const"]]}
    if "oneOf" in node and "anyOf" not in node:
        node = {**node, "anyOf": node["oneOf"]}
    said = {"const", "oneOf", "title", "$defs"}
    left_out = {key: value for key, value in node.items() if key not in _KEYWORDS | said}
    kept = {key: value for key, value in node.items() if key in _KEYWORDS}
    if kept.get("type") == "array" and not is_object(kept.get("items")):
        kept.pop("items", None)
    if left_out:
        told = "; ".join(f"{key}: {compact_json(value)}" for key, value in left_out.items())
        before = kept.get("description")
        kept["description"] = f"{before} ({told})" if isinstance(before, str) and before else f"({told})"
    return kept


def _content(answer: Answer) -> str | list[Content]:
    each, result = shown(answer, TAKEN), answer.result
    if result.status is Status.DENIED:
        raise ToolApprovalError(each.text)
    if result.failure is not None and result.failure.kind is FailureKind.INVALID_ARGUMENTS:
        raise ToolParsingError(each.text)
    if result.is_error:
        raise ToolError(each.text)
    return [ContentText(text=each.text), *(_part(part) for part in each.parts)] if each.parts else each.text


def _part(part: Part) -> Content:
    if isinstance(part, FilePart):
        return ContentDocument(document=inline_url(part), filename=part.name, mime_type=part.media_type)
    return ContentImage(image=inline_url(part))
