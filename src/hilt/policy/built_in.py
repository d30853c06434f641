"""The built-in layer: paths outside the roots, the workspace as a whole, protected names, files with a second name."""

from collections.abc import Iterator, Sequence

from hilt.calls.resolver import PathFact
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.policy.matching import World
from hilt.policy.patterns import names_path
from hilt.policy.removing import removed_whole
from hilt.policy.rules import Rule

LAYER = "built-in"
OUTSIDE, PROTECTED, SECOND_NAME = "outside-roots", "protected-name", "second-name"
WHOLE = "whole-workspace"
MAY_LIFT = ("organisation", "user", "host", "session")
"""Layers whose `allow` may lift what is asked here, where it names the path; nothing lifts a path outside the roots."""


def built_in_words(facts: Facts, allowing: Sequence[Rule] = (), world: World | None = None) -> Iterator[Decision]:
    """What the built-in layer has to say to a call; nothing where all is well."""
    outside = [fact for fact in facts.paths if not fact.inside]
    if outside:
        yield Decision(
            word="deny",
            layer=LAYER,
            rule=OUTSIDE,
            reasons=tuple(fact.why or f"{fact.asked} is outside the workspace" for fact in outside),
            ways=("use a path inside the workspace", "ask the person to start Hilt with that folder as a root"),
        )
    if gone := list(removed_whole(facts, (world or World()).roots)):
        reasons = tuple(f"it removes {each}, and with it the whole workspace or its history" for each in gone)
        yield Decision(word="ask", layer=LAYER, rule=WHOLE, reasons=reasons)
    guarded = [fact for fact in facts.written if fact.hole or fact.links > 1]
    if guarded:
        yield from _guarded(guarded, facts, allowing, world or World())


def _guarded(guarded: Sequence[PathFact], facts: Facts, allowing: Sequence[Rule], world: World) -> Iterator[Decision]:
    lifting = [pattern for rule in allowing if rule.layer in MAY_LIFT for pattern in rule.paths]
    left = [fact for fact in guarded if not (lifting and names_path(fact, lifting, world.roots))]
    kept_by_walls = facts.written_by_commands if "ro_holes" in facts.confinement else ()
    holes = [fact for fact in left if fact.hole and fact not in kept_by_walls]
    if holes:
        reasons = tuple(
            f"{fact.asked} lies in {fact.hole}, which decides what runs or is allowed later" for fact in holes
        )
        yield Decision(word="ask", layer=LAYER, rule=PROTECTED, reasons=reasons)
    linked = [fact for fact in left if fact.links > 1]
    if linked:
        reasons = tuple(
            f"{fact.asked} has {fact.links - 1} other name{'s' if fact.links > 2 else ''}, maybe outside the workspace"
            for fact in linked
        )
        yield Decision(word="ask", layer=LAYER, rule=SECOND_NAME, reasons=reasons)
