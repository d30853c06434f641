"""A text with headings as a reading: the whole of it with an outline, or one section."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hilt.declarations.names import nearest
from hilt.documents.pieces import Block, Reading, blocks, outline
from hilt.results.failures import InvalidArguments

MOST_OFFERED = 5
"""So many headings are named where the one asked for is not there, or is there several times."""

MOST_COMPARED = 2_000
"""So many headings are compared with one that is not there."""

_NUMBERING = re.compile(r"[\d.()\s]+")
_BY_NUMBER = re.compile(r"#([0-9]{1,6})")
_NOTE_MARK = re.compile(r"\[\^[^\]]+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading and its section: the blocks from `first` to before `end`. `number` counts headings from 1."""

    title: str
    level: int
    number: int
    first: int
    end: int

    @property
    def entry(self) -> str:
        return f"#{self.number} {'> ' * (self.level - 1)}{self.title}"


def reading(
    body: Sequence[Block],
    part: str | None,
    name: str,
    *,
    behind: Sequence[Block] = (),
    notes: Sequence[str] = (),
    facts: Callable[[], Iterable[str]] = tuple,
) -> Reading:
    """All of `body` and what stands `behind` it, or the section or place, such as "chapter 2", that `part` names.

    `notes` are the footnotes, each beginning with its mark: with a section come those it refers to.
    """
    found = headings(body)
    chosen: Sequence[Block] = body
    told = f"{len(found):,} {'heading' if len(found) == 1 else 'headings'}" if found else "no headings"
    if part is not None and (placed := _placed(body, found, part)):
        chosen, told = placed, part
    elif part is not None:
        heading = chosen_heading(found, part, name)
        chosen = body[heading.first : heading.end]
        told = f"section {heading.title}"
    marks = {mark for block in chosen for mark in _NOTE_MARK.findall(block.text)} if part is not None else None
    kept = [note for note in notes if marks is None or note.partition(":")[0] in marks]
    pieces = [
        *chosen,
        *(block for note in kept for block in blocks(note, place="notes")),
        *(behind if part is None else ()),
    ]
    return Reading(told=told, pieces=pieces, outline=outline([each.entry for each in found], "headings"), facts=facts)


def headings(body: Sequence[Block]) -> list[Heading]:
    """Every heading with its section, which ends before the next heading of its level or above."""
    places = [place for place, block in enumerate(body) if block.level]
    ends = [len(body)] * len(places)
    waiting: list[int] = []
    for number, place in enumerate(places):
        while waiting and body[places[waiting[-1]]].level >= body[place].level:
            ends[waiting.pop()] = place
        waiting.append(number)
    return [
        Heading(title=body[place].text, level=body[place].level, number=number + 1, first=place, end=ends[number])
        for number, place in enumerate(places)
    ]


def chosen_heading(found: Sequence[Heading], part: str, name: str) -> Heading:
    """The heading that `part` names: its whole text, else without its number, else a part of it, else by a path.

    "#4" is the fourth, also as the outline writes it. Raises InvalidArguments where none fits, or several.
    """
    asked = folded(part.lstrip("#") if not _BY_NUMBER.fullmatch(part) else part)
    number = _BY_NUMBER.fullmatch(part.strip())
    exact = [each for each in found if folded(each.title) == asked]
    exact = exact or [each for each in found if folded(each.entry) == folded(part)]
    if number and not exact:
        exact = [each for each in found if each.number == int(number[1])]
    bare = [each for each in found if folded(_unnumbered(each.title)) == folded(_unnumbered(part))]
    partly = [each for each in found if asked and asked in folded(each.title)]
    fitting = exact or bare or partly or _below(found, part)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise InvalidArguments(
            f"part {part!r} fits {len(fitting)} headings of {name}", f"give one of: {_offered(fitting)}"
        )
    if not found:
        raise InvalidArguments(f"{name} has no headings, so it has no part {part!r}", "leave part out; use offset")
    near = nearest(part, [each.title for each in found[:MOST_COMPARED]], most=MOST_OFFERED)
    offered = [each for each in found if each.title in near] or found
    raise InvalidArguments(f"{name} has no heading {part!r}", f"give one of: {_offered(offered)}")


def _placed(body: Sequence[Block], found: Sequence[Heading], part: str) -> list[Block]:
    """The blocks of the place that `part` names, unless a heading has these words."""
    asked = folded(part)
    if any(asked in folded(each.title) for each in found):
        return []
    return [block for block in body if block.place and folded(block.place) == asked]


def _below(found: Sequence[Heading], part: str) -> list[Heading]:
    """The headings that a path such as "Methods > Scope" or "#2 > Scope" leads to."""
    above, mark, last = part.rpartition(">")
    if not mark or not above.strip() or not last.strip():
        return []
    inside = [folded(each) for each in (above.rpartition(">")[2], last)]
    over = [each for each in found if inside[0] in (folded(each.title), f"#{each.number}")]
    return [
        each
        for each in found
        if folded(each.title) == inside[1] and any(one.first < each.first < one.end for one in over)
    ]


def folded(title: str) -> str:
    """What of a heading counts when two are compared."""
    return " ".join(title.split()).casefold()


def _unnumbered(title: str) -> str:
    match = _NUMBERING.match(title)
    return title[match.end() :] if match and match.end() < len(title) else title


def _offered(found: Sequence[Heading]) -> str:
    more = len(found) - MOST_OFFERED
    return " | ".join(each.entry for each in found[:MOST_OFFERED]) + (f" | and {more:,} more" if more > 0 else "")
