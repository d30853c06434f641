"""What is said of pins: why a tool is quarantined, what a listing brought, and a change as lines to read.

Reasons and notes are read by models, so they hold none of the server's own text but names, and those
with every character shown.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import unified_diff

from hilt.catalog.pins import FIELDS, Form, Pin, Pinned, State, Unusable, form_of
from hilt.declarations.characters import shown
from hilt.declarations.schema import is_array, is_object

MOST_NAMED = 5
"""Tools that a note names; of more, how many there are."""
LONGEST_NAME = 64
"""Characters of a name that are shown."""
CONTEXT_LINES = 2
"""Lines around a change that are shown with it."""


def step_for(server: str, tool: str) -> str:
    """What a person does about a quarantined tool."""
    return f"a person looks at `hilt pins --diff {server}/{named(tool)}`, and accepts it by `hilt pins accept`"


def refused(pin: Pin) -> str:
    """Why a quarantined tool is not offered."""
    found = dict.fromkeys(each.says for each in pin.findings if each.grade == "grave")
    if not pin.accepted:
        return f"its declaration was not accepted at first sight: {'; '.join(found)}"
    old, new = form_of(pin.accepted_document), form_of(pin.seen_document)
    fields = [field for field in FIELDS if old.get(field) != new.get(field)]
    return "; ".join([f"its declaration changed since {day(pin.accepted_at)} in {', '.join(fields)}", *found])


def notes_of(before: Pinned, after: Pinned, faults: Sequence[Unusable] = ()) -> tuple[str, ...]:
    """What a listing brought, and what of it is kept back; one line for each kind."""
    old: Mapping[str, Pin] = {pin.tool: pin for pin in before.pins}
    new = [pin for pin in after.pins if pin.tool not in old and pin.accepted]
    back = [pin for pin in after.pins if pin.tool in old and old[pin.tool].state == "gone" and pin.state == "accepted"]
    kept = [pin.tool for pin in after.pins if pin.state == "quarantined"] + [each.tool for each in faults]
    told = (
        _source(before, after),
        f"{len(new)} tools seen for the first time and pinned" if new and not old else "",
        _of("new, and pinned at first sight", [pin.tool for pin in new] if old else []),
        _of("quarantined and not offered, `hilt pins` says why", kept),
        _of("offered, though the declaration tells a model what to do, see `hilt pins`", _turned(after, old, "warned")),
        _of("no longer listed", _turned(after, old, "gone")),
        _of("listed again", [pin.tool for pin in back]),
    )
    return tuple(f"{named(after.server)}: {each}" for each in told if each)


def _source(before: Pinned, after: Pinned) -> str:
    if not before.source or before.source == after.source:
        return ""
    return "its command or address is another than when its tools were pinned"


def _of(what: str, tools: Sequence[str]) -> str:
    return f"{what}: {few([named(each) or 'one without a name' for each in tools])}" if tools else ""


def _turned(after: Pinned, old: Mapping[str, Pin], state: State) -> list[str]:
    """Tools that are in a state and were not before."""
    return [
        pin.tool for pin in after.pins if pin.state == state and (pin.tool not in old or old[pin.tool].state != state)
    ]


def few(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def named(name: str) -> str:
    """A name of a server or a tool, as it can be shown anywhere."""
    whole = shown(" ".join(name.split()))
    cut = whole if len(whole) <= LONGEST_NAME else f"{whole[: LONGEST_NAME - 1]}…"
    return json.dumps(cut, ensure_ascii=False) if " " in cut else cut


def day(at: float) -> str:
    """A day, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"


def diff(pin: Pin) -> list[str]:
    """What was accepted against what was last seen, as a unified diff with every character shown."""
    old, new = _lines(form_of(pin.accepted_document)), _lines(form_of(pin.seen_document))
    return [line.rstrip("\n") for line in unified_diff(old, new, "accepted", "seen", n=CONTEXT_LINES)]


def _lines(form: Form) -> list[str]:
    """A declaration, a line for each value; a text takes as many as it has."""
    return [line for field in FIELDS if field in form for line in _written(field, form[field])]


def _written(place: str, value: object) -> Iterator[str]:
    if is_object(value) and value:
        for key, each in sorted(value.items()):
            yield from _written(f"{place}.{shown(key)}", each)
    elif isinstance(value, str):
        first, *rest = value.split("\n")
        yield f"{place}: {shown(first)}\n"
        yield from (f"  | {shown(line)}\n" for line in rest)
    elif is_array(value):
        yield f"{place}: {shown(json.dumps(value, ensure_ascii=False, sort_keys=True))}\n"
    else:
        yield f"{place}: {json.dumps(value)}\n"
