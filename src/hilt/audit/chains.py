"""Closed chains of a set, their number, and the smallest cut.

A set is closed where each of the three legs is there, whichever tools bring them: a model carries text from any result
to any argument. So the smallest cut is the smallest leg, which is exact and needs no search.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod

from hilt.audit.legs import LEGS, Audited, Leg

Kind = frozenset[Leg]
_ALL: Kind = frozenset(LEGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One closed chain: for each leg the tool that brings it. No tool of it can be left out."""

    legs: Mapping[Leg, Audited]

    @property
    def tools(self) -> tuple[Audited, ...]:
        """Its tools, each once, in the order of the legs."""
        return tuple({each.label: each for each in self.legs.values()}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """What a set closes: every tool of each leg, the number of chains, and what to take out."""

    by_leg: Mapping[Leg, tuple[Audited, ...]]
    total: int
    strict: bool

    @property
    def closed(self) -> bool:
        """Whether there is any chain."""
        return self.total > 0

    @property
    def smallest(self) -> Leg:
        """The leg with the fewest tools; of equal ones the way out, which costs the least to ask about."""
        return min(reversed(LEGS), key=lambda leg: len(self.by_leg[leg]))

    @property
    def cut(self) -> tuple[Audited, ...]:
        """The fewest tools without which, or with a person asked at each, no chain is closed."""
        return self.by_leg[self.smallest] if self.closed else ()

    def chains(self) -> Iterator[Chain]:
        """Every chain, the fewest tools first, and of equal ones those whose tools handle content itself."""
        found = {each.label: each for leg in LEGS for each in self.by_leg[leg]}
        tools = sorted(found.values(), key=lambda each: not each.telling)
        kinds: dict[Kind, list[Audited]] = {}
        for each in tools:
            kinds.setdefault(each.legs(strict=self.strict), []).append(each)
        for cover in _covers(kinds):
            for picked in _picks(cover, kinds):
                yield Chain(legs=_assigned(picked, strict=self.strict))


def closed_chains(tools: Sequence[Audited], *, strict: bool = False) -> Chains:
    """What these tools close together; with `strict` also through legs that nothing excludes."""
    by_leg: dict[Leg, tuple[Audited, ...]] = {
        leg: tuple(each for each in tools if leg in each.legs(strict=strict)) for leg in LEGS
    }
    sizes = Counter(each.legs(strict=strict) for each in tools)
    return Chains(by_leg=by_leg, total=sum(_count(cover, sizes) for cover in _covers(sizes)), strict=strict)


def _covers(kinds: Mapping[Kind, object]) -> list[tuple[Kind, ...]]:
    """Every multiset of kinds of tools that has all legs and would not have them without any one of it."""
    present = sorted((kind for kind in kinds if kind), key=lambda kind: (-len(kind), sorted(kind)))
    found = [cover for size in range(1, len(LEGS) + 1) for cover in combinations_with_replacement(present, size)]
    return sorted((cover for cover in found if _minimal(cover)), key=lambda cover: (len(cover), sum(map(len, cover))))


def _minimal(cover: tuple[Kind, ...]) -> bool:
    if frozenset().union(*cover) != _ALL:
        return False
    return all(frozenset().union(*cover[:place], *cover[place + 1 :]) != _ALL for place in range(len(cover)))


def _count(cover: tuple[Kind, ...], sizes: Mapping[Kind, int]) -> int:
    return prod(comb(sizes[kind], times) for kind, times in Counter(cover).items())


def _picks(cover: tuple[Kind, ...], kinds: Mapping[Kind, Sequence[Audited]]) -> Iterator[tuple[Audited, ...]]:
    several = [combinations(kinds[kind], times) for kind, times in Counter(cover).items()]
    yield from (tuple(each for part in parts for each in part) for parts in product(*several))


def _assigned(picked: Sequence[Audited], *, strict: bool) -> dict[Leg, Audited]:
    """For each leg the tool of the pick with the best reason for it that leaves no tool without a part."""
    best: dict[Leg, Audited] = {}
    for assignment in product(picked, repeat=len(LEGS)):
        legs = dict(zip(LEGS, assignment, strict=True))
        fits = all(leg in tool.legs(strict=strict) for leg, tool in legs.items())
        if fits and {each.label for each in assignment} == {each.label for each in picked}:
            best = best or legs
    return best
