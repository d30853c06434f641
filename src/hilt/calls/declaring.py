"""`@tool`: an ordinary typed function becomes a declared tool, or is refused with the fix.

Every refusal happens here, when the module is imported, never when a model calls.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ParamSpec, Required, TypedDict, TypeVar, Unpack, get_args, get_origin

from hilt.calls.arguments import TypedArguments
from hilt.calls.effects_form import read_effects
from hilt.calls.hints import adapter_of
from hilt.calls.returns import read_returns
from hilt.calls.schemas import parameters_schema
from hilt.calls.signature import Parameter, Signature, read_signature
from hilt.calls.tool import DEFAULT_BUDGET, DEFAULT_TIMEOUT_S, Handling, Tool
from hilt.declarations.checks import Check
from hilt.declarations.declaration import (
    Awaiting,
    Collaboration,
    Communication,
    Declaration,
    Kind,
    Terms,
)
from hilt.declarations.description import Description, checked, plain_description
from hilt.declarations.effects import (
    Effects,
    EffectsForm,
    Role,
)
from hilt.declarations.names import LONGEST_NAME, allowed, nearest
from hilt.declarations.parameters import Repair
from hilt.declarations.references import holds_references
from hilt.declarations.schema import Schema, is_object, tidied
from hilt.errors import DeclarationError
from hilt.results.cutting import Budget, Keep
from hilt.results.render import Render, plain_lines

P = ParamSpec("P")
R = TypeVar("R")

KINDS: tuple[Kind, ...] = get_args(Kind)
_JSON_TYPES = (str, int, float, bool, type(None), dict, list)
_TERMS: Mapping[str, type] = {"collaborate": Collaboration, "communicate": Communication, "await": Awaiting}


class Options(TypedDict, total=False):
    """What `@tool` takes. `kind` is compulsory, and each kind asks for more: see `tool`.

    `name`: the model's name for it, else the function's; `noun` and `summarise` word the default
    summary; `activity` words progress, with `{parameter}` filled in; `examples` are whole calls;
    `checks` are rules across parameters; `repairs` old names still accepted; `timeout_s` seconds,
    None for none; `parallel`: may calls of one turn overlap (perceiving tools do); `budget`,
    `keep` and `render` shape the text; `repeats`: how often the runtime repeats a retryable
    failure (idempotent tools only); `deferred`: out of the request until asked for; `preview`: an
    async function of the same parameters that changes nothing and shows what a call would do;
    `aliases`: other words for what it does, in any language, for whoever searches a tool.
    """

    kind: Required[Kind]
    description: Description
    name: str
    effects: Effects | EffectsForm
    limit: int
    continues: str
    noun: str
    idempotent: bool
    undo: str
    terms: Terms
    activity: str
    examples: Sequence[Mapping[str, object]]
    checks: Sequence[Check]
    repairs: Sequence[Repair]
    timeout_s: float | None
    parallel: bool
    budget: Budget
    keep: Keep
    render: Render
    summarise: Callable[[Sequence[object]], str]
    repeats: int
    deferred: bool
    preview: Callable[..., Awaitable[str]]
    aliases: Sequence[str]


def tool(**options: Unpack[Options]) -> Callable[[Callable[P, R]], Tool[P, R]]:
    """Declare a function as a tool.

    `kind` says what must be declared: a *perceive* tool its `limit` and the parameter that
    `continues` (not where the limit is 1); an *act* tool its `effects`, whether it is
    `idempotent`, and how to `undo` it ("none: ..." where it cannot be); the others their `terms`.
    The description is `description`, else the docstring; `Args:` lines word the parameters.
    Raises `DeclarationError` naming the fix.
    """

    def declare(function: Callable[P, R]) -> Tool[P, R]:
        name = _checked_name(options.get("name") or getattr(function, "__name__", ""))
        signature = read_signature(function, name)
        _check_options(name, options)
        _check_kind(name, options, signature)
        arguments, schema = _arguments(signature, options, name)
        returns = read_returns(signature.returns, name)
        made = Tool(
            declaration=_declaration(name, options, signature, schema, returns.schema),
            function=function,
            arguments=arguments,
            returns=returns,
            handling=_handling(options),
            context=signature.context,
            is_async=signature.is_async,
            defaults={each.name: each.default for each in signature.parameters if not each.required},
            given_references=holds_references(schema),
            returned_references=holds_references(returns.schema),
        )
        _check_parameters(made, signature)
        _check_examples(made)
        return made

    return declare


def _declaration(
    name: str, options: Options, signature: Signature, parameters: Schema, returns: Mapping[str, object]
) -> Declaration:
    if "description" not in options and not signature.text:
        raise DeclarationError(f"{name}: no description", "give @tool(description=Description(...))")
    kind = options["kind"]
    return Declaration(
        name=name,
        kind=kind,
        description=checked(options.get("description", plain_description(signature.text)), name),
        parameters=parameters,
        returns=returns,
        effects=_effects(options.get("effects"), kind, signature, name),
        limit=options.get("limit"),
        continues=options.get("continues"),
        noun=options.get("noun", "item"),
        idempotent=options.get("idempotent", kind == "perceive"),
        undo=options.get("undo"),
        terms=options.get("terms"),
        activity=options.get("activity", ""),
        examples=tuple(options.get("examples", ())),
        original_name=name,
        aliases=tuple(options.get("aliases", ())),
    )


def _handling(options: Options) -> Handling:
    return Handling(
        timeout_s=options.get("timeout_s", DEFAULT_TIMEOUT_S),
        parallel=options.get("parallel", options["kind"] == "perceive"),
        budget=options.get("budget", DEFAULT_BUDGET),
        keep=options.get("keep", "head"),
        render=options.get("render", plain_lines),
        summarise=options.get("summarise"),
        repeats=options.get("repeats", 0),
        deferred=options.get("deferred", False),
        checks=tuple(options.get("checks", ())),
        repairs=tuple(options.get("repairs", ())),
        preview=options.get("preview"),
    )


def _checked_name(name: str) -> str:
    if not allowed(name):
        raise DeclarationError(
            f"{name!r} is no tool name: providers take letters, digits, _ and -, at most {LONGEST_NAME}",
            "rename it, or give @tool(name=...)",
        )
    return name


def _effects(given: Effects | EffectsForm | None, kind: Kind, signature: Signature, tool_name: str) -> Effects:
    roles: dict[str, Role] = {each.name: each.role for each in signature.parameters if each.role is not None}
    return read_effects(given, kind, roles, {each.name for each in signature.parameters}, tool_name)


def _check_options(name: str, options: Options) -> None:
    """Refuse an option that does not exist, which would be lost without a word, and times and counts below nothing."""
    for given in options:
        if given not in Options.__annotations__:
            alike = nearest(given, list(Options.__annotations__), most=1)
            raise DeclarationError(
                f"{name}: @tool has no option {given!r}", f"use {alike[0]}" if alike else "leave it out"
            )
    timeout = options.get("timeout_s")
    if timeout is not None and timeout <= 0:
        raise DeclarationError(f"{name}: timeout_s={timeout} lets nothing run", "give seconds, or None for no limit")
    if options.get("repeats", 0) < 0:
        raise DeclarationError(f"{name}: repeats={options.get('repeats')}", "give 0 or more")


def _check_kind(name: str, options: Options, signature: Signature) -> None:
    kind = options.get("kind")
    if kind not in KINDS:
        raise DeclarationError(f"{name}: kind={kind!r}", f"one of {', '.join(KINDS)}")
    continues = options.get("continues")
    missing = _missing(kind, options)
    if missing:
        raise DeclarationError(f"{name}: a tool of kind {kind} must declare {' and '.join(missing)}", "add it to @tool")
    if options.get("repeats") and not options.get("idempotent", kind == "perceive"):
        raise DeclarationError(f"{name}: only an idempotent tool may be repeated", "declare idempotent=True")
    names = [each.name for each in signature.parameters]
    if continues is not None and continues not in names:
        raise DeclarationError(
            f"{name}: continues={continues!r} is no parameter of the function", f"one of {', '.join(names) or 'none'}"
        )


def _missing(kind: Kind, options: Options) -> list[str]:
    """The compulsory facts of a kind that are not declared."""
    if kind == "perceive":
        limit = options.get("limit", 0)
        if limit < 1:
            return ["limit=<most items of one answer, at least 1>"]
        return ["continues=<the parameter that goes on>"] if limit > 1 and not options.get("continues") else []
    if kind == "act":
        needs = {"effects": "={...}", "idempotent": "=True or False", "undo": "='how', or 'none: why'"}
        return [need + form for need, form in needs.items() if need not in options]
    return [] if isinstance(options.get("terms"), _TERMS[kind]) else [f"terms={_TERMS[kind].__name__}(...)"]


def _arguments(signature: Signature, options: Options, name: str) -> tuple[TypedArguments, Schema]:
    adapter = adapter_of(signature.arguments, name)
    schema = tidied(parameters_schema(signature, name))
    schema.pop("title", None)
    schema.setdefault("properties", {})
    schema["additionalProperties"] = False
    properties = schema["properties"]
    for each in signature.parameters:
        if is_object(properties) and is_object(shown := properties.get(each.name)) and not each.required:
            default = _json_default(each, adapter)
            if default is None or default is False or default == 0:
                shown.pop("default", None)  # what is left out is nothing, no and none: saying so costs every turn
            else:
                shown["default"] = default
    for check in options.get("checks", ()):
        for keyword, rule in check.schema.items():
            held = schema.get(keyword)
            schema[keyword] = {**held, **rule} if is_object(held) and is_object(rule) else rule
    if is_object(properties):
        _tell_repairs(properties, options.get("repairs", ()))
    json_only = all(_is_json(each.plain.hint()) for each in signature.parameters)
    return TypedArguments(adapter, json_only=json_only), schema


def _tell_repairs(properties: Mapping[str, object], repairs: Sequence[Repair]) -> None:
    for repair in repairs:
        if is_object(shown := properties.get(repair.new)):
            shown["description"] = f"{shown['description']} ({repair.old} is accepted as its name too)"
    fields: dict[str, list[str]] = {}
    for repair in repairs:
        holder, inner, field = repair.new.partition("[].")
        if inner and repair.old != field:
            fields.setdefault(holder, []).append(repair.old)
    for holder, names in fields.items():
        if is_object(shown := properties.get(holder)):
            shown["description"] = f"{shown['description']} (also accepted: {', '.join(names)})"


def _json_default(parameter: Parameter, adapter: Any) -> object:
    if type(parameter.default) in (str, int, float, bool, type(None)):
        return parameter.default
    return adapter.dump_python({parameter.name: parameter.default}, mode="json").get(parameter.name)


def _is_json(hint: Any) -> bool:
    """Whether a hint names JSON's own types only, so that decoding cannot lose anything."""
    origin = get_origin(hint)
    if origin is None:
        return hint in _JSON_TYPES or hint is Any
    if str(origin) == "typing.Literal":
        return True
    if hasattr(hint, "__metadata__"):
        return _is_json(get_args(hint)[0])
    if origin in (list, dict) or str(origin) in ("typing.Union", "<class 'types.UnionType'>"):
        return all(_is_json(each) for each in get_args(hint))
    return isinstance(origin, type) and issubclass(origin, (list, dict))


def _check_parameters(made: Tool[P, R], signature: Signature) -> None:
    """Hold each parameter's own example and default to its type: what a model copies must be a valid call."""
    properties = made.declaration.parameters["properties"]
    for each in signature.parameters:
        shown = properties.get(each.name) if is_object(properties) else None
        if not is_object(shown):
            continue
        if astray := set(shown) & {"ge", "gt", "le", "lt", "min_length", "max_length"}:
            raise DeclarationError(
                f"{made.name}({each.name}): its type has no bound {', '.join(sorted(astray))}", "remove it"
            )
        for what in ("example", "default"):
            value = each.example if what == "example" else shown.get("default")
            if value is not None and (fault := _fault(made, each.name, value)):
                raise DeclarationError(
                    f"{made.name}({each.name}): the {what} {value!r} is not of its type ({fault})",
                    f"correct the {what}",
                )


def _fault(made: Tool[P, R], name: str, value: object) -> str:
    """What is wrong with one argument's value; empty where nothing is. Others may be missing."""
    import json

    from hilt.calls.arguments import Unfit

    try:
        made.arguments.read(json.dumps({name: value}, allow_nan=False), {name: value})
    except Unfit as unfit:
        return "; ".join(each.message for each in unfit.problems if each.path[:1] == (name,))
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def _check_examples(made: Tool[P, R]) -> None:
    import json

    from hilt.calls.arguments import Unfit

    for example in made.declaration.examples:
        try:
            made.arguments.read(json.dumps(example), dict(example))
        except Unfit as unfit:
            faults = "; ".join(
                f"{'.'.join(map(str, each.path))}: {each.message or each.sort}" for each in unfit.problems
            )
            raise DeclarationError(
                f"{made.name}: the example {json.dumps(example)} is not a valid call ({faults})", "correct the example"
            ) from None
