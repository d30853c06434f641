"""What is left of a project's file that nobody has trusted: what tightens, and a word for everything else.

A folder is entered before it is judged. So its file may not run code, choose where state is kept,
widen what tools may touch, or allow what would otherwise be asked or denied.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hilt.assembly import keys
from hilt.assembly.origin import Origin
from hilt.declarations.schema import is_array, is_object

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
    left_out = ", ".join(refused)
    return kept, [
        f"{origin.place} is not trusted and only tightens; left out: {left_out}. Trust it: --config {origin.place}"
    ]


def _told(key: str, value: object, left: object) -> str:
    if key == "policy.rules" and is_array(value):
        return f"{key} that allow ({len(value) - (len(left) if is_array(left) else 0)})"
    if key == "policy.preset":
        return f"{key} {value}"
    return key if left is None else f"part of {key}"


def _tighter(key: str, value: object, origin: Origin, before: Mapping[str, object], start: Path) -> object:
    if key == "policy.preset":
        order = STRICTEST_FIRST.index
        return value if order(str(value)) <= order(str(before[key])) else None
    if not is_array(value):
        return None
    if key == "policy.rules":
        return [rule for rule in value if is_object(rule) and rule.get("word") != "allow"] or None
    if key == "shelf":
        allowed = before.get(key)
        return [name for name in value if not is_array(allowed) or name in allowed]
    return _narrower(value, origin, start)


def _narrower(roots: Sequence[object], origin: Origin, start: Path) -> list[object] | None:
    """The roots that lie in the folder Hilt would use without the file."""
    inside = [root for root in roots if (origin.folder / str(root)).resolve().is_relative_to(start.resolve())]
    return inside or None
