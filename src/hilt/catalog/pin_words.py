"""What is said of pins: why a tool is quarantined, what a listing brought, and a change as lines to read.

Reasons and notes are read by models, so they hold none of the server's own text but names, and those
with every character shown.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import unified_diff
from itertools import islice

from hilt.catalog.pins import FIELDS, Form, Pin, Pinned, State, Unusable, form_of
from hilt.declarations.characters import shown
from hilt.declarations.schema import is_object

MOST_NAMED = 5
"""Tools that a note names; of more, how many there are."""
LONGEST_NAME = 64
"""Characters of a name that are shown."""
HEAD_LINES = 2
"""Lines of a unified diff that name its two files."""
CONTEXT_LINES = 2
"""Lines around a change that are shown with it."""


def step_for(server: str, tool: str) -> str:
    """What a person does about a quarantined tool."""
    return f"a person looks at `hilt pins --diff {server}/{named(tool)}`, and accepts it by `hilt pins accept`"


def refused(pin: Pin) -> str:
    """Why a quarantined tool is not offered."""
    found = dict.fromkeys(each.says for each in pin.findings if each.grade == "grave")
    if not pin.accepted:
        return f"not accepted at first sight: {'; '.join(found)}"
    old, new = form_of(pin.accepted_document), form_of(pin.seen_document)
    fields = [field for field in FIELDS if old.get(field) != new.get(field)]
    return "; ".join([f"its {' and '.join(fields)} changed since {day(pin.accepted_at)}", *found])


def why(pin: Pin) -> str:
    """Why a pin waits for a person, "" where it does not."""
    if pin.state == "quarantined":
        return refused(pin)
    return "; ".join(dict.fromkeys(each.says for each in pin.findings)) if pin.state == "warned" else ""


def first_sight(before: Pinned, after: Pinned) -> str:
    """That a server was met for the first time, which is no news to a model; "" where it was known."""
    count = sum(bool(pin.accepted) for pin in after.pins)
    tools = "1 tool" if count == 1 else f"{count} tools"
    return f"{named(after.server)}: {tools} seen for the first time and pinned" if count and not before.pins else ""


def notes_of(before: Pinned, after: Pinned, faults: Sequence[Unusable] = ()) -> tuple[str, ...]:
    """What a listing brought, and what of it is kept back; one line for each kind."""
    old: Mapping[str, Pin] = {pin.tool: pin for pin in before.pins}
    new = [pin for pin in after.pins if pin.tool not in old and pin.accepted]
    back = [pin for pin in after.pins if pin.tool in old and old[pin.tool].state == "gone" and pin.state == "accepted"]
    kept = [pin.tool for pin in after.pins if pin.state == "quarantined"] + [each.tool for each in faults]
    told = (
        _source(before, after),
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
    """What was accepted against what was last seen: a unified diff for each place, every character shown."""
    old, new = _values(form_of(pin.accepted_document)), _values(form_of(pin.seen_document))
    lines = [
        line
        for place in dict.fromkeys((*old, *new))
        for line in _changed(place, old.get(place, ()), new.get(place, ()))
    ]
    return ["--- accepted", "+++ seen", *lines] if lines else []


def _changed(place: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of one place that changed, each under the place."""
    found = unified_diff(old, new, n=CONTEXT_LINES, lineterm="")
    for line in islice(found, HEAD_LINES, None):
        yield f"@@ {place}" if line.startswith("@@") else line


def _values(form: Form) -> dict[str, list[str]]:
    """The lines of each value of a declaration, by its place."""
    return {place: lines for field in FIELDS if field in form for place, lines in _written(field, form[field])}


def _written(place: str, value: object) -> Iterator[tuple[str, list[str]]]:
    if is_object(value) and value:
        for key, each in value.items():
            yield from _written(f"{place}.{visible(key)}", each)
    elif isinstance(value, str):
        yield place, [visible(line) for line in value.split("\n")]
    else:
        yield place, [visible(json.dumps(value, ensure_ascii=False, sort_keys=True))]


def visible(line: str) -> str:
    """A line of a server's text that does nothing to a terminal."""
    return shown(line).replace("\r", "<U+000D>")
