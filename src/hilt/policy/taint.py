"""Taint: after text by others was read, an act needs values that somebody trusted gave, and an order that was given.

It acts on provenance, never on a list of bad values: what an attacker can spell out, encode or draw
would pass such a list. What it cannot see is said in `docs/taint.md`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hilt.declarations.effects import ALL_DEEDS, Deed
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.policy.presets import UNDECLARED
from hilt.policy.taint_state import Sighting, Switches, Taint
from hilt.policy.taint_text import LONGEST_BODY, Said, fold, grant_covers, links, mark, said, secret_in
from hilt.policy.taint_values import DECISIVE, Given, given
from hilt.policy.taint_words import asked_for

__all__ = ["GRAVE", "Sighting", "Switches", "Taint", "taint_words"]

GRAVE: frozenset[Deed] = frozenset({"send", "spend", "destroy", "credential"})
"""Deeds that reach others or cannot be taken back."""

JUDGED: frozenset[Deed] = ALL_DEEDS - {"run"}
"""Deeds taint speaks about. A command is judged by proof and isolation: no word of a person names its parts."""
LONGEST_SHOWN = 120
"""Characters of a value that a question shows."""
MOST_REASONS = 5
_RULES = {"path": "target", "url": "address", "command": "target"}


def taint_words(facts: Facts, taint: Taint, switches: Switches, *, settled: bool) -> Iterator[Decision]:
    """What taint has to say to a call. `settled`: facts or isolation already answer for everything it does."""
    if switches.mode == "off" or settled or not (taint.untrusted or taint.pasted) or not facts.deeds & JUDGED:
        return
    found = list(_Judged(facts, taint, switches).objections())
    if found:
        firsts: dict[str, str] = {}
        for rule, reason in found:
            firsts.setdefault(f"taint/{rule}", reason)
        # One of each rule first: many strange links must not push a secret out of what a person reads.
        every = dict.fromkeys((*firsts.values(), *(reason for _, reason in found)))
        reasons, doubts = tuple(every)[: max(MOST_REASONS, len(firsts))], tuple(firsts)
        yield Decision(word=switches.mode, layer="taint", rule=doubts[0], reasons=reasons, doubts=doubts)


@dataclass(slots=True)
class _Judged:
    """One call held against what the session knows."""

    facts: Facts
    taint: Taint
    switches: Switches
    _theirs: dict[str, bool] = field(default_factory=dict[str, bool])

    def objections(self) -> Iterator[tuple[str, str]]:
        """Each objection: its rule and the reason for people, gravest first."""
        facts = self.facts
        if facts.effects.does == ALL_DEEDS:
            yield UNDECLARED, f"what {facts.tool} does is not declared, and {self._read()}"
            return
        leaves = list(given(facts))
        decisive = [each for each in leaves if each.role in DECISIVE]
        if not facts.deeds & JUDGED - {"fetch"}:
            yield from self._fetch(decisive)
        else:
            theirs = bool(decisive) and all(self._by_person(each) for each in decisive)
            if not theirs:
                yield from self._origin(decisive)
            yield from self._order(decisive, theirs=theirs)
            if not theirs and not self._stays_here:
                yield from self._strange_links(leaves)
        if not self._stays_here:
            yield from self._secrets(leaves)

    @property
    def _stays_here(self) -> bool:
        """Whether it is a write that Hilt can take back and nobody else is shown."""
        return self.facts.effects.undoable and self.facts.deeds <= {"write"}

    @property
    def _said(self) -> Said:
        return said(self.taint.words, self.taint.pasted)

    def _fetch(self, decisive: list[Given]) -> Iterator[tuple[str, str]]:
        for each in decisive:
            marked = mark(each.text)
            unchanged = marked in self.taint.links and marked not in self.taint.written
            if self._given(each) or (unchanged and self.switches.fetch == "verbatim"):
                continue
            yield "address", self._whence(each)

    def _origin(self, decisive: list[Given]) -> Iterator[tuple[str, str]]:
        """Every value that decides must come from somebody trusted."""
        must_be_named = self.switches.destroy == "named" and "destroy" in self.facts.deeds and self._said.text
        for each in decisive:
            if must_be_named and not self._by_person(each):
                yield each.role, f"{self._shown(each)} would be destroyed and was not named by you"
            elif not self._given(each):
                yield _RULES.get(each.role, each.role), self._whence(each)

    def _order(self, decisive: list[Given], *, theirs: bool) -> Iterator[tuple[str, str]]:
        """What is done must have been asked for. Where the person's words are not known, nothing is said."""
        words = self._said.text
        if not words or self._granted_all(decisive):
            return
        effects = self.facts.effects
        if not asked_for(self.facts.tool, effects.verbs, effects.nouns, words, values_given=theirs):
            deeds = ", ".join(sorted(self.facts.deeds))
            yield "unasked", f"you did not ask for {self.facts.tool} ({deeds}), and {self._read()}"

    def _strange_links(self, leaves: list[Given]) -> Iterator[tuple[str, str]]:
        """An address in what others will read must be vouched for; not where the person named those who will."""
        for each in leaves:
            if each.role != "content":
                continue
            if len(each.text) > LONGEST_BODY:
                yield "link", f"{each.parameter} is too long to be searched for addresses, and {self._read()}"
            for link in dict.fromkeys(links(each.text[:LONGEST_BODY])):
                if not self._given(Given(each.parameter, each.role, link)):
                    yield "link", self._whence(Given(f"in {each.parameter}:", each.role, link))

    def _secrets(self, leaves: list[Given]) -> Iterator[tuple[str, str]]:
        """Declared secrets never leave unasked, whoever is to get them."""
        secrets, alone = self.taint.secrets, False
        for each in leaves if secrets else ():
            if found := secret_in(each.text, secrets):
                alone = True
                yield "secret", f"{each.parameter} holds a secret from {secrets[found]}"
            elif len(each.text) > LONGEST_BODY:
                yield "secret", f"{each.parameter} is too long to be searched, and a secret was seen before"
        together = "" if alone or not secrets else " ".join(each.text for each in leaves)
        if found := secret_in(together, secrets) if together else "":
            yield "secret", f"the arguments together hold a secret from {secrets[found]}"

    def _given(self, each: Given) -> bool:
        """Whether the person, the host or a trusted maker gave this value."""
        return self._by_person(each) or self.taint.vouched(
            mark(each.text), identity=self.switches.identity == "trusted"
        )

    def _by_person(self, each: Given) -> bool:
        """Whether the person or the host gave this value."""
        theirs = self._theirs.get(each.text)
        if theirs is None:
            theirs = self._theirs[each.text] = self._said.has(each.text) or self._granted(each) or self._known(each)
        return theirs

    def _known(self, each: Given) -> bool:
        """Whether the host vouches for it; or nobody else can have given it, where the person's words are not known."""
        known = (*self.taint.known, *self.switches.known)
        if known and mark(each.text) in map(mark, known):
            return True
        return not self._said.text and self.switches.unseen == "given" and self.taint.unseen(each.text)

    def _granted(self, each: Given) -> bool:
        if not self.taint.grants:
            return False
        folded = fold(each.text)
        return any(
            grant.effect in ("*", *self.facts.deeds) and grant_covers(fold(grant.target), folded)
            for grant in self.taint.grants
        )

    def _granted_all(self, decisive: list[Given]) -> bool:
        """Whether a grant names every deed of the call, and all it reaches."""
        effects = {grant.effect for grant in self.taint.grants}
        return ("*" in effects or self.facts.deeds <= effects) and all(self._granted(each) for each in decisive)

    def _whence(self, each: Given) -> str:
        """The value, and where it came from."""
        source = self.taint.source_of(each.text, mark(each.text))
        if source:
            return f"{self._shown(each)} comes from {source}, not from you"
        return f"{self._shown(each)} was given neither by you nor by a trusted field, and {self._read()}"

    def _shown(self, each: Given) -> str:
        text = each.text if len(each.text) <= LONGEST_SHOWN else f"{each.text[:LONGEST_SHOWN]}..."
        return f"{each.parameter} {text!r}"

    def _read(self) -> str:
        source = next(iter(self.taint.sources), "what was pasted")
        return f"text by others was read before ({source})"
