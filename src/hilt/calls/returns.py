"""The declared return: a contract that each real return is held to.

A plain return becomes items: a list is its elements, anything else one item, `None` none. What
leaves for a model is derived from the declared type: a field it does not name does not leave.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from math import isfinite
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Union, cast, get_args, get_origin

from hilt.calls.foreign import schema_validator
from hilt.calls.hints import adapter_of, json_schema
from hilt.declarations.schema import compact, is_object, resolved, tidied
from hilt.errors import DeclarationError
from hilt.results.envelope import Status, ToolResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LONGEST_MISMATCH = 300
DEEPEST_RETURN = 100
"""Levels of nesting that one item may have: the parser that reads the ledger again stops at 200."""
KEPT_TYPES = 512
_LISTS = (list, tuple, get_origin(Sequence[int]))


class BrokenReturn(Exception):
    """A tool returned what it does not declare: a fault of the host's tool, not of the call."""


class Returns(Protocol):
    """Turns a real return into items, or raises `BrokenReturn`."""

    @property
    def schema(self) -> Mapping[str, object]:
        """The schema of one item; `{}` when there are none."""
        ...

    def items(self, value: object) -> tuple[object, ...]:
        """The items of a real return, as JSON values."""
        ...

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """The items of a `ToolResult`, as JSON values."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoItems:
    """The return of a function that gives `None`."""

    schema: Mapping[str, object]

    def items(self, value: object) -> tuple[object, ...]:
        """No items, when nothing was returned."""
        if value is not None:
            raise BrokenReturn(f"declared None, returned {_shown(value)}")
        return ()

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """No items, when there are none."""
        if values:
            raise BrokenReturn(f"declared no items, returned {len(values)}")
        return ()


class TypedReturns:
    """A return declared by a Python hint, held to it by pydantic: strict, instances checked too."""

    def __init__(self, item: Any, tool: str, *, many: bool, optional: bool = False) -> None:  # Any: an annotation
        self._plain_text = item is str
        self._many = many
        self._optional = optional
        try:
            self._adapter, self.schema = _held(item)
        except DeclarationError as error:
            raise DeclarationError(f"{tool}: {error.problem}", *error.next_steps) from error
        if not set(self.schema) - {"title", "description"}:
            raise _promises_nothing(item, tool)
        self._looked_into = _lets_through(self.schema)

    def items(self, value: object) -> tuple[object, ...]:
        """The items of a plain return."""
        if value is None and self._optional:
            return ()
        if self._plain_text and not self._many:
            if type(value) is not str:
                raise BrokenReturn(f"declared str, returned {_shown(value)}")
            return (value,)
        if not self._many:
            return self.items_of((value,))
        if not isinstance(value, (list, tuple)):
            raise BrokenReturn(f"declared a list, returned {_shown(value)}")
        return self.items_of(value)  # type: ignore[reportUnknownArgumentType]  # held to the type below

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """The items, each held to the declared type."""
        from pydantic_core import PydanticSerializationError, ValidationError

        try:
            held = self._adapter.validate_python(list(values), strict=True)
            if self._looked_into:
                _check_values(held)
            return tuple(self._adapter.dump_python(held, mode="json", warnings="error"))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, each['loc'])) or 'value'}: {each['msg']}"
                for each in error.errors(include_url=False)
            )
            raise BrokenReturn(faults[:LONGEST_MISMATCH]) from None
        except (PydanticSerializationError, UnicodeDecodeError) as error:
            raise BrokenReturn(str(error)[:LONGEST_MISMATCH]) from None


@lru_cache(maxsize=KEPT_TYPES)
def _held(item: Any) -> "tuple[TypeAdapter[Any], Mapping[str, object]]":
    """The reader of a list of items, and the schema of one; many tools return the same few types."""
    where = f"the return type {getattr(item, '__name__', item)}"
    adapter = adapter_of(list[item], where)
    whole = tidied(resolved(json_schema(adapter, where, "serialization"), where))
    items, definitions = whole.get("items", {}), whole.get("$defs")
    if not is_object(items):
        return adapter, {}
    return adapter, {**items, "$defs": definitions} if definitions else items


def _shown(value: object) -> str:
    try:
        return f"{type(value).__name__} {value!r}"[:LONGEST_MISMATCH]
    except Exception:  # its own __repr__ may be what is broken
        return type(value).__name__


def json_items(values: Sequence[object]) -> tuple[object, ...]:
    """Values of no declared type as JSON values. Raises `BrokenReturn` for what JSON cannot hold."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        _check_values(values)
        return tuple(to_jsonable_python(each) for each in values)
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise BrokenReturn(f"not a JSON value: {error}"[:LONGEST_MISMATCH]) from None


def check_form(made: ToolResult[object]) -> None:
    """Hold a `ToolResult` of a tool's own making to its promises. Raises `BrokenReturn`."""
    for status, named in _TELLING.items():
        told = getattr(made, named) is not None
        if told and made.status is not status:
            raise BrokenReturn(f"status {made.status} with {named}")
        if made.status is status and not told:
            raise BrokenReturn(f"status {status} without {named}")
    summary, items = cast("object", made.summary), cast("object", made.items)
    if not isinstance(summary, str) or not isinstance(items, (tuple, list)):
        raise BrokenReturn("summary must be text and items a tuple")


_TELLING = {Status.ERROR: "failure", Status.DENIED: "denied", Status.PENDING: "pending"}


def _lets_through(schema: Mapping[str, object]) -> bool:
    """Whether a value of this schema may hold a float that is no number, or more levels than can be kept."""
    text = compact(schema)
    return any(open_part in text for open_part in ('"number"', "{}", '"additionalProperties":true', '"$ref"'))


def _check_values(items: Sequence[object]) -> None:
    """Raise `BrokenReturn` for what JSON has not: pydantic would make null of such a float unasked."""
    below: list[tuple[str, object, int]] = [(f"item {place}", each, 1) for place, each in enumerate(items)]
    seen: set[int] = set()
    while below:
        path, value, level = below.pop()
        if level > DEEPEST_RETURN:
            raise BrokenReturn(f"{path[:60]}... is nested deeper than {DEEPEST_RETURN} levels: return a flatter value")
        if isinstance(value, float):
            if not isfinite(value):
                raise BrokenReturn(f"{path} is {value}, which JSON has not: return None and declare it so")
        elif not isinstance(value, _LEAVES) and id(value) not in seen:
            seen.add(id(value))
            below += [(f"{path}{step}", each, level + 1) for step, each in _parts(value)]


_LEAVES = (str, bytes, int, type(None))


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((f".{name}", each) for name, each in cast("Mapping[object, object]", value).items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"[{place}]", each) for place, each in enumerate(cast("Sequence[object]", value)))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{each.name}", getattr(value, each.name)) for each in fields(value))
    elif hasattr(value, "__pydantic_fields_set__"):
        yield from ((f".{name}", each) for name, each in vars(value).items())


def _promises_nothing(hint: Any, tool: str) -> DeclarationError:
    return DeclarationError(
        f"{tool}: the return type {hint!r} promises nothing", "name what one item is, e.g. -> ToolResult[Ticket]"
    )


class SchemaReturns:
    """A return declared by somebody else's JSON Schema: each item is one whole structured answer."""

    def __init__(self, schema: Mapping[str, object], tool: str) -> None:
        self.schema = schema
        self._validator = schema_validator(schema, tool)

    def items(self, value: object) -> tuple[object, ...]:
        """One item, the answer."""
        return self.items_of((value,))

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """The answers, each held to the schema."""
        given = json_items(values)
        for value in given:
            for error in self._validator.iter_errors(value):
                where = "/".join(map(str, error.instance_path)) or "value"
                raise BrokenReturn(f"{where}: {error.message}"[:LONGEST_MISMATCH])
        return given


def read_returns(hint: Any, tool: str) -> Returns:
    """What a return annotation declares. Raises `DeclarationError` for one that says nothing."""
    if hint is None or hint is type(None):
        return NoItems(schema={})
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return read_returns(arguments[0], tool) if get_origin(arguments[0]) else TypedReturns(hint, tool, many=False)
    if hint in (Any, object, ToolResult, list, tuple):
        raise _promises_nothing(hint, tool)
    if origin in (Union, UnionType) and type(None) in arguments:
        return _optional_returns(tuple(each for each in arguments if each is not type(None)), tool)
    if origin is ToolResult:
        item = arguments[0]
        return NoItems(schema={}) if item in (None, type(None)) else TypedReturns(item, tool, many=True)
    if origin in _LISTS:
        if origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
            return TypedReturns(hint, tool, many=False)
        return TypedReturns(arguments[0], tool, many=True)
    return TypedReturns(hint, tool, many=False)


def _optional_returns(members: tuple[Any, ...], tool: str) -> Returns:
    """The return of a function that may find nothing: `None` is no item, not an item that is null."""
    item = Union[members]  # noqa: UP007  # built from a tuple
    if get_origin(item) in _LISTS:
        return TypedReturns(get_args(item)[0], tool, many=True, optional=True)
    return TypedReturns(item, tool, many=False, optional=True)
