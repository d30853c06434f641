"""Python hints as pydantic reads them, on every Python that Hilt supports."""

import sys
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from hilt.errors import DeclarationError

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

Hint = Any  # a type as written: there is no type of all annotations


def adapter_of(hint: Hint, tool: str) -> "TypeAdapter[Any]":
    """pydantic's reader of a hint. Raises `DeclarationError` for a type that has no JSON form."""
    from pydantic import TypeAdapter  # lazy: keeps `import hilt` light
    from pydantic.errors import PydanticUserError
    from pydantic_core import SchemaError

    try:
        return TypeAdapter(portable(hint))
    except PydanticUserError as error:
        raise DeclarationError(
            f"{tool}: {error.message.splitlines()[0]}",
            "use JSON types, dataclasses, TypedDict, Enum or pydantic models",
        ) from error
    except SchemaError as error:
        raise DeclarationError(f"{tool}: {str(error).splitlines()[-1]}", "correct the bound or pattern") from error


def json_schema(adapter: "TypeAdapter[Any]", tool: str, mode: Any = "validation") -> dict[str, object]:
    """The hint's JSON Schema. Raises `DeclarationError` for a type that has none."""
    from pydantic.errors import PydanticInvalidForJsonSchema

    try:
        return adapter.json_schema(mode=mode, schema_generator=_generator())
    except PydanticInvalidForJsonSchema as error:
        raise DeclarationError(
            f"{tool}: {error.message.splitlines()[0]}",
            "use JSON types, dataclasses, TypedDict, Enum or pydantic models",
        ) from error


@cache
def _generator() -> "type[GenerateJsonSchema]":
    from pydantic.json_schema import GenerateJsonSchema

    class InOrder(GenerateJsonSchema):
        """Schemas in the order the author wrote them, which also costs a sixth less to make."""

        def sort(self, value: Any, parent_key: str | None = None) -> Any:  # Any: pydantic's own signature
            return value

        def encode_default(self, dft: Any) -> Any:
            """A default as JSON; pydantic makes a reader of its own for each, which JSON's own values do not need."""
            value: object = dft
            plain = type(value) in (str, int, bool, type(None)) or (isinstance(value, list) and value == [])
            return dft if plain else super().encode_default(dft)

    return InOrder


def portable(hint: Hint) -> Hint:
    """The hint with `typing.TypedDict` classes made readable: pydantic needs those of typing_extensions before 3.12."""
    if sys.version_info >= (3, 12):
        return hint
    if _is_old_typed_dict(hint):
        try:
            return _readable(hint)
        except RecursionError as error:
            raise DeclarationError(
                f"{hint.__name__}: a typing.TypedDict that names itself cannot be read before Python 3.12",
                "import TypedDict from typing_extensions",
            ) from error
    arguments = get_args(hint)
    if not arguments or str(get_origin(hint)) == "typing.Literal":
        return hint
    if hasattr(hint, "__metadata__"):
        return Annotated[(portable(arguments[0]), *hint.__metadata__)]
    changed = tuple(portable(each) for each in arguments)
    if all(new is old for new, old in zip(changed, arguments, strict=True)):
        return hint
    origin = get_origin(hint)
    return Union[changed] if origin in (Union, type(int | str)) else origin[changed]  # noqa: UP007  # built from a tuple


def _is_old_typed_dict(hint: Hint) -> bool:
    return isinstance(hint, type) and hasattr(hint, "__total__") and type(hint).__module__ == "typing"


@cache
def _readable(old: type) -> type:
    from typing_extensions import TypedDict

    hints = get_type_hints(old, include_extras=True)
    required: frozenset[str] = getattr(old, "__required_keys__", frozenset(hints))
    fields = {
        name: Required[portable(_bare(hint))] if name in required else NotRequired[portable(_bare(hint))]
        for name, hint in hints.items()
    }
    made = TypedDict(old.__name__, fields)  # type: ignore[operator]  # fields are known at run time only
    made.__doc__ = old.__doc__
    return made


def _bare(hint: Hint) -> Hint:
    return get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint
