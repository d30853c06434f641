"""Declarations of others, in short."""

from collections.abc import Mapping
from typing import Any

from hilt.assembly.foreign import declared
from hilt.audit.inference import inferred
from hilt.audit.legs import Audited
from hilt.declarations.declaration import Declaration
from hilt.declarations.description import Environment


def declaration(
    name: str, says: str = "", hints: Mapping[str, bool] | None = None, returns: Any = None, **parameters: Any
) -> Declaration:
    """A foreign declaration; a parameter is its schema, or a description of a text."""
    properties = {
        key: each if isinstance(each, dict) else {"type": "string", "description": each}
        for key, each in parameters.items()
    }
    entry: dict[str, object] = {
        "name": name,
        "description": says,
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": dict(hints or {}),
    }
    if returns is not None:
        entry["outputSchema"] = returns
    return declared(entry, "test")


def tool(name: str, says: str = "", hints: Mapping[str, bool] | None = None, **parameters: Any) -> Audited:
    """A foreign tool as the audit sees it."""
    made = declaration(name, says, hints, **parameters)
    return inferred(made, made.text(Environment()), server="theirs", label=name)
