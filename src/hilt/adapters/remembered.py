"""Forms of a schema that are made once: declarations are written for every request, and stay the same."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
FormT = TypeVar("FormT")
SchemaT = TypeVar("SchemaT", bound=Mapping[str, object])
MOST_KEPT = 4_096
"""Forms kept by each function; when there are more, all are made anew."""


def remembered(make: Callable[Concatenate[SchemaT, P], FormT]) -> Callable[Concatenate[SchemaT, P], FormT]:
    """`make`, called once for each schema object and options. What it gives is shared: copy it before you change it.

    The schema itself is the key, not what it says: a schema cannot be hashed, and to compare it costs as much as
    to make its form. It is kept beside the form, so that no other takes its place in memory.
    """
    kept: dict[object, tuple[SchemaT, FormT]] = {}

    @wraps(make)
    def form(schema: SchemaT, *args: P.args, **options: P.kwargs) -> FormT:
        key = (id(schema), args, *options.items())
        found = kept.get(key)
        if found is None:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            found = kept[key] = (schema, make(schema, *args, **options))
        return found[1]

    return form
