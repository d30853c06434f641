"""A tool: its declaration, its function, and how the road is to handle it. `@tool` makes one.

The tool stays callable as the function it was, so its own tests need no runtime.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, ParamSpec, TypeVar, cast

from hilt.calls.arguments import Arguments, SchemaArguments
from hilt.calls.returns import NoItems, Returns, SchemaReturns, json_items
from hilt.declarations.checks import Check
from hilt.declarations.declaration import Declaration, Kind
from hilt.declarations.description import Description, plain_description
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.declarations.names import allowed, wire_name
from hilt.declarations.parameters import Repair
from hilt.declarations.schema import Schema, is_array, nullable_enums, resolved
from hilt.errors import DeclarationError
from hilt.results.cutting import Budget, Keep
from hilt.results.render import Render, plain_lines

P = ParamSpec("P")
R = TypeVar("R")

CONTEXT = "hilt context"
"""What the context is called among the arguments of a tool with a schema of its own: no JSON Schema declares it."""
DEFAULT_TIMEOUT_S = 60.0
RESULT_TOKENS = 10_000
"""Tokens one result may cost a model unless its tool says otherwise."""
DEFAULT_BUDGET = Budget(tokens=RESULT_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """How the road treats a tool's calls.

    `timeout_s` seconds, None for none; `parallel` whether calls of one turn may overlap;
    `budget`, `keep` and `render` shape the text; `summarise` words the conclusion; `repeats` is
    how often the runtime itself repeats a retryable failure of an idempotent tool; `deferred`
    keeps the declaration out of the request until it is asked for; `preview` takes what the function
    takes, changes nothing, and shows people and reviewers what the call would do.
    """

    timeout_s: float | None = DEFAULT_TIMEOUT_S
    parallel: bool = False
    budget: Budget = DEFAULT_BUDGET
    keep: Keep = "head"
    render: Render = plain_lines
    summarise: Callable[[Sequence[object]], str] | None = None
    repeats: int = 0
    deferred: bool = False
    checks: tuple[Check, ...] = ()
    repairs: tuple[Repair, ...] = ()
    mends_shapes: bool = True
    preview: Callable[..., Awaitable[str]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[P, R]):
    """One capability: what the model sees, what runs, and how. Made by `@tool` or `schema_tool`."""

    declaration: Declaration
    function: Callable[P, R]
    arguments: Arguments
    returns: Returns
    handling: Handling
    context: str | None = None
    is_async: bool = False
    given_references: bool = False
    returned_references: bool = False
    defaults: Mapping[str, object] = field(default_factory=dict[str, object])

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself: no checks, no policy, no envelope."""
        return self.function(*args, **kwargs)

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self.declaration.name

    def renamed(self, name: str) -> "Tool[P, R]":
        """The same tool under another wire name; dispatch keeps the original. Raises `DeclarationError`."""
        if not allowed(name):
            raise DeclarationError(f"{name!r} is no name that providers take", f"use {wire_name(name)!r}")
        original = self.declaration.original_name or self.declaration.name
        return replace(self, declaration=replace(self.declaration, name=name, original_name=original))


AnyTool = Tool[Any, Any]  # a tool whose signature does not matter where it is held


def schema_tool(
    name: str,
    function: Callable[..., Any],
    *,
    parameters: Mapping[str, object],
    description: str | Description = "",
    returns: Mapping[str, object] | None = None,
    kind: Kind = "act",
    effects: Effects = UNDECLARED,
    handling: Handling | None = None,
    annotations: Mapping[str, object] | None = None,
    server: str = "",
    aliases: Sequence[str] = (),
    asks_context: bool = False,
) -> AnyTool:
    """A tool that brings its own JSON Schema: an MCP server's, an OpenAPI operation's.

    `function` takes the arguments as one mapping, and the call's `Context` behind it if it
    `asks_context`; it is awaited when it is async. A name that providers do not take is replaced
    on the wire and kept for dispatch; `server` and `aliases` are as in `Declaration`. Raises `DeclarationError`
    for a schema that is too deep or refers to nothing. A schema that names properties and does not
    say what else it takes is closed, so that a misspelt argument is refused with the nearest name.
    """
    schema = _object_schema(nullable_enums(resolved(parameters, name)), name)
    given: Returns = NoItems(schema={}) if returns is None else SchemaReturns(resolved(returns, name), name)
    text = plain_description(description) if isinstance(description, str) else description

    return cast(
        "AnyTool",
        Tool(
            declaration=Declaration(
                name=wire_name(name),
                kind=kind,
                description=text,
                parameters=schema,
                returns=given.schema,
                effects=effects,
                original_name=name,
                annotations=annotations or {},
                server=server,
                aliases=tuple(aliases),
            ),
            function=_by_name(function, asks_context=asks_context),
            arguments=SchemaArguments(schema, name),
            returns=UnpromisedReturns() if returns is None else given,
            handling=handling or Handling(),
            context=CONTEXT if asks_context else None,
            is_async=inspect.iscoroutinefunction(function),
        ),
    )


def _by_name(function: Callable[..., Any], *, asks_context: bool) -> Callable[..., Any]:
    """The function as the road calls it: with each argument by its name."""

    @functools.wraps(function)
    def by_name(**arguments: object) -> Any:
        if not asks_context:
            return function(arguments)
        context = arguments.pop(CONTEXT)
        return function(arguments, context)

    return by_name


def _object_schema(schema: Schema, tool: str) -> Schema:
    """The schema of the arguments, which are always one object."""
    kind = schema.get("type", "object")
    if kind != "object" and not (is_array(kind) and "object" in kind):
        raise DeclarationError(f"{tool}: its parameters are of type {kind}", 'declare {"type": "object", ...}')
    schema = {**schema, "type": "object"}
    schema.setdefault("properties", {})
    if schema["properties"] and not _LEAVES_OPEN & set(schema):
        schema["additionalProperties"] = False
    return schema


# Where one of these stands, its author has said, or may have said elsewhere, what else is accepted.
_LEAVES_OPEN = frozenset(
    ("additionalProperties", "patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "if", "$ref")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpromisedReturns:
    """The return of a foreign tool that declares none: whatever it gives, as one item or as text."""

    schema: Mapping[str, object] = field(default_factory=dict[str, object])

    def items(self, value: object) -> tuple[object, ...]:
        """The value as one item; nothing for None."""
        return () if value is None else json_items((value,))

    def items_of(self, values: Sequence[object]) -> tuple[object, ...]:
        """The values, as JSON has them."""
        return json_items(values)
