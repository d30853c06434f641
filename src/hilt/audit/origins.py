"""Who made which field of a result, as far as an output schema shows it."""

from collections.abc import Iterator, Mapping

from hilt.audit.arguments import DEEPEST
from hilt.audit.reading import words
from hilt.declarations.effects import Origin
from hilt.declarations.schema import is_object

_MADE_NAMES = frozenset(
    {"id", "uuid", "uid", "count", "total", "price", "amount", "currency", "created", "updated", "timestamp", "date",
     "status", "size", "bytes"}
)  # fmt: skip
_CLOSED_TYPES = frozenset({"integer", "number", "boolean"})
Schema = Mapping[str, object]


def origins(schema: Schema) -> dict[str, Origin]:
    """Fields that the service itself made: numbers, yes or no, one of a list, ids and times. All others are left out,
    and so count as a third party's; that the session's own person made one no schema shows.
    """
    return dict.fromkeys(_made_fields(schema, schema, "", 0), "service")


def _made_fields(root: Schema, schema: Schema, path: str, level: int) -> Iterator[str]:
    if level > DEEPEST:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str):
        schema = _referred(root, reference)
    items = schema.get("items")
    if is_object(items):
        yield from _made_fields(root, items, f"{path}.*" if path else "*", level + 1)
    named = schema.get("properties")
    for name, each in (named if is_object(named) else {}).items():
        if is_object(each):
            here = f"{path}.{name}" if path else name
            if _closed(name, each):
                yield here
            else:
                yield from _made_fields(root, each, here, level + 1)


def _referred(root: Schema, reference: str) -> Schema:
    place: object = root
    for step in reference.removeprefix("#/").split("/"):
        place = place.get(step) if is_object(place) else None
    empty: dict[str, object] = {}
    return place if is_object(place) else empty


def _closed(name: str, schema: Schema) -> bool:
    if schema.get("type") in _CLOSED_TYPES or "enum" in schema or schema.get("format") in ("date", "date-time", "uuid"):
        return True
    parts = words(name)
    return schema.get("type") == "string" and bool(parts) and parts[-1] in _MADE_NAMES
