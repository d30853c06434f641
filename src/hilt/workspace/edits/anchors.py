"""Anchored edits: where each old text stands in a file, all found in the file as it is before any of them.

Exactly first. Only where that finds nothing, also what looks like the anchor, if it stands in one
place alone; `Place.differences` then tells how it differs. What is not found, or not once, is
refused in words (`anchor_refusals.py`); two edits of the same bytes are too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from hilt.results.failures import InvalidArguments
from hilt.workspace.edits.encoded import EncodedText
from hilt.workspace.edits.lookalikes import LINE_BREAK, Difference, differences, endings_pattern, likeness_pattern
from hilt.workspace.edits.near import nearest_region
from hilt.workspace.edits.refusals import (
    MOST_PLACES,
    Misplaced,
    Spot,
    ambiguous,
    applied,
    empty,
    missing,
    overlapping,
    refused,
    unclear,
    unholdable,
    written_by,
)

LIKENESS_BYTES = 64 * 1024**2
"""Up to this size a file is also searched for what only looks like an anchor."""

SNIPPET_BEFORE = 24
"""Bytes of a line that are shown before a place in it, where the line is long."""

LEAST_TELLING = 3
"""Characters of new text from which on its standing there says that the edit was made."""

LEAST_TELLING_ALONE = 12
"""The same where there is more near the old text than the new: a `pass` or `return x` stands anywhere by chance."""

ABOVE_LINES = 3
"""Lines looked at above each of several places, for one that is not blank."""

_ENDING_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace `old`, which stands once, by `new`; with `all`, wherever it stands."""

    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The bytes `start` to `end` of the file are to become `new`, for the edit of that index.

    `endings` names the line endings that `new` took from the file, empty where it stands as given.
    """

    edit: int
    start: int
    end: int
    new: bytes
    differences: tuple[Difference, ...] = ()
    endings: str = ""


def place_edits(file: EncodedText, edits: Sequence[Edit], name: str) -> tuple[Place, ...]:
    """Where every edit goes, in the order of the file. `name` is how refusals call the file.

    Raises InvalidArguments for what cannot be placed, all of it at once; EnvironmentFailure where
    the file's encoding has no bytes for new text.
    """
    check_edits(edits)
    places: list[Place] = []
    misplaced: list[Misplaced] = []
    for index in range(len(edits)):
        found = _placed(file, edits, index)
        if isinstance(found, Misplaced):
            misplaced.append(found)
        else:
            places += found
    if misplaced:
        raise refused(misplaced, name, of=len(edits))
    places.sort(key=lambda place: (place.start, place.end))
    for first, second in pairwise(places):
        if second.start < first.end:
            raise overlapping(name, *((each.edit, _spot(file, each.start, each.end)) for each in (first, second)))
    return tuple(places)


def check_edits(edits: Sequence[Edit]) -> None:
    """Raise InvalidArguments for edits that mean nothing in any file."""
    for index, edit in enumerate(edits):
        where = f"edits[{index}]"
        if not edit.old:
            raise InvalidArguments(
                f"{where}.old is empty: nothing says where new belongs",
                "give a neighbouring line as old, and that line with the new text as new",
            )
        if edit.old == edit.new:
            raise InvalidArguments(
                f"{where}: old and new are the same characters; nothing would change",
                "give what should stand there as new, or leave this edit out",
            )


def _placed(file: EncodedText, edits: Sequence[Edit], index: int) -> list[Place] | Misplaced:
    edit = edits[index]
    exact = list(_exact_hits(file, edit))
    if edit.all and exact:
        return _all_exact(file, edit, index, exact)
    if len(exact) > 1:
        return _ambiguous(file, edit, index, exact)
    if exact:
        place = _place(file, edit, index, exact[0], exact[0] + len(file.encoded(edit.old) or b""))
        at = _stands_already(file, edit, place)
        return [place] if at is None else applied(index, _spot(file, at, at + len(place.new)))
    alike = _placed_by_likeness(file, edit, index)
    if alike is not None:
        return alike
    writer = next((other for other, each in enumerate(edits) if other != index and edit.old in each.new), None)
    return _absent(file, edit, index) if writer is None else written_by(index, writer)


def _exact_hits(file: EncodedText, edit: Edit) -> Iterator[int]:
    """Where the anchor stands exactly: the first two places, or, for `all`, all that do not overlap."""
    needle = file.encoded(edit.old)
    if needle is None:
        return
    hits = file.find_all(needle, 0 if edit.old.startswith(_MARK) else None)
    whole = (at for at in hits if not _splits_crlf(file, at)) if edit.old.startswith("\n") else hits
    if not edit.all:
        yield from islice(whole, 2)
        return
    end = 0
    for at in whole:
        if at >= end:
            yield at
            end = at + len(needle)


def _splits_crlf(file: EncodedText, at: int) -> bool:
    """Whether an LF there is that of a CRLF, which is one ending and not two."""
    before = file.encoded("\r") or b""
    return file.content[max(0, at - len(before)) : at] == before


def _ambiguous(file: EncodedText, edit: Edit, index: int, exact: Sequence[int]) -> Misplaced:
    """Places that do not overlap are counted; where there are no two of those, the first two that do."""
    apart = list(islice(_exact_hits(file, Edit(old=edit.old, new=edit.new, all=True)), MOST_PLACES))
    if len(apart) == 1:
        return ambiguous(index, _spots(file, exact), len(exact), overlapping=True)
    count = file.count(file.encoded(edit.old) or b"") if not edit.old.startswith("\n") else None
    if count is None:
        count = sum(1 for _ in _exact_hits(file, Edit(old=edit.old, new=edit.new, all=True)))
    return ambiguous(index, _spots(file, apart), count)


def _all_exact(file: EncodedText, edit: Edit, index: int, exact: Sequence[int]) -> list[Place] | Misplaced:
    length = len(file.encoded(edit.old) or b"")
    first = _place(file, edit, index, exact[0], exact[0] + length)
    places = [
        first,
        *(Place(edit=index, start=at, end=at + length, new=first.new, endings=first.endings) for at in exact[1:]),
    ]
    if all(_stands_already(file, edit, place) is not None for place in places):
        return applied(index, _spot(file, first.start, first.start + len(first.new)))
    return places


def _placed_by_likeness(file: EncodedText, edit: Edit, index: int) -> list[Place] | Misplaced | None:
    """The same for an anchor that stands nowhere exactly; None where nothing even looks like it."""
    if len(file.content) > LIKENESS_BYTES:
        return None
    if edit.all and LINE_BREAK.search(edit.old):
        same = [_found(file, edit, index, *match.span()) for match in endings_pattern(edit.old).finditer(file.text)]
        if same:
            return same
    matches = list(likeness_pattern(edit.old, within=file.text).finditer(file.text))
    if not matches:
        return None
    if len(matches) > 1:
        hits = [file.byte_at(match.start()) for match in matches[:MOST_PLACES]]
        endings = bool(LINE_BREAK.search(edit.old)) and _only_endings_differ(file, edit.old, len(matches))
        return ambiguous(index, _spots(file, hits), len(matches), alike=not endings)
    place = _found(file, edit, index, *matches[0].span())
    if not file.reads(place.start, place.end, matches[0].group()):
        return None  # part of what the encoding writes as one character
    return _unless_applied(file, edit, place)


def _only_endings_differ(file: EncodedText, old: str, count: int) -> bool:
    """Whether so many places are the anchor but for line endings, which no reader sees and `all` passes over."""
    return sum(1 for _ in endings_pattern(old).finditer(file.text)) == count


def _unless_applied(file: EncodedText, edit: Edit, place: Place) -> list[Place] | Misplaced:
    """The place that only looks like the anchor, unless the edit was made before, there or elsewhere."""
    if place.new == file.content[place.start : place.end]:
        return applied(place.edit, _spot(file, place.start, place.end))
    at = None if place.differences == ("line endings",) else _lone(file, edit.new, beside=place)
    if at is not None:
        return unclear(place.edit, _spot(file, *at), _spot(file, place.start, place.end))
    return [place]


def _absent(file: EncodedText, edit: Edit, index: int) -> Misplaced:
    """Applied already, where the new text stands once, there where the old is missed; else simply missing.

    New text that is a part of the old proves nothing, nor does next to no text.
    """
    if len(file.content) == file.encoding.mark:
        return empty(index)
    at = _lone(file, edit.new)
    standing = None if at is None else _spot(file, *at)
    near = nearest_region(file.text, edit.old)
    covers = standing is not None and near is not None and near.within(standing.line, standing.last)
    least = LEAST_TELLING if covers else LEAST_TELLING_ALONE
    telling = edit.new not in edit.old and len(edit.new.strip()) >= least
    if standing and telling and (near is None or near.overlaps(standing.line, standing.last)):
        return applied(index, standing)
    return missing(index, edit.old, near, standing)


def _found(file: EncodedText, edit: Edit, index: int, first: int, last: int) -> Place:
    """The place of characters `first` to `last`."""
    start, end = file.byte_at(first), file.byte_at(last)
    return _place(file, edit, index, start, end, unlike=differences(edit.old, file.text[first:last]))


def _place(
    file: EncodedText, edit: Edit, index: int, start: int, end: int, *, unlike: tuple[Difference, ...] = ()
) -> Place:
    new, endings = _in_its_endings(file, edit, file.shown(start, end) if unlike else None)
    if start == file.encoding.mark > 0 and edit.new.startswith(_MARK):
        raise InvalidArguments(
            f"edits[{index}].new begins with U+FEFF, and the file begins with that byte order mark already",
            "leave U+FEFF out of new",
        )
    content = file.encoded(new)
    if content is None:
        raise unholdable(index, new, file.encoding)
    return Place(edit=index, start=start, end=end, new=content, differences=unlike, endings=endings)


def _in_its_endings(file: EncodedText, edit: Edit, region: str | None) -> tuple[str, str]:
    """New text with the line endings of the region it replaces, and their names where that changed it.

    Not where the caller wrote a CR on purpose. A region found exactly follows the file, if that
    has one kind of ending throughout.
    """
    by_endings = region is not None and "\r" in edit.old
    if not LINE_BREAK.search(edit.new) or (("\r" in edit.old or "\r" in edit.new) and not by_endings):
        return edit.new, ""
    kept: list[str] = LINE_BREAK.findall(region) if region is not None else []
    kept = kept or [file.only_ending or "\n"]
    pieces = LINE_BREAK.split(edit.new)
    ends = [*kept[: len(pieces) - 1], *kept[-1:] * (len(pieces) - 1 - len(kept)), ""]
    new = "".join(piece + end for piece, end in zip(pieces, ends, strict=True))
    return new, "" if new == edit.new else " and ".join(dict.fromkeys(_ENDING_NAMES[end] for end in ends if end))


def _stands_already(file: EncodedText, edit: Edit, place: Place) -> int | None:
    """Where the new text, which holds the old, stands around the place already."""
    old = file.content[place.start : place.end]
    within = place.new.find(old)
    while within >= 0:
        first = place.start - within
        if first >= 0 and file.content[first : first + len(place.new)] == place.new:
            return first
        within = place.new.find(old, within + 1)
    return None


def _lone(file: EncodedText, new: str, *, beside: Place | None = None) -> tuple[int, int] | None:
    """The one place where new text stands, whatever its line endings; None for no place or several.

    It is not looked for inside the place that it may go to, `beside`.
    """
    if not new.strip():
        return None
    needle = file.encoded(new)
    hits = [(at, at + len(needle)) for at in islice(file.find_all(needle), 2)] if needle else []
    if not hits and LINE_BREAK.search(new) and len(file.content) <= LIKENESS_BYTES:
        matches = islice(endings_pattern(new).finditer(file.text), 2)
        hits = [(file.byte_at(match.start()), file.byte_at(match.end())) for match in matches]
    if beside is not None:
        hits = [hit for hit in hits if hit[1] <= beside.start or beside.end <= hit[0]]
    return hits[0] if len(hits) == 1 else None


def _spots(file: EncodedText, hits: Sequence[int]) -> list[Spot]:
    return [replace(_spot(file, at, at), above=_above(file, at)) for at in hits[:MOST_PLACES]]


def _above(file: EncodedText, at: int) -> str:
    """The nearest line above that is not blank, of those `ABOVE_LINES` nearest."""
    start = file.line_start(at)
    for _ in range(ABOVE_LINES):
        if start <= file.encoding.mark:
            break
        above = start - file.unit
        if (text := file.glimpse(above)).strip():
            return text
        start = file.line_start(above)
    return ""


def _spot(file: EncodedText, start: int, end: int) -> Spot:
    line = file.line_of(start)
    last = line + file.feeds(start, end) - file.ends_line(file.content[start:end])
    return Spot(line=line, last=last, text=file.glimpse(start, SNIPPET_BEFORE))
