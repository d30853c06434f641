"""What a model is told of an edit that could not be placed: what stands there instead, and what to do now."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from hilt.results.failures import EnvironmentFailure, InvalidArguments, ToolFailure
from hilt.workspace.edits.invisible import called, clipped, made_visible
from hilt.workspace.edits.near import Nearest
from hilt.workspace.encodings import Encoding

MOST_PLACES = 5
"""Places that an ambiguous anchor's refusal lists."""

MOST_MISPLACED = 5
"""Edits of one call that are refused with a reason each."""

SNIPPET = 80
"""Characters shown of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Lines of the file, how the first of them reads near the place, and the line above it."""

    line: int
    last: int
    text: str = ""
    above: str = ""

    @property
    def lines(self) -> str:
        return f"line {self.line:,}" if self.line >= self.last else f"lines {self.line:,}-{self.last:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """Why an edit was not placed: `said` goes on from its name, or, `of_old`, from its anchor's.

    `shows`: text of the file stands in it.
    """

    index: int
    said: str
    steps: tuple[str, ...]
    of_old: bool = True
    shows: bool = True

    def told(self, name: str, of: int) -> str:
        """The whole sentence; `of` is how many edits the call has."""
        one = ("old" if self.of_old else "this edit") if of == 1 else f"edits[{self.index}]{'.old' * self.of_old}"
        return f"{one} {self.said.replace(_FILE, name)}"


_ESCAPE = re.compile(r"\\[ntrux]")
"""A backslash and what makes it look like an invisible character that was made visible."""
_NUMBER = re.compile(r"\s*(\d+)[\t:]\s*")
"""What `read_file` and searches put before a line."""

_FILE = "\0file\0"
"""Stands for the file's name until that is known; no text shown can hold it."""


class Unplaced(InvalidArguments):
    """Edits that could not be placed. `shows`: the words hold the file's present text near all of them."""

    def __init__(self, problem: str, *steps: str, shows: bool) -> None:
        super().__init__(problem, *steps)
        self.shows = shows


def refused(misplaced: Sequence[Misplaced], name: str, *, of: int) -> Unplaced:
    """The refusal of a call by all its edits that could not be placed."""
    shows = all(each.shows for each in misplaced[:MOST_MISPLACED])
    if len(misplaced) == 1:
        only = misplaced[0]
        rest = "; nothing was changed, the other edits included" if of > 1 else ""
        return Unplaced(_with_rest(only.told(name, of), rest), *only.steps, shows=shows)
    told = "\n".join(f"- {each.told(name, of)}" for each in misplaced[:MOST_MISPLACED])
    more = f"\n- and {len(misplaced) - MOST_MISPLACED:,} more" if len(misplaced) > MOST_MISPLACED else ""
    steps = tuple(dict.fromkeys(each.steps[0] for each in misplaced))[:2]
    problem = f"{len(misplaced):,} of {of:,} edits do not fit; nothing was changed\n{told}{more}"
    return Unplaced(problem, *steps, shows=shows)


def _with_rest(told: str, rest: str) -> str:
    first, feed, lines = told.partition("\n")
    return f"{first}{rest}{feed}{lines}"


def ambiguous(
    index: int, spots: Sequence[Spot], count: int, *, alike: bool = False, overlapping: bool = False
) -> Misplaced:
    """More than one place: `spots` are the first of `count`; `alike` where none is the anchor exactly."""
    listed = ", ".join(_listed(spots[:MOST_PLACES], exactly=alike))
    more = f" and {count - len(spots):,} more" if count > len(spots) else ""
    if alike:
        said = f"does not stand in {_FILE} exactly, and {count:,} places look like it: {listed}{more}"
        return Misplaced(index=index, said=said, steps=("copy old exactly from the place meant, with its neighbours",))
    longer = "add neighbouring text to old until it stands once"
    if overlapping:
        said = f"stands {count:,} times in {_FILE}, overlapping: {listed}"
        return Misplaced(index=index, said=said, steps=(longer,))
    steps = (longer, f"set all=true to replace all {count:,}")
    return Misplaced(index=index, said=f"stands {count:,} times in {_FILE}: {listed}{more}", steps=steps)


def _listed(spots: Sequence[Spot], *, exactly: bool) -> Iterator[str]:
    """The places, each line once. Where they read alike the line above each tells more than the text again."""
    shown = _whole_snippet if exactly else _snippet
    apart = {spot.line: spot for spot in reversed(spots)}
    firsts = [apart[line] for line in sorted(apart)]
    texts, above = {shown(spot.text) for spot in firsts}, [_snippet(spot.above) for spot in firsts]
    if exactly or len(texts) > 1 or len(set(above)) < len(firsts) or texts & set(above):
        yield from (f'{spot.lines} "{shown(spot.text)}"' for spot in firsts)
        return
    for place, (spot, line) in enumerate(zip(firsts, above, strict=True)):
        text = "" if place else f' "{shown(spot.text)}"'
        yield f'{spot.lines}{text} below "{line}"' if line else f"{spot.lines}{text} at the top"


def applied(index: int, at: Spot) -> Misplaced:
    """The new text stands there already."""
    return Misplaced(
        index=index,
        of_old=False,
        shows=False,
        said=f"is already applied: its new text stands at {at.lines} of {_FILE}; nothing was changed",
        steps=(
            "go on: nothing is left to do for it",
            "to have the text twice, give new's own text as old",
        ),
    )


def unclear(index: int, standing: Spot, alike: Spot) -> Misplaced:
    """The new text stands somewhere, and somewhere else is what only looks like the old."""
    return Misplaced(
        index=index,
        said=f"does not stand in {_FILE} exactly. Its new text stands at {standing.lines}, so it may be already "
        f'applied; {alike.lines} only looks like old: "{_snippet(alike.text)}"; nothing was changed',
        steps=(f"go on, if {standing.lines} was meant", f"copy old exactly from {alike.lines}, if that was meant"),
    )


def missing(index: int, old: str, near: Nearest | None, standing: Spot | None) -> Misplaced:
    """The anchor is nowhere: what is nearest to it, and where the two part. `standing` is where its new text is."""
    beside = f"; its new text stands at {standing.lines}, so it may be already applied" if standing else ""
    if near is None:
        length = f"{len(old):,} {'character' if len(old) == 1 else 'characters'}"
        said = f"is not in {_FILE}, nor anything near it: {length}, beginning {_quoted(old)}{beside}"
        steps = (f"go on, if {standing.lines} was meant",) if standing else ()
        return Misplaced(index=index, said=said, steps=(*steps, "copy old from the file's present text"), shows=False)
    said = f"is not in {_FILE}; nearest {'is' if near.count == 1 else 'are'} {near.lines}, {_difference(near)}{beside}"
    return Misplaced(index=index, said=f"{said}\n{near.shown}", steps=(_correction(near),))


def empty(index: int) -> Misplaced:
    """The file holds no character, so no anchor either."""
    return Misplaced(
        index=index, said=f"is not in {_FILE}, which is empty", steps=("write the file whole",), shows=False
    )


def written_by(index: int, other: int) -> Misplaced:
    """The anchor is text that another edit of the call brings."""
    said = f"is not in {_FILE} as it is now; edits[{other}].new holds it, but all edits are found in the present text"
    return Misplaced(index=index, said=said, steps=(f"put both changes into edits[{other}]",), shows=False)


def overlapping(name: str, first: tuple[int, Spot], second: tuple[int, Spot]) -> InvalidArguments:
    """Two edits, or two places of one, want the same bytes."""
    (one, at), (other, there) = first, second
    return InvalidArguments(
        f"edits[{one}] ({at.lines}) and edits[{other}] ({there.lines}) change the same text of {name}; "
        "nothing was changed",
        "make one edit of the two",
    )


def unholdable(index: int, new: str, encoding: Encoding) -> ToolFailure:
    """New text that the file's encoding has no bytes for."""
    at = next(place for place, character in enumerate(new) if not _holds(encoding, character))
    number = ord(new[at])
    if 0xD800 <= number <= 0xDFFF:
        return InvalidArguments(
            f"edits[{index}].new holds \\u{number:04x}, half of a surrogate pair, at character {at + 1:,}",
            "write the whole character",
        )
    called = f"U+{number:04X} {unicodedata.name(new[at], 'without a name')}"
    return EnvironmentFailure(
        f"the file is {encoding.told or encoding.name}, which has no {called} (edits[{index}].new, character "
        f"{at + 1:,}); nothing was changed",
        f"write it with characters that {encoding.name} has",
        "ask the person whether the file may be converted to UTF-8",
    )


def _holds(encoding: Encoding, character: str) -> bool:
    try:
        character.encode(encoding.name)
    except UnicodeEncodeError:
        return False
    return True


def _difference(near: Nearest) -> str:
    if near.file_ends:
        return "where the file ends and old goes on"
    only = f"which differ{'s' if near.count == 1 else ''} only in whitespace: " if near.whitespace else ""
    line = f"first different in line {near.line:,}: " if near.count > 1 else ""
    if near.blank:
        return f"{only}{line}{_BLANK[near.blank]}"
    apart = _told_apart(*near.parts)
    old, there = (_part(part) + ("" if apart else _backslashed(part)) for part in near.parts)
    return f"{only}{line}old has {old}, the file has {there}{apart}"


_BLANK = {
    "file": "the file has an empty line that old has not",
    "old": "old has an empty line that the file has not",
    "neither": "old and the file break the same text into other lines",
}


def _told_apart(old: str, there: str) -> str:
    """The names of the first two characters that differ, where a reader could take one for the other."""
    unlike = next(((ours, theirs) for ours, theirs in zip_longest(old, there) if ours != theirs), None)
    if unlike is None or None in unlike:
        return ""
    ours, theirs = map(str, unlike)
    if made_visible(old) == made_visible(there) or ours.isascii() != theirs.isascii():
        return f" (old: {called(ours)}, the file: {called(theirs)})"
    return ""


def _part(text: str) -> str:
    if not text.strip(" "):
        return ("1 space" if len(text) == 1 else f"{len(text)} spaces") if text else "nothing"
    return _quoted(text)


def _backslashed(text: str) -> str:
    return " with a real backslash" if _ESCAPE.search(text) else ""


def _correction(near: Nearest) -> str:
    old, there = near.parts
    number = _NUMBER.fullmatch(old)
    if number is not None and int(number[1]) == near.line and not there.strip():
        return "leave the line numbers out of old"
    if any("\udc80" <= character <= "\udcff" for character in there):
        return "bytes shown as \\xNN are no text and cannot stand in old: use the text before or behind them"
    if near.blank:
        return "copy the lines of old from those shown"
    if near.whitespace:
        return "use the file's own whitespace in old: \\t stands for a tab, \\x20 for a space at a line's end"
    escaped = "; \\t stands for a tab" if near.tabs else ""
    return f"correct old by the lines shown{escaped}"


def _snippet(text: str) -> str:
    return clipped(made_visible(text.strip()), SNIPPET)


def _whole_snippet(text: str) -> str:
    """Spaces at its ends included, for they may be what differs."""
    return clipped(made_visible(text.removesuffix("\r")), SNIPPET)


def _quoted(text: str) -> str:
    return f'"{clipped(made_visible(text), SNIPPET)}"'
