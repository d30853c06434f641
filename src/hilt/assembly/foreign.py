"""Declarations that somebody else wrote, in any form in which tools are written down.

MCP's `tools/list`, OpenAI's chat and Responses, Anthropic's Messages, Gemini's function
declarations. Nothing is mended: a judge wants to see what a model would.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hilt.declarations.declaration import Declaration, Kind
from hilt.declarations.description import plain_description
from hilt.declarations.effects import UNDECLARED
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError

_SCHEMAS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")
_RETURNS = ("outputSchema", "output_schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One list of tools: the name it gives itself, if any, and its declarations in order."""

    name: str
    declarations: tuple[Declaration, ...]


def written(document: object, place: str) -> Written:
    """The tools of a JSON document. Raises `ConfigError` where it holds no list of them."""
    if is_object(document) and is_object(answer := document.get("result")):
        document = answer
    tools = document.get("tools") if is_object(document) else document
    if not is_array(tools):
        raise ConfigError(
            f"{place} holds no list of tools",
            'write {"tools": [...]} as MCP, OpenAI or Anthropic do, or the bare list',
        )
    name = document.get("name") if is_object(document) else None
    entries = [each for entry in tools for each in _entries(entry)]
    return Written(
        name=name if isinstance(name, str) else "",
        declarations=tuple(declared(entry, f"{place}: tool {number}") for number, entry in enumerate(entries, 1)),
    )


def _entries(entry: object) -> Iterator[object]:
    """One entry may hold one function, or Gemini's list of them."""
    if is_object(entry):
        for key in ("functionDeclarations", "function_declarations"):
            if is_array(several := entry.get(key)):
                yield from several
                return
        if is_object(function := entry.get("function")):
            yield function
            return
    yield entry


def declared(entry: object, place: str) -> Declaration:
    """One tool as it was written. Raises `ConfigError` where it has no name or no schema that could be one."""
    if not is_object(entry):
        raise ConfigError(f"{place} is no object", "write an object with name, description and a schema")
    name = entry.get("name") or entry.get("type")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{place} has no name", 'give it "name"')
    parameters = _first(entry, _SCHEMAS)
    if not is_object(parameters):
        raise ConfigError(f"{place}, {name}: its schema is no object", 'write {"type": "object", ...}')
    returns = _first(entry, _RETURNS)
    description, annotations = entry.get("description"), entry.get("annotations")
    hints: Mapping[str, object] = annotations if is_object(annotations) else {}
    kind: Kind = "perceive" if hints.get("readOnlyHint") is True else "act"
    return Declaration(
        name=name,
        kind=kind,
        description=plain_description(description if isinstance(description, str) else ""),
        parameters=parameters,
        returns=returns if is_object(returns) else {},
        effects=UNDECLARED,  # a hint of its maker may only raise what it is taken to do
        idempotent=hints.get("idempotentHint") is True,
        original_name=name,
        annotations=hints,
    )


def _first(entry: Mapping[str, object], names: Sequence[str]) -> object:
    """The value of the first of these keys that has one, else an empty object."""
    empty: dict[str, object] = {}
    return next((value for name in names if (value := entry.get(name)) is not None), empty)
