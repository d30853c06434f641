"""The JSON Schema of a function's parameters. A type that many tools share is written once."""

from collections.abc import Mapping
from functools import lru_cache

from hilt.calls.hints import adapter_of, json_schema
from hilt.calls.signature import Plain, Signature, arguments_type
from hilt.declarations.schema import Schema, resolved
from hilt.errors import DeclarationError

KEPT_TYPES = 512


def parameters_schema(signature: Signature, tool: str) -> Schema:
    """The schema of all parameters, resolved. Raises `DeclarationError` for a type that has none."""
    properties: Schema = {}
    for each in signature.parameters:
        shared = _shared(each.plain)
        if shared is None or "$defs" in shared:  # a faulty type, or names that may meet another's
            worded = arguments_type(signature.parameters, worded=True)
            return resolved(json_schema(adapter_of(worded, tool), tool), tool)
        properties[each.name] = {**shared, **each.words}
    required = [each.name for each in signature.parameters if each.required]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _shared(plain: Plain) -> Mapping[str, object] | None:
    """The schema of one type; None where the whole has to say what is wrong with it."""
    try:
        return _schema(plain, repr(plain))
    except (DeclarationError, TypeError):  # TypeError: a key must be hashable, and metadata may not be
        return None


@lru_cache(maxsize=KEPT_TYPES)
def _schema(plain: Plain, written: str) -> Mapping[str, object]:
    """`written` tells apart what compares equal: Literal["a", "b"] and Literal["b", "a"]."""
    del written
    return resolved(json_schema(adapter_of(plain.hint(), "a type"), "a type"), "a type")
