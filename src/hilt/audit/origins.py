"""Who made which field of a result, as far as an output schema shows it."""

from collections.abc import Iterator

from hilt.audit.reading import words
from hilt.audit.schemas import DEEPEST, Schema, SchemaWalk, properties
from hilt.declarations.effects import Origin

_MADE_NAMES = frozenset(
    {"id", "uuid", "uid", "count", "total", "price", "amount", "currency", "created", "updated", "timestamp", "date",
     "status", "size", "bytes"}
)  # fmt: skip
_CLOSED_TYPES = frozenset({"integer", "number", "boolean"})


def origins(schema: Schema) -> dict[str, Origin]:
    """Fields that the service itself made: numbers, yes or no, one of a list, ids and times. All others are left out,
    and so count as a third party's; that the session's own person made one no schema shows.
    """
    return dict.fromkeys(_made_fields(SchemaWalk(schema), schema, "", 0), "service")


def _made_fields(walk: SchemaWalk, schema: Schema, path: str, level: int) -> Iterator[str]:
    if level > DEEPEST:
        return
    for each in walk.variants(schema):
        here = f"{path}.*" if path and _listed(walk, schema) else path
        for name, field in properties(each):
            below = f"{here}.{name}" if here else name
            if _closed(name, field):
                yield below
            else:
                yield from _made_fields(walk, field, below, level + 1)


def _listed(walk: SchemaWalk, schema: Schema) -> bool:
    """Whether a value is a list, by itself or by reference."""
    reference = schema.get("$ref")
    found = walk.referred(reference) if isinstance(reference, str) else schema
    return found.get("type") == "array" or "items" in found


def _closed(name: str, schema: Schema) -> bool:
    if schema.get("type") in _CLOSED_TYPES or "enum" in schema or schema.get("format") in ("date", "date-time", "uuid"):
        return True
    parts = words(name)
    return schema.get("type") == "string" and bool(parts) and parts[-1] in _MADE_NAMES
