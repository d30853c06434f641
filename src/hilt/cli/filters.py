"""One small language for choosing from a list: `tool:read_* !status:success since:2h words`."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Generic, TypeVar

from hilt.assembly.durations import duration
from hilt.assembly.history import Called
from hilt.cli.faults import CommandError
from hilt.declarations.names import nearest

NOT = "!"
SINCE = "since"

T = TypeVar("T")
Test = Callable[[Called], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language(Generic[T]):
    """What can be asked of one kind of row: fields by name, the text in which words are looked for, its time."""

    fields: Mapping[str, Callable[[T], str]]
    text: Callable[[T], str]
    at: Callable[[T], float]

    def test(self, words: Sequence[str]) -> Callable[[T], bool]:
        """Whether every word allows a row. Raises `CommandError` for a key that is not known."""
        tests = [self._test(word) for word in words]
        return lambda row: all(test(row) for test in tests)

    def _test(self, word: str) -> Callable[[T], bool]:
        if word.startswith(NOT) and len(word) > 1:
            inner = self._test(word[1:])
            return lambda row: not inner(row)
        key, colon, value = word.partition(":")
        if not colon:
            return lambda row: word.lower() in self.text(row).lower()
        if key == SINCE:
            oldest = _oldest(word, value)
            return lambda row: self.at(row) >= oldest
        field = self.fields.get(key)
        if field is None:
            keys = (*self.fields, SINCE)
            near = nearest(key, keys, most=1)
            step = f"{near[0]}:{value}" if near else f"the keys are {', '.join(f'{each}:' for each in keys)}"
            raise CommandError(f"{word}: no key {key!r}", step)
        return lambda row: fnmatchcase(field(row), value)


CALLS: Language[Called] = Language(
    fields={
        "tool": lambda call: call.tool,
        "status": lambda call: call.status,
        "session": lambda call: call.session,
        "call": lambda call: call.call,
        "rule": lambda call: str(call.fact("decide", "rule") or ""),
    },
    text=lambda call: f"{call.tool} {call.activity}",
    at=lambda call: call.at,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which calls are wanted. `session` is set where one session alone can hold any."""

    wanted: Test
    session: str | None = None


def matcher(words: Sequence[str]) -> Chosen:
    """The calls that every word allows. Raises `CommandError` for a key that is not known."""
    named = [word.removeprefix("session:") for word in words if word.startswith("session:")]
    exact = named[0] if len(named) == 1 and not set(named[0]) & set("*?[") else None
    return Chosen(wanted=CALLS.test(words), session=exact)


def _oldest(word: str, value: str) -> float:
    length = duration(value)
    if length is None:
        raise CommandError(f"{word}: {value!r} is no length of time", "since:30m, since:2h, since:7d")
    return time.time() - length.total_seconds()
