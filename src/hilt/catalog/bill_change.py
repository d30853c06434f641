"""What a bill says beside an earlier one: tools that are new, gone, grown or shrunk, and what every turn costs more."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hilt.catalog.bill import Bill
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError

Became = Literal["new", "gone", "grown", "shrunk"]
PERCENT = 100
AGAIN = "write one with: hilt bill --json -o FILE"
_INCREASE = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier bill, of which the tokens of each tool and of every turn are known."""

    counter: str
    resident: int
    tools: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One tool whose cost is another; `tokens` is the difference."""

    became: Became
    name: str
    server: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """All that moved, the dearest first. `before` and `after` are tokens of every turn."""

    before: int
    after: int
    moved: tuple[Moved, ...]

    @property
    def tokens(self) -> int:
        """What every turn costs more; less where it is negative."""
        return self.after - self.before

    @property
    def text(self) -> str:
        """In one sentence."""
        if not self.tokens:
            return f"every turn costs what it did, {self.after:,} tokens"
        verb, place = ("adds", "to") if self.tokens > 0 else ("takes", "from")
        return f"this change {verb} {abs(self.tokens):,} tokens {place} every turn ({self.before:,} -> {self.after:,})"


def earlier(document: object, place: str) -> Earlier:
    """The bill that an earlier `--json` wrote. Raises `ConfigError`."""
    counter, resident = (document.get("counter"), document.get("resident")) if is_object(document) else (None, None)
    tools = document.get("tools") if is_object(document) else None
    if not isinstance(counter, str) or not isinstance(resident, int) or not is_array(tools):
        raise ConfigError(f"{place} is no bill: it has no counter, no resident or no tools", AGAIN)
    return Earlier(counter=counter, resident=resident, tools=dict(_tools(tools, place)))


def _tools(tools: Sequence[object], place: str) -> Iterator[tuple[tuple[str, str], int]]:
    for each in tools:
        tokens = each.get("tokens") if is_object(each) else None
        if not is_object(each) or not isinstance(tokens, int):
            raise ConfigError(f"{place} is no bill: a tool of it has no tokens", AGAIN)
        yield (str(each.get("server")), str(each.get("name"))), tokens


def changed(before: Earlier, after: Bill) -> Change:
    """What moved since. Raises `ConfigError` where another counter counted."""
    if before.counter != after.counter:
        raise ConfigError(
            f"the earlier bill was counted by {before.counter}, this one is by {after.counter}",
            f"count with -c results.counter={before.counter}, or {AGAIN}",
        )
    now = {(row.server, row.name): row.tokens for row in after.rows}
    moved = [
        Moved(became=_became(before.tools.get(key), now.get(key)), name=key[1], server=key[0], tokens=tokens)
        for key in dict.fromkeys([*now, *before.tools])
        if (tokens := now.get(key, 0) - before.tools.get(key, 0)) or (key in now) != (key in before.tools)
    ]
    moved.sort(key=lambda each: -abs(each.tokens))
    return Change(before=before.resident, after=after.resident, moved=tuple(moved))


def _became(before: int | None, after: int | None) -> Became:
    if before is None or after is None:
        return "new" if before is None else "gone"
    return "grown" if after > before else "shrunk"


def most_increase(text: str, before: int) -> int:
    """Tokens that `500` or `5%` of an earlier bill are. Raises `ConfigError`."""
    found = _INCREASE.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"{text!r} is no number of tokens and no share", "write 500, or 5%")
    number = float(found[1])
    return int(number * before / PERCENT if found[2] else number)
