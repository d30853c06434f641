"""A function's signature, read into what a declaration needs.

Refuses, naming the fix: `*args`, positional-only and untyped parameters, hints that cannot be
resolved, no return type, parameters without words.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, NotRequired, Union, get_args, get_origin, get_type_hints

from hilt.calls.context import Context
from hilt.calls.hints import portable
from hilt.declarations.effects import Role
from hilt.declarations.parameters import Bounds, Param
from hilt.errors import DeclarationError

Hint = Any  # a type as written: there is no type of all annotations
_NOTHING = inspect.Parameter.empty


class Plain(NamedTuple):  # a tuple, so that it is a key
    """A type without words: the hint itself, what else its annotation holds, and its bounds."""

    base: Hint
    kept: tuple[object, ...] = ()
    bounds: Bounds = Bounds()

    def hint(self, *words: object) -> Hint:
        """The hint as pydantic reads it, with words beside it."""
        base, bounds = self.base, self.bounds
        if given := {name: value for name in _BOUNDS if (value := getattr(bounds, name)) is not None}:
            from pydantic import Field  # lazy: keeps `import hilt` light

            base = _bounded(base, Field(**given))
        return Annotated[(base, *self.kept, *words)] if self.kept or words else base


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument: its type, its words, example, default and meaning."""

    name: str
    plain: Plain
    text: str
    example: object = None
    default: object = _NOTHING
    role: Role | None = None

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is _NOTHING

    @property
    def words(self) -> dict[str, object]:
        """What the schema says beside the type."""
        words: dict[str, object] = {"description": " ".join(self.text.split())}
        return words if self.example is None else {**words, "examples": [self.example]}

    def worded_hint(self) -> Hint:
        """The type with its words, as pydantic reads them."""
        from pydantic import Field

        examples = None if self.example is None else [self.example]
        return self.plain.hint(Field(description=" ".join(self.text.split()), examples=examples))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function takes and gives. `context` is the name of the parameter that takes the Context."""

    parameters: tuple[Parameter, ...]
    context: str | None
    returns: Hint
    is_async: bool
    text: str = ""
    arguments: type = field(default=dict)


def read_signature(function: Callable[..., object], name: str) -> Signature:
    """The signature of a tool's function. Raises `DeclarationError`."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise DeclarationError(f"{name}: a generator gives its return in pieces", "return a list, or a ToolResult")
    hints = _hints(function, name)
    if "return" not in hints:
        raise DeclarationError(
            f"{name}: the function has no return type", "annotate it, e.g. -> list[Ticket], -> str or -> None"
        )
    text, words = _docstring(inspect.getdoc(function) or "")
    parameters: list[Parameter] = []
    context: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        hint = hints.get(parameter.name, _NOTHING)
        if _is_context(hint):
            context = parameter.name
        else:
            parameters.append(_parameter(parameter, hint, words.get(parameter.name, ""), name))
    return Signature(
        parameters=tuple(parameters),
        context=context,
        returns=hints["return"],
        is_async=inspect.iscoroutinefunction(inspect.unwrap(function)) or inspect.iscoroutinefunction(function),
        text=text,
        arguments=arguments_type(parameters),
    )


def _is_context(hint: Hint) -> bool:
    """Whether a parameter takes the Context, also written `Annotated[Context, ...]` or `Context | None`."""
    base, _ = _unwrapped(hint)
    return base is Context or (get_origin(base) in (Union, _UNION_TYPE) and Context in get_args(base))


def _hints(function: Callable[..., object], name: str) -> Mapping[str, Hint]:
    try:
        return get_type_hints(function, include_extras=True)
    except TypeError as error:
        raise DeclarationError(
            f"{name}: {function!r} has no annotations to read", "write a function with def, and decorate it"
        ) from error
    except NameError as error:
        raise DeclarationError(
            f"{name}: the annotation {error.name!r} cannot be resolved where the function is defined",
            "import it at the top of the module, not under TYPE_CHECKING or inside a function",
        ) from error


def _parameter(parameter: inspect.Parameter, hint: Hint, words: str, tool: str) -> Parameter:
    where = f"{tool}({parameter.name})"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise DeclarationError(f"{where}: *args and **kwargs have no schema", "name each parameter")
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise DeclarationError(f"{where}: arguments arrive by name, this one is positional-only", "remove the /")
    if hint is _NOTHING:
        raise DeclarationError(f"{where}: no type", f"annotate it: {parameter.name}: Annotated[str, Param('...')]")
    base, metadata = _unwrapped(hint)
    param = next((each for each in metadata if isinstance(each, Param)), None)
    text = param.text if param and param.text else _field_text(metadata) or words
    if not text.strip():
        raise DeclarationError(
            f"{where}: no description", f"write Annotated[..., Param('what {parameter.name} holds')] or an Args: line"
        )
    kept = tuple(each for each in metadata if not isinstance(each, Param))
    plain = Plain(portable(base), kept, param.bounds if param else Bounds())
    return Parameter(
        name=parameter.name,
        plain=plain,
        text=text,
        example=param.example if param else None,
        default=parameter.default,
        role=param.role if param else None,
    )


def _unwrapped(hint: Hint) -> tuple[Hint, tuple[object, ...]]:
    if get_origin(hint) is Annotated:
        base, *metadata = get_args(hint)
        return base, tuple(metadata)
    return hint, ()


def _field_text(metadata: tuple[object, ...]) -> str:
    texts = (getattr(each, "description", None) for each in metadata)
    return next((text for text in texts if isinstance(text, str)), "")


_BOUNDS = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


def _bounded(base: Hint, bounds: object) -> Hint:
    """Bounds on the value itself, not on the None beside it."""
    members = get_args(base) if get_origin(base) in (Union, _UNION_TYPE) else ()
    if type(None) not in members:
        return Annotated[base, bounds]
    return Union[tuple(each if each is type(None) else Annotated[each, bounds] for each in members)]  # noqa: UP007  # built from a tuple


_UNION_TYPE = type(int | str)


def arguments_type(parameters: Sequence[Parameter], *, worded: bool = False) -> type:
    """A TypedDict of the arguments: any name is possible, and what is not given is not there."""
    from typing_extensions import TypedDict  # pydantic's condition before Python 3.12; it brings the package

    hints = {each.name: each.worded_hint() if worded else each.plain.hint() for each in parameters}
    fields = {each.name: hints[each.name] if each.required else NotRequired[hints[each.name]] for each in parameters}
    return TypedDict("Arguments", fields)  # type: ignore[operator]  # fields are known at run time only


_ARGS_HEADING = re.compile(r"^(Args|Arguments|Parameters):\s*$")
_ARGUMENT = re.compile(r"^\s+(\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


def _docstring(text: str) -> tuple[str, Mapping[str, str]]:
    """The docstring without its `Args:` section, and that section by parameter."""
    kept: list[str] = []
    words: dict[str, str] = {}
    inside, current = False, ""
    for line in text.splitlines():
        if _ARGS_HEADING.match(line):
            inside = True
        elif inside and line and not line[0].isspace():
            inside = False
        if not inside:
            kept.append(line)
        elif (found := _ARGUMENT.match(line)) is not None:
            current = found[1]
            words[current] = found[2].strip()
        elif current and line.strip() and not _ARGS_HEADING.match(line):
            words[current] += " " + line.strip()
    return "\n".join(kept).strip(), words
