"""One small language for choosing calls: `tool:read_* !status:success since:2h words`."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hilt.assembly.durations import duration
from hilt.assembly.history import Called
from hilt.cli.faults import CommandError
from hilt.declarations.names import nearest

NOT = "!"
SINCE = "since"

Test = Callable[[Called], bool]

_FIELDS: dict[str, Callable[[Called], str]] = {
    "tool": lambda call: call.tool,
    "status": lambda call: call.status,
    "session": lambda call: call.session,
    "call": lambda call: call.call,
    "rule": lambda call: str(call.fact("decide", "rule") or ""),
}
KEYS = (*_FIELDS, SINCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which calls are wanted. `session` is set where one session alone can hold any."""

    wanted: Test
    session: str | None = None


def matcher(words: Sequence[str]) -> Chosen:
    """The calls that every word allows. Raises `CommandError` for a key that is not known."""
    tests = [_test(word) for word in words]
    named = [word.removeprefix("session:") for word in words if word.startswith("session:")]
    exact = named[0] if len(named) == 1 and not set(named[0]) & set("*?[") else None
    return Chosen(wanted=lambda call: all(test(call) for test in tests), session=exact)


def _test(word: str) -> Test:
    if word.startswith(NOT) and len(word) > 1:
        inner = _test(word[1:])
        return lambda call: not inner(call)
    key, colon, value = word.partition(":")
    if not colon:
        return lambda call: word.lower() in f"{call.tool} {call.activity}".lower()
    if key == SINCE:
        return _since(word, value)
    field = _FIELDS.get(key)
    if field is None:
        near = nearest(key, KEYS, most=1)
        step = f"{near[0]}:{value}" if near else f"the keys are {', '.join(f'{each}:' for each in KEYS)}"
        raise CommandError(f"{word}: no key {key!r}", step)
    return lambda call: fnmatchcase(field(call), value)


def _since(word: str, value: str) -> Test:
    length = duration(value)
    if length is None:
        raise CommandError(f"{word}: {value!r} is no length of time", "since:30m, since:2h, since:7d")
    oldest = time.time() - length.total_seconds()
    return lambda call: call.at >= oldest
