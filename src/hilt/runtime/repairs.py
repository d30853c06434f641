"""Arguments by the names they used to have, or have elsewhere: a declared `Repair` each, and each one told."""

from collections.abc import Mapping, Sequence

from hilt.calls.arguments import Values
from hilt.declarations.parameters import Repair
from hilt.declarations.schema import is_array, is_object
from hilt.results.envelope import Adjustment


def renamed(repairs: Sequence[Repair], values: Values, adjustments: list[Adjustment]) -> Values:
    """The arguments under their declared names, where only one meaning is possible."""
    given = dict(values)
    for repair in repairs:
        holder, inner, field = repair.new.partition("[].")
        if inner:
            _into_items(repair.old, holder, field, given=given, sent=values, adjustments=adjustments)
        elif repair.old in given and repair.new not in given:
            given[repair.new] = given.pop(repair.old)
            adjustments.append(_told(repair.new, repair.old, repair.new))
    return given


def _into_items(
    old: str, holder: str, field: str, *, given: dict[str, object], sent: Values, adjustments: list[Adjustment]
) -> None:
    """A field of the items of a list: by an old name in them, or beside the list where that is not given."""
    items = given.get(holder)
    if old != field and is_array(items) and any(_has(item, old, field) for item in items):
        given[holder] = [_with_field(item, old, field) if _has(item, old, field) else item for item in items]
        adjustments.append(_told(f"{holder}[].{field}", old, field))
    if old not in given or holder in sent:
        return
    item: object = items[0] if is_array(items) and items else dict[str, object]()
    if is_object(item) and field not in item:
        given[holder] = [{**item, field: given.pop(old)}]
        adjustments.append(_told(f"{holder}[0].{field}", old, f"{holder}[0].{field}"))


def _has(item: object, old: str, field: str) -> bool:
    return is_object(item) and old in item and field not in item


def _with_field(item: object, old: str, field: str) -> Mapping[str, object]:
    record: Mapping[str, object] = item if is_object(item) else {}
    return {field if name == old else name: value for name, value in record.items()}


def _told(what: str, before: str, after: str) -> Adjustment:
    return Adjustment(what=what, before=before, after=after, why="the argument's name was changed")
