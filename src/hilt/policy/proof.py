"""What a decision rests on, written out for people: commands, doubts, paths, hosts, properties."""

from collections.abc import Mapping

from hilt.calls.resolver import CommandFact, PathFact
from hilt.policy.facts import Facts

UNKNOWN = "?"
"""A word that is known only when the command runs."""


def proof_of(facts: Facts) -> dict[str, object]:
    """The facts of a call; what there is none of is left out."""
    whole: Mapping[str, object] = {
        "actions": list(facts.actions),
        "risk": facts.risk,
        "commands": [_command(each) for each in facts.commands],
        "paths": [_path(each) for each in facts.paths],
        "hosts": list(facts.hosts),
        "properties": sorted(facts.confinement),
        "labels": sorted(facts.labels),
    }
    return {name: value for name, value in whole.items() if value}


def _command(fact: CommandFact) -> dict[str, object]:
    return {
        "text": fact.text,
        "proved": fact.proved,
        "runs": [
            {
                "words": [UNKNOWN if word is None else word for word in each.words],
                "folder": each.folder,
                **({"wrappers": list(each.wrappers)} if each.wrappers else {}),
            }
            for each in fact.commands
        ],
        "unproved": [
            {"node": each.node, "line": each.line, "column": each.column, "reason": each.reason}
            for each in fact.unproved
        ],
        "reads": [_path(each) for each in fact.reads],
        "writes": [_path(each) for each in fact.writes],
        **({"driver": fact.driver} if fact.driver else {}),
    }


def _path(fact: PathFact) -> dict[str, object]:
    told: dict[str, object] = {"asked": fact.asked, "real": fact.real, "inside": fact.inside, "kind": fact.kind}
    return told | ({"hole": fact.hole} if fact.hole else {}) | ({"links": fact.links} if fact.links > 1 else {})
