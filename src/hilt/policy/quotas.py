"""Limits: what a call must hold in the store, so that no more run than the rules say."""

from collections.abc import Iterator, Sequence

from hilt.policy.claims import QuotaClaim
from hilt.policy.facts import Facts
from hilt.policy.matching import World, speaks
from hilt.policy.rules import Rule

UNKNOWN_HOST = "unknown"
"""What is counted where a call reaches out and does not say where to."""


def quota_claims(limits: Sequence[Rule], facts: Facts, world: World) -> Iterator[QuotaClaim]:
    """One use of every limit that speaks of the call; of one for each host, one for each of its hosts."""
    for rule in limits:
        if speaks(rule, facts, world) != "no":
            for counted in _counted(rule, facts):
                key = f"{rule.per}:{counted}/{rule.label}"
                yield QuotaClaim(key=key, most=rule.most, window_s=rule.window_s, rule=rule.label)


def _counted(rule: Rule, facts: Facts) -> tuple[str, ...]:
    if rule.per == "host":
        return tuple(sorted(facts.hosts)) or (UNKNOWN_HOST,)
    return ({"tool": facts.tool, "session": facts.session, "principal": facts.principal}[rule.per],)
