"""Argument text as one JSON object, or a refusal that says where it stops being one.

Nothing is guessed: a cut stream, a second object, a list, a key given twice, NaN and half a
surrogate pair are told apart and refused.
"""

import math
from collections.abc import Iterator

import jiter

from hilt.calls.arguments import Path, Values
from hilt.calls.tool import AnyTool
from hilt.declarations.schema import is_array, is_object
from hilt.declarations.shapes import kind_of
from hilt.results.failures import InvalidArguments
from hilt.runtime.violations import json_path

DEEPEST_ARGUMENTS = 200
"""Levels of nesting that argument text may have: jiter, which parses it, stops there."""
NEAR_CHARACTERS = 20


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
        raise InvalidArguments(
            f"{name}: the arguments are of type {kind_of(parsed)}, not one JSON object",
            f"send an object such as {_template(tool)}",
        )
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


def infinite(name: str, parsed: Values) -> InvalidArguments:
    """The failure for arguments that hold a number no double holds: every place of one is named."""
    paths = [
        json_path(path) for path, value in _leaves(parsed) if isinstance(value, float) and not math.isfinite(value)
    ]
    return InvalidArguments(
        f"{name}: {' and '.join(paths)}: a number too large for a double (over 1.8e308)",
        "send a smaller number, or text where text is declared",
    )


def _leaves(parsed: Values) -> Iterator[tuple[Path, object]]:
    below: list[tuple[Path, object]] = [((), parsed)]
    while below:
        path, value = below.pop()
        if is_object(value):
            below += [((*path, key), each) for key, each in value.items()]
        elif is_array(value):
            below += [((*path, place), each) for place, each in enumerate(value)]
        else:
            yield path, value


def _template(tool: AnyTool) -> str:
    required = tool.declaration.parameters.get("required")
    names = [str(each) for each in required] if is_array(required) else []
    return "{" + ", ".join(f'"{each}": ...' for each in names) + "}"
