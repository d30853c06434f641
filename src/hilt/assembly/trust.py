"""What is left of a project's file that nobody has trusted: what tightens, and a word for everything else.

A folder is entered before it is judged. So its file may not run code, choose where state is kept,
widen what tools may touch, or allow what would otherwise be asked or denied.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hilt.assembly import keys
from hilt.assembly.origin import Origin
from hilt.declarations.schema import is_array, is_object
from hilt.policy.patterns import REGEX_MARK

PRESET = "policy.preset"
WORDS = ("name", "reason")
"""What a rule says about itself."""
STRICTEST_FIRST = ("read-only", "workspace", "unattended")


def tightened(
    values: Mapping[str, object], origin: Origin, before: Mapping[str, object], start: Path
) -> tuple[dict[str, object], list[str]]:
    """The values that may be used, and what was not; `before` holds what is in force without the file."""
    kept: dict[str, object] = {}
    refused: list[str] = []
    for key, value in values.items():
        may = keys.untrusted_may(key)
        left = value if may == "set" else None if may == "never" else _tighter(key, value, origin, before, start)
        if left is not None:
            kept[key] = left
        if left != value:
            refused.append(_told(key, value, left))
    if not refused:
        return kept, []
    why = "has changed since it was trusted" if origin.changed else "is not trusted"
    ways = f"hilt trust {origin.folder}, or for once --config {origin.place}"
    return kept, [f"{origin.place} {why} and only tightens; left out: {', '.join(refused)}. Trust it: {ways}"]


def under_organisation(values: dict[str, object], origin: Origin, ceiling: object) -> list[str]:
    """Take out a preset that is looser than the organisation's, which nothing below it loosens; says so."""
    preset = values.get(PRESET)
    if preset is None or ceiling is None or STRICTEST_FIRST.index(str(preset)) <= STRICTEST_FIRST.index(str(ceiling)):
        return []
    del values[PRESET]
    return [f"{origin.place}: {PRESET} {preset} is left out, for the organisation's {ceiling} may only be tightened"]


def _told(key: str, value: object, left: object) -> str:
    if key == "policy.rules" and is_array(value):
        gone = len(value) - (len(left) if is_array(left) else 0)
        return f"{key} that allow ({gone})" if gone else f"names and reasons of {key}"
    if key == PRESET:
        return f"{key} {value}"
    return key if left is None else f"part of {key}"


def _tighter(key: str, value: object, origin: Origin, before: Mapping[str, object], start: Path) -> object:
    if key == PRESET:
        order = STRICTEST_FIRST.index
        return value if order(str(value)) <= order(str(before[key])) else None
    if not is_array(value):
        return None
    if key == "policy.rules":
        return [_unspoken(rule) for rule in value if is_object(rule) and _tightens(rule)] or None
    if key == "shelf":
        allowed = before.get(key)
        return [name for name in value if not is_array(allowed) or name in allowed]
    return _narrower(value, origin, start)


def _unspoken(rule: Mapping[str, object]) -> dict[str, object]:
    """A rule without words of its own: a stranger's reason would reach the model and people in policy's voice."""
    return {key: each for key, each in rule.items() if key not in WORDS}


def _tightens(rule: Mapping[str, object]) -> bool:
    """Whether a rule forbids or limits; one with a regular expression of a stranger's is not even tried."""
    arguments = rule.get("arguments")
    patterns = [str(each) for each in arguments.values()] if is_object(arguments) else []
    return rule.get("word") != "allow" and not any(each.startswith(REGEX_MARK) for each in patterns)


def _narrower(roots: Sequence[object], origin: Origin, start: Path) -> list[object] | None:
    """The roots that lie in the folder Hilt would use without the file."""
    inside = [root for root in roots if (origin.folder / str(root)).resolve().is_relative_to(start.resolve())]
    return inside or None
