"""`decode`: argument text becomes arguments, in four named steps and no fifth.

Decoding to the declared types, declared defaults (the function's own), references, and repairs.
A repair is made only where one meaning is possible, and each is told as an adjustment.
"""

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

import jiter

from hilt.calls.arguments import Path, Problem, Unfit, Values
from hilt.calls.call import ToolCall
from hilt.calls.tool import AnyTool
from hilt.declarations.schema import is_array, is_object
from hilt.declarations.shapes import kinds, subschema
from hilt.results.envelope import Adjustment
from hilt.results.failures import InvalidArguments
from hilt.results.render import compact_json
from hilt.runtime.violations import invalid, json_path, value_at

DEEPEST_ARGUMENTS = 200
"""Levels of nesting that argument text may have; the parser's own limit lies little above."""
DIGEST_BYTES = 16
NEAR_CHARACTERS = 20

Originals = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Arguments ready for the function. `digest` identifies the value, `text_digest` the text it came from."""

    values: Values
    parsed: Values
    digest: str
    text_digest: str
    adjustments: tuple[Adjustment, ...] = ()


def text_digest(text: str) -> str:
    """A digest of argument text, as received."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def value_digest(parsed: Values) -> str:
    """A digest of a JSON value: equal for equal values, however they were written."""
    canonical = json.dumps(_one_number(parsed), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return blake2b(canonical.encode(), digest_size=DIGEST_BYTES).hexdigest()


def _one_number(value: object) -> object:
    """3 and 3.0 are one JSON number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: _one_number(each) for key, each in value.items()}
    return [_one_number(each) for each in value] if is_array(value) else value


async def decode(tool: AnyTool, call: ToolCall, original: Originals) -> Decoded:
    """The arguments of one call. Raises `InvalidArguments` with every violation at once."""
    parsed = parse(tool, call.arguments)
    adjustments: list[Adjustment] = []
    values = parsed
    if tool.references:
        values = await _dereferenced(tool, values, original)
    if tool.handling.repairs:
        values = _renamed(tool, values, adjustments)
    text = call.arguments if values is parsed else compact_json(values)
    decoded = _read(tool, text, values, adjustments)
    _told_differences(tool, decoded, values, adjustments)
    return Decoded(
        values=decoded,
        parsed=values,
        digest=value_digest(values),
        text_digest=text_digest(call.arguments),
        adjustments=tuple(adjustments),
    )


def parse(tool: AnyTool, text: str) -> Values:
    """Argument text as one JSON object, or a refusal that says where it stops being one."""
    name = tool.name
    try:
        parsed = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except UnicodeEncodeError as error:
        raise InvalidArguments(
            f"{name}: the arguments hold half of a surrogate pair at character {error.start}, which is no text",
            "send the whole character, or its \\u pair",
        ) from None
    except ValueError as error:
        raise _broken(name, text, str(error)) from None
    if not is_object(parsed):
        kind = "a list" if is_array(parsed) else type(parsed).__name__
        raise InvalidArguments(
            f"{name}: the arguments are {kind}, not one JSON object", f"send an object such as {_template(tool)}"
        )
    _check_finite(name, parsed)
    return parsed


def _broken(name: str, text: str, problem: str) -> InvalidArguments:
    if not text.strip():
        return InvalidArguments(f"{name}: the arguments are empty text", "send {} or an object with the arguments")
    if "duplicate" in problem.lower() or "Detected duplicate key" in problem:
        return InvalidArguments(f"{name}: the arguments give a key twice: {problem}", "give each key once")
    if "recursion" in problem.lower():
        return InvalidArguments(
            f"{name}: the arguments are nested deeper than {DEEPEST_ARGUMENTS} levels", "send a flatter value"
        )
    if "EOF" in problem:
        return InvalidArguments(
            f"{name}: the arguments are incomplete: the text ends at character {len(text)} ({_near(text, len(text))})",
            "send the whole JSON object; if it was too long, split the work into several calls",
        )
    if "trailing" in problem:
        return InvalidArguments(
            f"{name}: more follows after the arguments' JSON object ({problem})", "send one object; one call each"
        )
    return InvalidArguments(f"{name}: the arguments are not JSON: {problem}", "send one complete JSON object")


def _near(text: str, place: int) -> str:
    return f"after {text[max(0, place - NEAR_CHARACTERS) : place]!r}"


def _check_finite(name: str, parsed: Values) -> None:
    """Refuse numbers that no float holds, and depth that a validator could not survive; without recursion."""
    layer: list[tuple[Path, object]] = [((), parsed)]
    level = 0
    while layer:
        level += 1
        if level > DEEPEST_ARGUMENTS:
            raise _broken(name, "deep", "recursion")
        below: list[tuple[Path, object]] = []
        for path, value in layer:
            if is_object(value):
                below += [((*path, key), each) for key, each in value.items() if isinstance(each, (dict, list, float))]
            elif is_array(value):
                below += [((*path, n), each) for n, each in enumerate(value) if isinstance(each, (dict, list, float))]
            elif isinstance(value, float) and not math.isfinite(value):
                raise InvalidArguments(
                    f"{name}: {json_path(path)} is a number too large for a double (over 1.8e308)",
                    "send a smaller number, or text where text is declared",
                )
        layer = below


def _template(tool: AnyTool) -> str:
    required = tool.declaration.parameters.get("required")
    names = [str(each) for each in required] if is_array(required) else []
    return "{" + ", ".join(f'"{each}": ...' for each in names) + "}"


async def _dereferenced(tool: AnyTool, parsed: Values, original: Originals) -> Values:
    """Short names such as `ticket_3` back to the ids they stand for, in parameters declared `Ref`."""
    values = dict(parsed)
    for parameter, kind in tool.references.items():
        given = values.get(parameter)
        if not isinstance(given, str) or not _is_reference(given, kind):
            continue
        found = await original(given)
        if found is None:
            raise InvalidArguments(
                f"{tool.name}: {parameter}={given!r} stands for no {kind} of this session",
                f"use a {kind} that an earlier result shows, or the full id",
            )
        values[parameter] = found
    return values


def _is_reference(text: str, kind: str) -> bool:
    prefix, _, number = text.rpartition("_")
    return prefix == kind and number.isdecimal()


def _renamed(tool: AnyTool, parsed: Values, adjustments: list[Adjustment]) -> Values:
    values = dict(parsed)
    for repair in tool.handling.repairs:
        if repair.old in values and repair.new not in values:
            values[repair.new] = values.pop(repair.old)
            adjustments.append(
                Adjustment(what=repair.new, before=repair.old, after=repair.new, why="the argument's name was changed")
            )
    return values


def _read(tool: AnyTool, text: str, values: Values, adjustments: list[Adjustment]) -> Values:
    """Read strictly; on faults, make every repair that has one meaning, and read once more."""
    try:
        return tool.arguments.read(text, values)
    except Unfit as unfit:
        schema = tool.declaration.parameters
        mended = _mended(tool, values, unfit.problems, adjustments)
        if mended is None:
            raise invalid(tool.name, schema, values, unfit.problems) from None
        try:
            return tool.arguments.read(compact_json(mended), mended)
        except Unfit as still:
            raise invalid(tool.name, schema, mended, still.problems) from None


def _mended(
    tool: AnyTool, values: Values, problems: tuple[Problem, ...], adjustments: list[Adjustment]
) -> Values | None:
    """The arguments with whole floats as integers and unmistakable shapes set right; None if nothing was."""
    schema = tool.declaration.parameters
    mended: Values | None = None
    for problem in problems:
        found = subschema(schema, problem.path)
        if problem.sort != "unfit" or found is None:
            continue
        value, admitted = value_at(values, problem.path), kinds(found, schema)
        changed = _whole_number(value, admitted)
        if changed is _UNCHANGED and tool.handling.mends_shapes:
            changed, why = _shape(value, admitted, found)
            if changed is not _UNCHANGED:
                adjustments.append(Adjustment(what=json_path(problem.path), before=value, after=changed, why=why))
        if changed is not _UNCHANGED:
            mended = cast("Values", _replaced(mended if mended is not None else values, problem.path, changed))
    return mended


_UNCHANGED = object()


def _whole_number(value: object, admitted: frozenset[str]) -> object:
    if isinstance(value, float) and value.is_integer() and "integer" in admitted and "number" not in admitted:
        return int(value)
    return _UNCHANGED


def _shape(value: object, admitted: frozenset[str], schema: Mapping[str, object]) -> tuple[object, str]:
    if isinstance(value, str) and "string" not in admitted and admitted & {"array", "object"}:
        try:
            inner = jiter.from_json(
                value.encode("utf-8", "surrogatepass"), allow_inf_nan=False, catch_duplicate_keys=True
            )
        except ValueError:
            return _UNCHANGED, ""
        if (is_array(inner) and "array" in admitted) or (is_object(inner) and "object" in admitted):
            return inner, "JSON text was given where only the value itself is possible"
    if is_object(value) and "array" in admitted and "object" not in admitted:
        items = schema.get("items")
        if is_object(items) and kinds(items, schema) == frozenset({"object"}):
            return [value], "one object was given where a list of them is declared"
    return _UNCHANGED, ""


def _replaced(node: object, path: Path, value: object) -> object:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if is_object(node) and isinstance(step, str):
        return {**node, step: _replaced(node.get(step), rest, value)}
    if is_array(node) and isinstance(step, int):
        return [*node[:step], _replaced(node[step], rest, value), *node[step + 1 :]]
    return node


def _told_differences(tool: AnyTool, decoded: Values, sent: Values, adjustments: list[Adjustment]) -> None:
    """Types that are not JSON's own may normalise what they read: whatever changed is told."""
    again = tool.arguments.dump(decoded)
    if not is_object(again):
        return
    for name, value in again.items():
        before = sent.get(name)
        if _one_number(before) != _one_number(value) and not any(each.what == name for each in adjustments):
            adjustments.append(
                Adjustment(what=name, before=before, after=value, why="the declared type writes this value so")
            )
