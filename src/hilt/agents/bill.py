"""What a run cost: what each turn declared and what its calls brought back. Rows add up to the totals."""

from collections.abc import Sequence
from dataclasses import dataclass

from hilt.results.counting import Counter, utf8_length
from hilt.results.render import compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCost:
    """One turn: the declarations sent with it, and the results its calls returned; bytes and tokens.

    `reported` is prompt and answer as the model's server counted them, where it did.
    """

    turn: int
    declared_bytes: int
    declared_tokens: int
    returned_bytes: int = 0
    returned_tokens: int = 0
    calls: int = 0
    reported: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The turns of a run. Every figure in tokens was counted by `counter`."""

    counter: str
    turns: tuple[TurnCost, ...] = ()

    @property
    def calls(self) -> int:
        """Calls answered."""
        return sum(each.calls for each in self.turns)

    @property
    def declared_tokens(self) -> int:
        """Declarations, counted again in each turn: without a provider's cache that is what they cost."""
        return sum(each.declared_tokens for each in self.turns)

    @property
    def returned_tokens(self) -> int:
        """Results, each counted once, in the turn that brought it."""
        return sum(each.returned_tokens for each in self.turns)

    def to_json(self) -> dict[str, object]:
        """The bill as a JSON object."""
        return {
            "counter": self.counter,
            "turns": [_row(each) for each in self.turns],
            "calls": self.calls,
            "declared_tokens": self.declared_tokens,
            "returned_tokens": self.returned_tokens,
            "total_tokens": self.declared_tokens + self.returned_tokens,
        }


def _row(cost: TurnCost) -> dict[str, object]:
    row: dict[str, object] = {
        "turn": cost.turn,
        "declared_bytes": cost.declared_bytes,
        "declared_tokens": cost.declared_tokens,
        "returned_bytes": cost.returned_bytes,
        "returned_tokens": cost.returned_tokens,
        "calls": cost.calls,
    }
    return (
        row if cost.reported is None else {**row, "reported": {"prompt": cost.reported[0], "answer": cost.reported[1]}}
    )


def size(wire: object, counter: Counter) -> tuple[int, int]:
    """Bytes and tokens of JSON in its most compact writing: what a request carries at least."""
    text = compact_json(wire)
    return utf8_length(text), counter.count(text)


def text_size(texts: Sequence[str], counter: Counter) -> tuple[int, int]:
    """Bytes and tokens of texts."""
    return sum(map(utf8_length, texts)), sum(map(counter.count, texts))
