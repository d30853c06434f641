"""What a session has seen, and what follows: an act whose decisive values nobody trusted gave is asked about.

Monotone: labels and values are only added. A `Sighting` is what one result showed; the store keeps
them in order, so that every process of a session folds the same state.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hilt.declarations.effects import Deed
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts

GRAVE: frozenset[Deed] = frozenset({"send", "spend", "destroy", "credential"})
"""Deeds that reach others or cannot be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """How strict taint is. `off` turns it off: nothing is asked on its account."""

    mode: Literal["ask", "off"] = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one result showed: its source for people, the labels it raises, the values it vouches for, its text."""

    source: str
    untrusted: bool = False
    private: bool = False
    trusted: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    text: str = ""


@dataclass(slots=True, kw_only=True)
class Taint:
    """The folded state of one session, with the user's words as far as the way in carries them."""

    words: str = ""
    untrusted: bool = False
    private: bool = False
    sightings: list[Sighting] = field(default_factory=list[Sighting])

    @property
    def labels(self) -> frozenset[str]:
        """The labels that rules may ask for."""
        return frozenset(name for name, on in (("untrusted", self.untrusted), ("private", self.private)) if on)

    def add(self, sighting: Sighting) -> None:
        """Fold in what one more result showed."""
        self.untrusted |= sighting.untrusted
        self.private |= sighting.private
        self.sightings.append(sighting)


def taint_words(facts: Facts, taint: Taint, switches: Switches, *, settled: bool) -> Iterator[Decision]:
    """What taint has to say to a call. `settled`: facts or isolation already answer for everything it does."""
    grave = facts.deeds & GRAVE
    if switches.mode == "off" or settled or not taint.untrusted or not grave:
        return
    deeds = ", ".join(sorted(grave))
    reason = f"text by third parties was read before, and this would {deeds}"
    yield Decision(word="ask", layer="taint", rule="untrusted-seen", reasons=(reason,))
