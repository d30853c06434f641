"""Faults of arguments, worded for the model: where, what came, what is expected, the one change.

The words come from the declared schema, never from a validator: what the model was shown is what
it is held to.
"""

from collections.abc import Mapping, Sequence

from hilt.calls.arguments import ABSENT, Path, Problem, value_below
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_array, is_object
from hilt.declarations.shapes import bounded, choices, expectation, kind_of, kinds, properties, subschema
from hilt.results.failures import InvalidArguments, Violation
from hilt.results.render import compact_json

LONGEST_RECEIVED = 80
"""Characters of a received value that a violation shows."""
MOST_VIOLATIONS = 20
"""Violations listed in one answer; more are counted."""

Schema = Mapping[str, object]


def invalid(tool: str, schema: Schema, parsed: object, problems: Sequence[Problem]) -> InvalidArguments:
    """The failure for a call whose arguments are not as declared, every violation in it."""
    shown = [violation(schema, parsed, each) for each in problems[:MOST_VIOLATIONS]]
    more = f" ({len(problems) - len(shown):,} more not shown)" if len(problems) > len(shown) else ""
    count = f"{len(problems):,} argument{'s are' if len(problems) > 1 else ' is'} not as declared"
    return InvalidArguments(
        f"{tool}: {count}{more}", f"call {tool} again with {' and '.join(_changes(shown))}", violations=shown
    )


def _changes(violations: Sequence[Violation]) -> list[str]:
    paths = list(dict.fromkeys(each.path for each in violations))
    return [", ".join(paths[:5]) + (" and the others" if len(paths) > 5 else "") + " corrected"]


def violation(schema: Schema, parsed: object, problem: Problem) -> Violation:
    """One fault in words."""
    path = json_path(problem.path)
    if problem.sort == "unknown":
        return _unknown(schema, parsed, problem, path)
    found = subschema(schema, problem.path)
    expected = expectation(found) if found else ""
    if problem.sort == "missing":
        return Violation(
            path=path, received="nothing", expected=expected or "a value", next_step=f"add {path}{_example(found)}"
        )
    value = value_at(parsed, problem.path)
    if not expected or _fits_words(found, value):
        expected = problem.message or "a value of the declared form"
    return Violation(path=path, received=received(value), expected=expected, next_step=_change(path, found, value))


def _unknown(schema: Schema, parsed: object, problem: Problem, path: str) -> Violation:
    owner = subschema(schema, problem.path[:-1]) or {}
    declared = list(properties(owner))
    alike = nearest(str(problem.path[-1]), declared, most=1)
    step = f"use {alike[0]} instead" if alike else f"leave {path} out"
    return Violation(
        path=path,
        received=received(value_at(parsed, problem.path)),
        expected=f"only {', '.join(declared)}" if declared else "no arguments at all",
        next_step=step,
    )


def _example(schema: Schema | None) -> str:
    examples = (schema or {}).get("examples")
    return f", for example {compact_json(examples[0])}" if is_array(examples) and examples else ""


def _change(path: str, schema: Schema | None, value: object) -> str:
    alike_to = [each for each in choices(schema or {}) if isinstance(each, str)]
    if alike_to and isinstance(value, str) and (alike := nearest(value, alike_to, most=1)):
        return f"use {compact_json(alike[0])}"
    return f"change {path}{_example(schema)}"


def received(value: object) -> str:
    """A value as JSON, cut in the middle of nothing: whole, or its start and its length."""
    if isinstance(value, str) and len(value) > LONGEST_RECEIVED:
        return f"{compact_json(value[:LONGEST_RECEIVED])}... ({len(value):,} characters)"
    if (is_object(value) or is_array(value)) and len(value) > LONGEST_RECEIVED:
        return f"{kind_of(value)} of {len(value):,}"
    text = compact_json(value)
    return text if len(text) <= LONGEST_RECEIVED else f"{text[:LONGEST_RECEIVED]}... ({len(text):,} characters)"


def json_path(path: Path) -> str:
    """A path as people write it: `edits[0].old`; the whole of the arguments is `arguments`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "arguments"


def value_at(parsed: object, path: Path) -> object:
    """The value at a path, or None where there is none."""
    node = parsed
    for step in path:
        node = value_below(node, step)
    return None if node is ABSENT else node


def _fits_words(schema: Schema | None, value: object) -> bool:
    """Whether the schema's words alone do not explain the fault, so that the reader's own words are needed."""
    if schema is None or bounded(schema):
        return False
    kind = kind_of(value)
    admitted = kinds(schema, schema)
    return kind in admitted or (kind == "integer" and "number" in admitted)
