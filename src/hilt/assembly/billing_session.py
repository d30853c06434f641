"""What one session cost: declarations sent each turn, tools loaded on the way, and what calls brought back.

The trace has calls and no turns: calls that ran together are one turn, and the last answer is read in one more. What
was returned is kept by its length, so that everything here is counted as a quarter of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hilt.assembly.history import Called, calls
from hilt.catalog.residence import FIND
from hilt.declarations.schema import is_array
from hilt.errors import ConfigError
from hilt.results.counting import BYTES_PER_TOKEN
from hilt.runtime.loading import MEMO
from hilt.store.protocol import Store

MOST_CALLS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCost:
    """One tool in one session: tokens of its declaration in all turns it was sent in, and of its answers."""

    name: str
    calls: int
    turns: int
    declared: int
    returned: int

    @property
    def tokens(self) -> int:
        """Together."""
        return self.declared + self.returned


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBill:
    """The rows and the preamble of each turn are the total. `loaded` are tools that came later."""

    session: str
    turns: int
    rows: tuple[ToolCost, ...]
    preamble: int
    loaded: tuple[str, ...]
    counter: str

    @property
    def total(self) -> int:
        """Tokens of the whole session."""
        return self.preamble + sum(row.tokens for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Tokens of each declaration by name, which of them are resident, and of the preamble of one turn."""

    tokens: Mapping[str, int]
    resident: frozenset[str]
    preamble: int
    counter: str


async def session_bill(store: Store, session: str | None, prices: Prices) -> SessionBill:
    """The bill of a session, or of the last that made a call. Raises `ConfigError` where there is none."""
    known = await store.sessions()
    named = session or next((each.id for each in known if each.events), None)
    made = [] if named is None else await calls(store, session=named, wanted=lambda _: True, most=MOST_CALLS)
    if named is None or not made:
        what = "no session has made a call" if session is None else f"no call of a session {session!r} is kept"
        raise ConfigError(what, "hilt log sessions lists those that are kept")
    kept = await store.recall(named, MEMO)
    loaded: object = None if kept is None else json.loads(kept)
    names = tuple(str(each) for each in loaded) if is_array(loaded) else ()
    return costs(named, made[::-1], names, prices)


def costs(session: str, made: Sequence[Called], loaded: Sequence[str], prices: Prices) -> SessionBill:
    """The bill of these calls, in the order they were made."""
    turns = list(together(made))
    sent = {name: len(turns) + 1 for name in prices.resident}
    for name in loaded:
        sent.setdefault(name, len(turns) - _loaded_in(name, turns))
    rows = [_row(name, sent.get(name, 0), made, prices) for name in dict.fromkeys([*sent, *(c.tool for c in made)])]
    return SessionBill(
        session=session,
        turns=len(turns) + 1,
        rows=tuple(sorted(rows, key=lambda row: -row.tokens)),
        preamble=prices.preamble * (len(turns) + 1),
        loaded=tuple(name for name in loaded if name not in prices.resident),
        counter=prices.counter,
    )


def _row(name: str, turns: int, made: Sequence[Called], prices: Prices) -> ToolCost:
    own = [each for each in made if each.tool == name]
    return ToolCost(
        name=name,
        calls=len(own),
        turns=turns,
        declared=turns * prices.tokens.get(name, 0),
        returned=sum(_returned(each) for each in own),
    )


def _returned(call: Called) -> int:
    size = call.fact("answer", "bytes")
    return -(-size // BYTES_PER_TOKEN) if isinstance(size, int) else 0


def together(made: Sequence[Called]) -> Iterator[list[Called]]:
    """Calls of one turn: those that began before any of it was answered."""
    turn: list[Called] = []
    answered = float("inf")
    for each in made:
        if turn and each.at >= answered:
            yield turn
            turn, answered = [], float("inf")
        turn.append(each)
        if each.milliseconds is not None:
            answered = min(answered, each.at + each.milliseconds / 1_000)
    if turn:
        yield turn


def _loaded_in(name: str, turns: Sequence[Sequence[Called]]) -> int:
    """The number of the turn that loaded a tool: the last search before it was first called, or that call itself."""
    first = next((place for place, turn in enumerate(turns) if any(each.tool == name for each in turn)), len(turns))
    searched = [place for place, turn in enumerate(turns[:first]) if any(each.tool == FIND for each in turn)]
    return searched[-1] if searched else min(first, len(turns) - 1)
