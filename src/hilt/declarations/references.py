"""Where a value holds ids that its schema declares `Ref`: found and exchanged, at any depth."""

from collections.abc import Callable, Iterator

from hilt.declarations.parameters import REFERENCE_KEYWORD
from hilt.declarations.schema import Frozen, compact, is_array, is_object
from hilt.declarations.shapes import branches, child


def holds_references(schema: Frozen) -> bool:
    """Whether any part of a value of this schema is an id."""
    return f'"{REFERENCE_KEYWORD}"' in compact(schema)


def references(value: object, schema: Frozen) -> Iterator[tuple[str, str]]:
    """Kind and text of each id in a value, in order."""
    found: list[tuple[str, str]] = []

    def note(kind: str, text: str) -> str:
        found.append((kind, text))
        return text

    exchanged(value, schema, note)
    yield from found


def exchanged(value: object, schema: Frozen, change: Callable[[str, str], str]) -> object:
    """The value with `change(kind, text)` in the place of each id."""
    return _exchanged(value, schema, schema, change)


def _exchanged(value: object, schema: Frozen, root: Frozen, change: Callable[[str, str], str]) -> object:
    if isinstance(value, str):
        kind = _kind(schema)
        return value if kind is None else change(kind, value)
    if is_object(value):
        return {key: _exchanged(each, child(schema, key, root) or {}, root, change) for key, each in value.items()}
    if is_array(value):
        return [_exchanged(each, child(schema, place, root) or {}, root, change) for place, each in enumerate(value)]
    return value


def _kind(schema: Frozen) -> str | None:
    kind = schema.get(REFERENCE_KEYWORD)
    if isinstance(kind, str):
        return kind
    return next((found for branch in branches(schema) if (found := _kind(branch)) is not None), None)
