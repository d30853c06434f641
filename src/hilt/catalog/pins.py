"""What other people's servers declared, as it was accepted and as it was last seen, and what a new listing makes of it.

A pin is kept under the server's name in the settings and the tool's own name. The first declaration seen is
accepted unless something in it deceives; another one later is quarantined until a person accepts it, and the
accepted one is not offered meanwhile, for the server would do something else under its name.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from hilt.declarations.schema import is_array, is_object

FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""What of a declaration is pinned, and all of it that is handed on."""
LARGEST_DECLARATION = 256 << 10
"""Bytes of one declaration that are kept; a larger one is not offered."""
LONGEST_TOOL = 128
"""Characters of a tool's name, as the protocol bounds them; a longer one is not offered."""
MOST_GONE = 2_000
"""Tools of one server that are remembered after they went; beyond, the longest gone are forgotten."""
FIRST_SIGHT = "first sight"
"""Who accepted a declaration that was the first of its name."""

Grade = Literal["grave", "warning"]
State = Literal["accepted", "warned", "quarantined", "gone"]
Form = Mapping[str, object]
Names = Collection[tuple[str, str]]
"""Pairs of server and tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that speaks against a declaration. `says` is ours; `quote` is the server's text, for people alone."""

    kind: str
    grade: Grade
    where: str
    says: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One tool of one server. Digests are "" and documents too where nothing was accepted; times are since the epoch.

    `place` is its order among the server's tools, given once. `findings` speak against what was last seen,
    until a person accepts it.
    """

    tool: str
    place: int
    accepted: str
    accepted_document: str
    accepted_at: float
    accepted_by: str
    seen: str
    seen_document: str
    seen_at: float
    gone: float | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def state(self) -> State:
        """How it stands."""
        if self.gone is not None:
            return "gone"
        if self.accepted != self.seen:
            return "quarantined"
        return "warned" if self.findings else "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """All that is known of one server. `source` is a digest of the command or address it was reached by."""

    server: str
    source: str = ""
    pins: tuple[Pin, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One entry of a listing, ready to be compared. `findings` are those that need nobody else's names."""

    tool: str
    digest: str
    document: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """An entry of a listing that cannot be pinned, and so is not offered."""

    tool: str
    reason: str


def pinned_form(entry: Form) -> dict[str, object]:
    """What of an entry of `tools/list` is pinned; what says nothing is left out."""
    return {field: entry[field] for field in FIELDS if entry.get(field) not in (None, "", {})}


def digest(form: Form) -> str:
    """The digest of a declaration, whatever the order of its keys.

    >>> digest({"name": "a", "title": "b"}) == digest({"title": "b", "name": "a"})
    True
    """
    return sha256(json.dumps(form, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def declared(entry: Form) -> Declared | Unusable:
    """An entry as it is compared."""
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        return Unusable(tool="", reason="a tool without a name")
    if len(name) > LONGEST_TOOL:
        return Unusable(tool=name[:LONGEST_TOOL], reason=f"its name is longer than {LONGEST_TOOL} characters")
    if any(each < " " or "\ud800" <= each <= "\udfff" for each in name):
        return Unusable(tool=name, reason="its name holds control characters, or is no text")
    form = pinned_form(entry)
    try:
        document, key = json.dumps(form, separators=(",", ":")), digest(form)
    except (RecursionError, ValueError, TypeError):
        return Unusable(tool=name, reason="its declaration is nested too deep to be kept")
    if len(document) > LARGEST_DECLARATION:
        return Unusable(
            tool=name,
            reason=f"its declaration takes {len(document):,} bytes; the most that is kept is {LARGEST_DECLARATION:,}",
        )
    return Declared(tool=name, digest=key, document=document)


def listed(entries: Iterable[Form]) -> tuple[list[Declared], list[Unusable]]:
    """The entries of a listing that can be compared, each name once, and those that cannot be."""
    usable: dict[str, Declared] = {}
    faults: list[Unusable] = []
    for entry in entries:
        found = declared(entry)
        if isinstance(found, Unusable):
            faults.append(found)
        elif found.tool not in usable:
            usable[found.tool] = found
        elif usable[found.tool].digest != found.digest:
            faults.append(Unusable(tool=found.tool, reason="the server lists two tools of this name"))
    twice = {fault.tool for fault in faults}
    return [each for each in usable.values() if each.tool not in twice], faults


def revised(before: Pinned, listing: Sequence[Declared], *, source: str, now: float) -> Pinned:
    """What is known after a listing. Findings of the listing count for what a person has not accepted."""
    known = {pin.tool: pin for pin in before.pins}
    place = max((pin.place for pin in before.pins), default=-1)
    after: list[Pin] = []
    for each in listing:
        pin = known.pop(each.tool, None)
        if pin is None:
            place += 1
            pin = _nothing_accepted(each, place, now)
        after.append(_met(pin, each, now))
    gone = sorted((_left(pin, now) for pin in known.values()), key=lambda pin: -(pin.gone or 0.0))[:MOST_GONE]
    pins = sorted([*after, *gone], key=lambda pin: pin.place)
    return Pinned(server=before.server, source=source or before.source, pins=tuple(pins))


def _nothing_accepted(each: Declared, place: int, now: float) -> Pin:
    return Pin(
        tool=each.tool,
        place=place,
        accepted="",
        accepted_document="",
        accepted_at=0.0,
        accepted_by="",
        seen=each.digest,
        seen_document=each.document,
        seen_at=now,
    )


def _met(pin: Pin, each: Declared, now: float) -> Pin:
    """A pin whose tool is in the listing."""
    if pin.accepted == each.digest:
        by_person = pin.accepted_by != FIRST_SIGHT
        return replace(
            pin,
            seen=pin.accepted,
            seen_document=pin.accepted_document,
            seen_at=pin.seen_at if pin.seen == pin.accepted else now,
            gone=None,
            findings=() if by_person else each.findings,
        )
    met = replace(
        pin,
        seen=each.digest,
        seen_document=each.document,
        seen_at=pin.seen_at if pin.seen == each.digest else now,
        gone=None,
        findings=each.findings,
    )
    if pin.accepted or any(finding.grade == "grave" for finding in each.findings):
        return met
    return _accepted(met, FIRST_SIGHT, now)


def _left(pin: Pin, now: float) -> Pin:
    return replace(pin, gone=now) if pin.gone is None else pin


def _accepted(pin: Pin, by: str, now: float) -> Pin:
    return replace(pin, accepted=pin.seen, accepted_document=pin.seen_document, accepted_at=now, accepted_by=by)


def waits(pin: Pin) -> bool:
    """Whether a person's word on the pin is still open."""
    return pin.state in ("quarantined", "warned")


def accepted(before: Pinned, tools: Collection[str], *, by: str, now: float, digest: str = "") -> Pinned:
    """The same with what was last seen of these tools accepted by a person, whatever was found in it.

    With a `digest`, or the beginning of one, only what has it is accepted.
    """
    pins = [
        replace(_accepted(pin, by, now), findings=())
        if pin.tool in tools and waits(pin) and pin.seen.startswith(digest)
        else pin
        for pin in before.pins
    ]
    return replace(before, pins=tuple(pins))


def form_of(document: str) -> dict[str, object]:
    """A kept document, read."""
    found: object = json.loads(document) if document else {}
    return dict(found) if is_object(found) else {}


def findings_text(findings: Sequence[Finding]) -> str:
    """Findings as a store keeps them."""
    return json.dumps(
        [{"kind": f.kind, "grade": f.grade, "where": f.where, "says": f.says, "quote": f.quote} for f in findings]
    )


def findings_read(text: str) -> tuple[Finding, ...]:
    """Findings, as a store kept them."""
    found: object = json.loads(text)
    return tuple(_finding(each) for each in (found if is_array(found) else ()) if is_object(each))


def _finding(each: Form) -> Finding:
    return Finding(
        kind=str(each.get("kind")),
        grade="grave" if each.get("grade") == "grave" else "warning",
        where=str(each.get("where")),
        says=str(each.get("says")),
        quote=str(each.get("quote")),
    )
