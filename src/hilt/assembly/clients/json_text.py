"""JSON as clients keep it, with comments and trailing commas: what it says, and where each value stands.

Ours, for no library that was found gives the places of values and is kept: those that edit such files write the whole
text anew, or bring a JavaScript engine.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from hilt.assembly.clients.broken import BrokenText

MOST_DEPTH = 100
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?\d[\d.eE+\-]*|[A-Za-z]+")
_STRICT = json.JSONDecoder()
_CLOSED_BY = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value: what it is, and the characters from `start` to before `end`."""

    kind: Literal["object", "array", "plain"]
    start: int
    end: int
    value: object
    items: tuple["Item", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One value of an object or array, from its key on. `comma` is the place of the one behind it, or -1."""

    start: int
    key: str | None
    node: Node
    comma: int


def read(text: str, path: Sequence[str] = ()) -> Node | None:
    """The value of a whole text, None where it has nothing but blanks and comments. Raises `BrokenText`.

    Only along `path` are the items of a value told: some files are large, and of the rest its end is enough.
    """
    reader = _Reader(text)
    start = reader.skip(0)
    if start == len(text):
        return None
    node = reader.value(start, 0, path)
    after = reader.skip(node.end)
    if after < len(text):
        reader.fail("something stands behind the end of the value", after)
    return node


def skip(text: str, place: int) -> int:
    """The first place from here that is neither blank nor in a comment."""
    return _Reader(text).skip(place)


class _Reader:
    """Reads one text by going through it once."""

    def __init__(self, text: str) -> None:
        self._text = text

    def fail(self, problem: str, place: int) -> NoReturn:
        raise BrokenText(problem, self._text.count("\n", 0, place) + 1)

    def skip(self, place: int) -> int:
        found = _BLANK.match(self._text, place)
        end = found.end() if found else place
        if self._text.startswith("/*", end):
            self.fail("a comment does not end", end)
        return end

    def value(self, place: int, depth: int, path: Sequence[str] | None) -> Node:
        """The value that starts here; without `path` its items are not told where that is quicker."""
        if depth > MOST_DEPTH:
            self.fail("nested too deeply", place)
        first = self._text[place : place + 1]
        if first in _CLOSED_BY:
            whole = self._whole(place, first) if path is None else None
            return whole or self._container(place, first, depth, path)
        found = (_STRING if first == '"' else _PLAIN).match(self._text, place)
        if found is None:
            self.fail(f"a value was expected{f', not {first!r}' if first else ''}", place)
        return Node(kind="plain", start=place, end=found.end(), value=self._plain(found[0], place))

    def _plain(self, word: str, place: int) -> object:
        try:
            return json.loads(word)
        except ValueError:
            self.fail(f"{word[:40]} is no value of JSON", place)

    def _whole(self, start: int, first: str) -> Node | None:
        """A container that is strict JSON, without comments."""
        try:
            value, end = _STRICT.raw_decode(self._text, start)
        except (ValueError, RecursionError):
            return None
        return Node(kind="object" if first == "{" else "array", start=start, end=end, value=value)

    def _container(self, start: int, first: str, depth: int, path: Sequence[str] | None) -> Node:
        items = tuple(self._items(start + 1, _CLOSED_BY[first], depth, path, named=first == "{"))
        last = items[-1].comma + 1 or items[-1].node.end if items else start + 1
        end = self.skip(last) + 1
        if first == "[":
            return Node(kind="array", start=start, end=end, value=[each.node.value for each in items], items=items)
        values = {each.key: each.node.value for each in items}
        return Node(kind="object", start=start, end=end, value=values, items=items)

    def _items(
        self, place: int, closing: str, depth: int, path: Sequence[str] | None, *, named: bool
    ) -> Iterator[Item]:
        while True:
            start = self.skip(place)
            if self._text.startswith(closing, start):
                return
            key, at = self._key(start) if named else (None, start)
            node = self.value(at, depth + 1, path[1:] if path and key == path[0] else None)
            after = self.skip(node.end)
            comma = after if self._text.startswith(",", after) else -1
            if comma < 0 and not self._text.startswith(closing, after):
                self.fail(f"a comma or {closing} was expected", after)
            yield Item(start=start, key=key, node=node, comma=comma)
            place = after + 1 if comma >= 0 else after

    def _key(self, start: int) -> tuple[str, int]:
        found = _STRING.match(self._text, start)
        if found is None:
            self.fail("a name in double quotes was expected", start)
        colon = self.skip(found.end())
        if not self._text.startswith(":", colon):
            self.fail("a colon was expected", colon)
        return str(self._plain(found[0], start)), self.skip(colon + 1)
