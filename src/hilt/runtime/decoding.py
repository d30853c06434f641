"""`decode`: argument text becomes arguments, in four named steps and no fifth.

Decoding to the declared types, declared defaults (the function's own), references, and repairs.
A repair is made only where one meaning is possible, and each is told as an adjustment.
"""

from collections.abc import Awaitable, Callable, Mapping
from math import isfinite
from typing import NamedTuple, cast

import jiter

from hilt.calls.arguments import Path, Problem, Unfit, Values
from hilt.calls.call import ToolCall
from hilt.calls.tool import AnyTool
from hilt.declarations.references import exchanged, references
from hilt.declarations.schema import is_array, is_object
from hilt.declarations.shapes import kinds, subschema
from hilt.results.envelope import Adjustment
from hilt.results.failures import InvalidArguments
from hilt.results.render import compact_json
from hilt.runtime.digests import one_number, sent_digest, text_digest
from hilt.runtime.parsing import infinite
from hilt.runtime.repairs import renamed
from hilt.runtime.rounding import rounded
from hilt.runtime.violations import invalid, json_path, value_at

Originals = Callable[[str], Awaitable[str | None]]


class Decoded(NamedTuple):  # a tuple, for one is made on every call
    """Arguments ready for the function. `digest` identifies the value sent, `text_digest` its text."""

    values: Values
    parsed: Values
    digest: str
    text_digest: str
    adjustments: tuple[Adjustment, ...] = ()


def decode(tool: AnyTool, call: ToolCall, parsed: Values, values: Values) -> Decoded:
    """The arguments of one call: `parsed` as sent, `values` with references exchanged for what they stand for.

    Raises `InvalidArguments` with every violation at once.
    """
    of_text = text_digest(call.arguments)
    digest = _digest(tool, parsed, call.arguments, of_text)
    adjustments = rounded(call.arguments, parsed)
    if tool.handling.repairs:
        values = renamed(tool.handling.repairs, values, adjustments)
    text = call.arguments if values is parsed else compact_json(values)
    decoded, values = _read(tool, text, values, adjustments)
    _told_differences(tool, decoded, values, adjustments)
    if values is not parsed:
        digest = _digest(tool, values, call.arguments, of_text)
    return Decoded(decoded, values, digest, of_text, tuple(adjustments))


def _digest(tool: AnyTool, values: Values, text: str, of_text: str) -> str:
    try:
        return sent_digest(values, text, of_text)
    except ValueError:
        raise infinite(tool.name, values) from None


async def dereferenced(tool: AnyTool, parsed: Values, original: Originals) -> Values:
    """Short names such as `ticket_3` back to the ids they stand for, wherever `Ref` is declared."""
    schema = tool.declaration.parameters
    originals: dict[tuple[str, str], str] = {}
    for kind, given in references(parsed, schema):
        if not _is_reference(given, kind):
            continue
        found = await original(given)
        if found is None:
            raise InvalidArguments(
                f"{tool.name}: {given!r} stands for no {kind} of this session",
                f"use a {kind} that an earlier result shows, or the full id",
            )
        originals[kind, given] = found
    if not originals:
        return parsed
    return cast("Values", exchanged(parsed, schema, lambda kind, given: originals.get((kind, given), given)))


def _is_reference(text: str, kind: str) -> bool:
    prefix, _, number = text.rpartition("_")
    return prefix == kind and number.isdecimal()


def _read(tool: AnyTool, text: str, values: Values, adjustments: list[Adjustment]) -> tuple[Values, Values]:
    """Read strictly; on faults, make every repair that has one meaning, and read once more.

    Returns the decoded arguments, and the JSON values they were decoded from.
    """
    try:
        return tool.arguments.read(text, values), values
    except Unfit as unfit:
        schema = tool.declaration.parameters
        mended = _mended(tool, values, unfit.problems, adjustments)
        if mended is None:
            raise invalid(tool.name, schema, values, unfit.problems) from None
        mended = renamed(tool.handling.repairs, mended, adjustments)  # what was JSON text may hold old names too
        try:
            return tool.arguments.read(compact_json(mended), mended), mended
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
EXACT_BELOW = 2**53
"""From here on a double skips whole numbers, so that 1e23 written as an integer is not the number meant."""


def _whole_number(value: object, admitted: frozenset[str]) -> object:
    if isinstance(value, float) and value.is_integer() and "integer" in admitted and "number" not in admitted:
        return int(value) if abs(value) < EXACT_BELOW else _UNCHANGED
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
    if is_array(node) and isinstance(step, int):
        return [*node[:step], _replaced(node[step], rest, value), *node[step + 1 :]]
    record = cast("Values", node)
    return {**record, str(step): _replaced(record.get(str(step)), rest, value)}


def _told_differences(tool: AnyTool, decoded: Values, sent: Values, adjustments: list[Adjustment]) -> None:
    """Types that are not JSON's own may normalise what they read: whatever changed is told."""
    again = tool.arguments.dump(decoded)
    if again is None or again == sent or not is_object(again):
        return
    for name, value in again.items():
        if not _all_finite(value):
            raise infinite(tool.name, {name: value})
        before = sent.get(name)
        if not _says(value, before):
            adjustments.append(
                Adjustment(what=name, before=before, after=value, why="the declared type writes this value so")
            )


def _all_finite(value: object) -> bool:
    """Whether no number grew past what a double holds when it was decoded."""
    if isinstance(value, float):
        return isfinite(value)
    if is_object(value):
        return all(map(_all_finite, value.values()))
    return all(map(_all_finite, value)) if is_array(value) else True


def _says(after: object, before: object) -> bool:
    """Whether a decoded value says all that was sent; what it has beside that are declared defaults."""
    if is_object(after) and is_object(before):
        return before.keys() <= after.keys() and all(_says(after[name], value) for name, value in before.items())
    if is_array(after) and is_array(before):
        return len(after) == len(before) and all(map(_says, after, before))
    return one_number(after) == one_number(before)
