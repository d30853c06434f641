"""How argument text becomes a function's arguments: strictly, closed, and with every fault at once.

A tool's arguments are read by one of two readers with one face: `TypedArguments` for Python
hints, `SchemaArguments` for a JSON Schema that somebody else wrote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import jiter

from hilt.calls.foreign import schema_validator
from hilt.calls.lossless import lossless
from hilt.declarations.schema import is_array, is_object

if TYPE_CHECKING:
    import jsonschema_rs
    from pydantic import TypeAdapter, ValidationError

Path = tuple[str | int, ...]
Values = dict[str, object]
Sort = Literal["missing", "unknown", "unfit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault: where, of which sort, and the reader's own words for it."""

    path: Path
    sort: Sort
    message: str = ""


class Unfit(Exception):
    """Arguments that are not as declared; `problems` holds every fault found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"{len(problems)} faults")
        self.problems = tuple(problems)


class Arguments(Protocol):
    """Reads argument text for one tool."""

    def read(self, text: str, parsed: Values) -> Values:
        """The function's arguments. `parsed` is `text` as JSON values. Raises `Unfit`."""
        ...

    def dump(self, values: Values) -> object:
        """The arguments as JSON again, to prove that decoding lost nothing; None where it needs no proof."""
        ...


class TypedArguments:
    """Arguments declared by Python hints, read by pydantic: strict, and closed at every depth."""

    def __init__(self, adapter: "TypeAdapter[Any]", *, json_only: bool) -> None:
        from pydantic_core import ValidationError  # lazy: keeps `import hilt` light

        self._adapter = adapter
        self._validate = adapter.validator.validate_json
        self._mismatch = ValidationError
        self._json_only = json_only
        self._lossless: bool | None = None

    def read(self, text: str, parsed: Values) -> Values:
        """The function's arguments, decoded to their declared types."""
        try:
            return self._validate(text, strict=True, extra="forbid")
        except self._mismatch as error:
            raise Unfit(_problems(error, parsed)) from None

    def dump(self, values: Values) -> object:
        """The arguments as JSON; where every declared type is a JSON type they are that already."""
        if self._json_only:
            return values
        if self._lossless is None:
            self._lossless = lossless(self._adapter.core_schema)
        return None if self._lossless else self._adapter.dump_python(values, mode="json", exclude_unset=True)


def _problems(error: "ValidationError", parsed: Values) -> list[Problem]:
    problems: dict[tuple[Path, str], Problem] = {}
    for each in error.errors(include_url=False, include_context=False):
        sort: Sort = _SORTS.get(each["type"], "unfit")
        path = _json_path(each["loc"], parsed, missing=sort == "missing")
        problems.setdefault((path, sort), Problem(path=path, sort=sort, message=each["msg"]))
    return list(problems.values())


_SORTS: Mapping[str, Literal["missing", "unknown"]] = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "unexpected_keyword_argument": "unknown",
}


def _json_path(location: Sequence[str | int], parsed: object, *, missing: bool) -> Path:
    """pydantic's location without the names it adds for members of unions."""
    path: list[str | int] = []
    node = parsed
    for step in location[:-1] if missing else location:
        below = value_below(node, step)
        if below is not ABSENT:
            path.append(step)
            node = below
    return (*path, location[-1]) if missing else tuple(path)


ABSENT = object()
"""What stands where a path leads nowhere; None is a JSON value."""


def value_below(node: object, step: str | int) -> object:
    """The value one step down, or `ABSENT`."""
    if isinstance(step, str):
        return node.get(step, ABSENT) if is_object(node) else ABSENT
    return node[step] if is_array(node) and 0 <= step < len(node) else ABSENT


class SchemaArguments:
    """Arguments declared by a JSON Schema, checked by jsonschema-rs; values are the JSON values themselves."""

    def __init__(self, schema: Mapping[str, object], tool: str) -> None:
        self._validator = schema_validator(schema, tool)

    def read(self, text: str, parsed: Values) -> Values:
        """The arguments as they are, when they fit: read from `text` again, for a tool may change what it is given."""
        if self._validator.is_valid(parsed):
            return jiter.from_json(text.encode())
        raise Unfit([problem for error in self._validator.iter_errors(parsed) for problem in _foreign_problems(error)])

    def dump(self, values: Values) -> object:
        """None: JSON values need no proof."""
        return None


def _foreign_problems(error: "jsonschema_rs.ValidationError") -> list[Problem]:
    from jsonschema_rs import ValidationErrorKind

    path, message = tuple(error.instance_path), error.message
    match error.kind:
        case ValidationErrorKind.Required(property=name):
            return [Problem(path=(*path, name), sort="missing", message=message)]
        case ValidationErrorKind.AdditionalProperties(unexpected=names):
            return [Problem(path=(*path, name), sort="unknown", message=message) for name in names]
        case _:
            return [Problem(path=path, sort="unfit", message=message)]
