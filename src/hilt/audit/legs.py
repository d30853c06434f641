"""The nouns of an audit: the three legs of a chain, what shows one, and one tool as the audit sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from hilt.declarations.effects import Deed, Effects

Leg = Literal["private", "third_party", "way_out"]
Basis = Literal["declared", "shown", "undeclared", "possible"]

LEGS: tuple[Leg, ...] = get_args(Leg)
LEG_NAMES: dict[Leg, str] = {"private": "private data", "third_party": "third-party content", "way_out": "way out"}
_CERTAIN: tuple[Basis, ...] = ("declared", "shown", "undeclared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """One leg of one tool, and why.

    `declared` in the tool's effects; `shown` by schema, name or description; `undeclared` where nothing shows anything
    of the tool, which so counts as all; `possible` where nothing excludes it. `argument` is the one that makes it so.
    """

    leg: Leg
    basis: Basis
    why: str
    argument: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One tool with its legs. `label` is its name, with the server's before it where two tools have one name.

    `foreign` says that nobody declared its effects; `executor` that it runs what it is given; `secrets` that it hands
    out credentials; `unclear` that nothing shows what it does; `telling` that what it handles is content itself, which
    makes a good witness. `hinted` are annotations that the tool itself contradicts; `effects` are those declared, or
    the draft of them.
    """

    server: str
    name: str
    label: str
    showings: tuple[Showing, ...]
    effects: Effects
    foreign: bool = False
    executor: bool = False
    secrets: bool = False
    unclear: bool = False
    telling: bool = True
    hinted: tuple[str, ...] = ()

    @property
    def does(self) -> frozenset[Deed]:
        """Its deeds."""
        return self.effects.does

    def legs(self, *, strict: bool = False) -> frozenset[Leg]:
        """The legs that count: with `strict` also those that nothing excludes."""
        return frozenset(each.leg for each in self.showings if strict or each.basis in _CERTAIN)

    def showing(self, leg: Leg) -> Showing:
        """Why this leg is there; the best reason first. Raises `StopIteration` where it is not."""
        return next(each for each in self.ranked if each.leg == leg)

    def arguments(self, leg: Leg) -> tuple[str, ...]:
        """The arguments through which this leg goes; none where it is the call itself."""
        found = [each for each in self.showings if each.leg == leg and each.basis != "possible"]
        named = tuple(dict.fromkeys(each.argument for each in found if each.argument is not None))
        return named if all(each.argument is not None for each in found) else ()

    @property
    def ranked(self) -> Sequence[Showing]:
        """Showings, the best reason first."""
        order = get_args(Basis)
        return sorted(self.showings, key=lambda each: order.index(each.basis))
