r"""Characters that a person cannot see, or takes for others, in an argument that decides what a call does.

A path, a command, an address or a name of whom something goes to: what is shown of it and what it is
must be one. The body of a message or a file is not looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hilt.declarations.characters import hidden_points
from hilt.declarations.effects import Deed, Role
from hilt.policy.facts import Facts
from hilt.review.reviewer import View, When
from hilt.review.secrets import texts
from hilt.review.verdict import APPROVED, Verdict

DECISIVE: frozenset[Role] = frozenset({"path", "command", "url", "destination", "target", "credential"})
"""Roles whose value decides what a call does, and to whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenReviewer:
    """Escalates decisive arguments with characters that are not seen, or that look like others."""

    name: str = "hidden-characters"
    when: When = "before"
    deeds: frozenset[Deed] = frozenset({"fetch", "write", "run", "send", "spend", "destroy", "credential"})
    irreversible: bool = True
    waits: bool = False

    async def review(self, view: View) -> Verdict:
        """Which arguments, and which code points at which place."""
        if view.facts is None:
            return APPROVED
        there = {fact.asked for fact in view.facts.paths if fact.kind != "missing"}
        found = [
            f"{name}: {', '.join(points)}"
            for name, text in decisive(view.facts)
            if not text.isascii() or not text.isprintable()
            if text not in there and (points := hidden_points(text))
        ]
        if not found:
            return APPROVED
        return Verdict(
            word="escalate",
            reason=f"what is shown is not what it is: {'; '.join(found)}",
            suggestion="write the value without these characters",
        )


def decisive(facts: Facts) -> Iterator[tuple[str, str]]:
    """Each text given in a decisive role, with its argument's name."""
    for name, role in facts.effects.roles.items():
        if role in DECISIVE:
            yield from ((name, text) for text in texts(facts.arguments.get(name)))
