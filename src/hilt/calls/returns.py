"""The declared return: a contract that each real return is held to.

A plain return becomes items: a list is its elements, anything else one item, `None` none. What
leaves for a model is derived from the declared type: a field it does not name does not leave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Protocol, get_args, get_origin

from hilt.calls.hints import adapter_of, json_schema
from hilt.declarations.schema import is_object, resolved, tidied
from hilt.errors import DeclarationError
from hilt.results.envelope import ToolResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LONGEST_MISMATCH = 300
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

    def __init__(self, item: Any, tool: str, *, many: bool) -> None:  # Any: an annotation
        self._plain_text = item is str
        self._many = many
        try:
            self._adapter, self.schema = _held(item)
        except DeclarationError as error:
            raise DeclarationError(f"{tool}: {error.problem}", *error.next_steps) from error

    def items(self, value: object) -> tuple[object, ...]:
        """The items of a plain return."""
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
            return tuple(self._adapter.dump_python(held, mode="json", warnings="error"))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, each['loc'])) or 'value'}: {each['msg']}"
                for each in error.errors(include_url=False)
            )
            raise BrokenReturn(faults[:LONGEST_MISMATCH]) from None
        except PydanticSerializationError as error:
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
    return f"{type(value).__name__} {value!r}"[:LONGEST_MISMATCH]


class SchemaReturns:
    """A return declared by somebody else's JSON Schema: each item is one whole structured answer."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        import jsonschema_rs

        self.schema = schema
        self._validator = jsonschema_rs.validator_for(dict(schema), validate_formats=False)

    def items(self, value: object) -> tuple[object, ...]:
        """One item, the answer."""
        return self.items_of((value,))

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """The answers, each held to the schema."""
        for value in values:
            for error in self._validator.iter_errors(value):
                where = "/".join(map(str, error.instance_path)) or "value"
                raise BrokenReturn(f"{where}: {error.message}"[:LONGEST_MISMATCH])
        return tuple(values)


def read_returns(hint: Any, tool: str) -> Returns:
    """What a return annotation declares. Raises `DeclarationError` for one that says nothing."""
    if hint is None or hint is type(None):
        return NoItems(schema={})
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return read_returns(arguments[0], tool) if get_origin(arguments[0]) else TypedReturns(hint, tool, many=False)
    if hint is Any or hint is object or hint is ToolResult:
        raise DeclarationError(
            f"{tool}: the return type {hint!r} promises nothing", "name what one item is, e.g. -> ToolResult[Ticket]"
        )
    if origin is ToolResult:
        item = arguments[0]
        return NoItems(schema={}) if item in (None, type(None)) else TypedReturns(item, tool, many=True)
    if origin in _LISTS:
        if origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
            return TypedReturns(hint, tool, many=False)
        return TypedReturns(arguments[0], tool, many=True)
    return TypedReturns(hint, tool, many=False)
