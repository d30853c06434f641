"""The built-in layer, which nothing lifts: paths outside the roots."""

from collections.abc import Iterator

from hilt.policy.decision import Decision
from hilt.policy.facts import Facts


def built_in_words(facts: Facts) -> Iterator[Decision]:
    """What the built-in layer has to say to a call; nothing where all is well."""
    outside = [fact for fact in facts.paths if not fact.inside]
    if outside:
        reasons = tuple(fact.why or f"{fact.asked} is outside the workspace" for fact in outside)
        yield Decision(word="deny", layer="built-in", rule="outside-roots", reasons=reasons)
