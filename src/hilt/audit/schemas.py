"""JSON Schemas of others, walked within bounds: references may lead round, and alternatives may multiply."""

from collections.abc import Iterator, Mapping

from hilt.declarations.schema import is_array, is_object

DEEPEST = 4
"""Levels of a schema that are looked at; what lies deeper is told apart by nobody."""
MOST_STEPS = 20_000
"""Parts of one schema that are looked at; the largest real one known has a few hundred."""

Schema = Mapping[str, object]
_NOTHING: Schema = {}


class SchemaWalk:
    """One walk through one schema. `cut` says that it ended before the schema did."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.steps = MOST_STEPS
        self.cut = False

    def variants(self, schema: Schema, level: int = 0) -> Iterator[Schema]:
        """What a value may be: references followed, alternatives and the items of a list taken apart."""
        if level > DEEPEST or not self._step():
            return
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield from self.variants(self.referred(reference), level + 1)
            return
        inner = list(_inner(schema))
        for each in inner:
            yield from self.variants(each, level + 1)
        if not inner or is_object(schema.get("properties")):
            yield schema

    def referred(self, reference: str) -> Schema:
        """What a reference within the schema leads to, or an empty one."""
        place: object = self.root
        for step in reference.removeprefix("#/").split("/"):
            place = place.get(step) if is_object(place) else None
        return place if is_object(place) else _NOTHING

    def _step(self) -> bool:
        self.steps -= 1
        self.cut = self.cut or self.steps < 0
        return not self.cut


def properties(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The named parts of an object."""
    named = schema.get("properties")
    yield from ((name, each) for name, each in (named if is_object(named) else _NOTHING).items() if is_object(each))


def _inner(schema: Schema) -> Iterator[Schema]:
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        several = schema.get(key)
        yield from (each for each in (several if is_array(several) else ()) if is_object(each))
    if is_object(items := schema.get("items")):
        yield items
