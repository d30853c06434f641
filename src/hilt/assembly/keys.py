"""The keys of `hilt.toml`, read from the schema that ships: names, defaults, and who may set them."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from hilt.calls.arguments import SchemaArguments, Unfit
from hilt.declarations.schema import Schema, is_object
from hilt.errors import ConfigError
from hilt.runtime.violations import violation

SCHEMA_FILE = Path(__file__).with_name("hilt.schema.json")
MOST_FAULTS = 3
"""Faults of one file that are told at once."""

May = Literal["set", "tighten", "never"]
Tree = Mapping[str, object]
_MAY: Mapping[str, May] = {"never": "never", "tighten": "tighten"}


@cache
def schema() -> Schema:
    """The schema of `hilt.toml`."""
    found: Schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return found


@cache
def leaves() -> Mapping[str, Schema]:
    """Every key that holds a value, dotted, with its schema."""
    return dict(_leaves(schema(), ""))


def _leaves(node: Schema, above: str) -> Iterator[tuple[str, Schema]]:
    properties = node.get("properties")
    if not is_object(properties):
        yield above, node
        return
    for name, child in properties.items():
        if is_object(child):
            yield from _leaves(child, f"{above}.{name}" if above else name)


def untrusted_may(key: str) -> May:
    """What a project's file that nobody has trusted may do with a key."""
    return _MAY.get(str(leaves()[key].get("x-hilt-untrusted")), "set")


def check(tree: Tree, place: str) -> None:
    """Raise `ConfigError` for the first few faults of one file or flag, each with what is expected."""
    try:
        SchemaArguments(schema(), SCHEMA_FILE.name).read(json.dumps(tree, default=str), dict(tree))
    except Unfit as unfit:
        found = [(problem.sort, violation(schema(), tree, problem)) for problem in unfit.problems]
        said = "; ".join(
            f"there is no key {each.path}"
            if sort == "unknown"
            else f"{each.path} is {each.received}, expected {each.expected}"
            for sort, each in found[:MOST_FAULTS]
        )
        more = f" (and {len(found) - MOST_FAULTS} more)" if len(found) > MOST_FAULTS else ""
        raise ConfigError(f"{place}: {said}{more}", *(each.next_step for _, each in found[:MOST_FAULTS])) from None


def flat(tree: Tree) -> dict[str, object]:
    """A checked tree as dotted keys."""
    return {key: value for key in leaves() if (value := _value(tree, key)) is not None}


def _value(tree: Tree, key: str) -> object:
    node: object = tree
    for step in key.split("."):
        node = node.get(step) if is_object(node) else None
    return node


def nested(key: str, value: object) -> dict[str, object]:
    """One dotted key as a tree."""
    for step in reversed(key.split(".")):
        value = {step: value}
    return value if is_object(value) else {}
