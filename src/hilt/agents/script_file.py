"""A script as a file, for `hilt run --scripted FILE`:

    {"turns": [
      {"text": "Which files?", "calls": [{"name": "search_code", "arguments": {"pattern": "Timeout"}}]},
      {"continue": true},
      {"text": "It is raised in two files."}
    ]}

A turn has `text`, `calls`, or both, in which `arguments` may be text that is sent as it is; or
`continue`, which makes the call that the last result names as its continuation; and `cut`: true,
as if the output limit had ended it. Unknown keys are refused, so that a typo is not a silence.
"""

import json

from hilt.adapters.wire import Message, words
from hilt.agents.scripted import Asked, Line, Said, ScriptLine
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError

_TURN = frozenset({"text", "calls", "continue", "cut"})
_CALL = frozenset({"name", "arguments"})


def read_script(text: str, name: str = "the script") -> list[ScriptLine]:
    """The turns of a script. Raises `ConfigError` with the place of the first fault."""
    try:
        document: object = json.loads(text)
    except ValueError as error:
        raise _faulty(name, f"is not JSON: {error}") from None
    turns = document.get("turns") if is_object(document) else None
    if not is_object(document) or not is_array(turns) or not turns or set(document) != {"turns"}:
        raise _faulty(name, 'is not one object {"turns": [...]} with at least one turn')
    return [_line(each, f"turns[{place}]", name) for place, each in enumerate(turns)]


def _line(turn: object, place: str, name: str) -> ScriptLine:
    known = _known(turn, _TURN, place, name)
    if known.get("continue") is True and set(known) == {"continue"}:
        return Said.following
    if "continue" in known:
        raise _faulty(name, f'has at {place} a "continue" beside something else, or not true')
    calls = known.get("calls", [])
    if not is_array(calls) or not (calls or words(known.get("text"))):
        raise _faulty(name, f"has at {place} neither text nor a list of calls")
    return Line(
        text=words(known.get("text")),
        calls=tuple(_call(each, f"{place}.calls[{number}]", name) for number, each in enumerate(calls)),
        cut=known.get("cut") is True,
    )


def _call(call: object, place: str, name: str) -> Asked:
    known = _known(call, _CALL, place, name)
    arguments = known.get("arguments", {})
    if not words(known.get("name")) or not (is_object(arguments) or isinstance(arguments, str)):
        raise _faulty(name, f"has at {place} no name, or arguments that are neither an object nor text")
    return Asked(name=words(known.get("name")), arguments=arguments)


def _known(value: object, keys: frozenset[str], place: str, name: str) -> Message:
    if not is_object(value):
        raise _faulty(name, f"has at {place} no object")
    unknown = sorted(set(value) - keys)
    if unknown:
        raise _faulty(name, f"has at {place} the unknown key {unknown[0]!r}; known are {', '.join(sorted(keys))}")
    return value


def _faulty(name: str, problem: str) -> ConfigError:
    return ConfigError(f"{name} {problem}", 'write {"turns": [{"calls": [{"name": ..., "arguments": {...}}]}, ...]}')
