"""The part of a text nearest to an anchor that is not in it, and where the two part first.

Bounded work on texts of any size: lines and words of the anchor are looked up in the text as they
stand, a few of each, and only what surrounds them is compared.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, islice
from typing import Literal

from hilt.workspace.edits.invisible import clipped, made_visible

MOST_PROBES = 24
"""Lines, and then words, of the anchor that are looked up."""

MOST_HITS = 12
"""Places looked at for each of them."""

MOST_LINES = 400
"""Lines of the anchor among which those are chosen."""

LONGEST_PROBE = 400
LEAST_PROBE = 3
LEAST_HALF = 2
COMPARED_LINES = 8
"""Lines by which regions are compared to which equally much of the anchor points."""

NEAR_ENOUGH = 0.5
"""How alike a line must be, from 0 to 1, where no line of the anchor stands in the text."""

SLACK = 8
"""Characters that a line of the text may have more than the anchor's where the two are compared."""

CASELESS_CHARACTERS = 1 << 20
"""Up to this size a text is also searched for the anchor's words whatever their case."""

SHOWN_LINES = 6
SHOWN_CHARACTERS = 200
MOST_TOKENS = 600
LONG_LINE = 1_000
"""In a longer line only the neighbourhood of what was found is compared and shown."""

_WORD = re.compile(r"\w+|[^\w\s]+")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Broken = Literal["old", "file", "neither"]
"""Which of an anchor and a text has an empty line where the other goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Lines `first` to `first + count - 1`; they part from the anchor in `line`, as `parts` (anchor's, text's) say.

    `shown` is the lines around that, numbered, invisible characters visible; `tabs`: there are some.
    `whitespace`: nothing else differs. `blank`: the one that has an empty line there, or, `neither`,
    both have the same text broken elsewhere. `file_ends`: the anchor goes on where the text is at its end.
    """

    first: int
    count: int
    line: int
    parts: tuple[str, str]
    shown: str
    tabs: bool = False
    whitespace: bool = False
    blank: Broken | Literal[""] = ""
    file_ends: bool = False

    @property
    def lines(self) -> str:
        return f"line {self.first:,}" if self.count == 1 else f"lines {self.first:,}-{self.first + self.count - 1:,}"

    def overlaps(self, first: int, last: int) -> bool:
        """Whether it shares a line with those from `first` to `last`."""
        return first < self.first + self.count and self.first <= last

    def within(self, first: int, last: int) -> bool:
        """Whether all of it lies in the lines from `first` to `last`."""
        return first <= self.first and self.first + self.count - 1 <= last


def nearest_region(text: str, anchor: str) -> Nearest | None:
    """What of `text` is nearest to `anchor`; None where nothing is near."""
    asked = [line.removesuffix("\r") for line in anchor.split("\n")]
    start = _nearest(text, asked[:MOST_LINES])
    return None if start is None else _compared(text, start, asked)


def _nearest(text: str, asked: Sequence[str]) -> int | None:
    """Where the region begins: where most lines of the anchor point to, if it is one place and they are most of it."""
    votes = _by_lines(text, asked)
    most = max(votes.values(), default=0)
    starts = [start for start, count in votes.items() if count == most]
    if len(starts) == 1 and most > len(_bare("".join(asked))) // 2:
        return starts[0]
    by_words = _by_words(text, asked)
    if by_words is None and len(text) <= CASELESS_CHARACTERS:
        by_words = _caseless(text, asked)
    starts += [] if by_words is None else [by_words]
    return max(starts, key=lambda start: (_alike(text, start, asked), -start), default=None)


def _alike(text: str, start: int, asked: Sequence[str]) -> float:
    """How alike the first lines of the anchor and of a region are, in all."""
    pairs = zip(asked[:COMPARED_LINES], _lines_from(text, start, COMPARED_LINES), strict=False)
    return sum(_likeness(line[:LONGEST_PROBE].strip(), there[:LONGEST_PROBE].strip(), 0) for line, there in pairs)


def _by_lines(text: str, asked: Sequence[str]) -> Counter[int]:
    """Where regions begin that lines of the anchor point to, and by how many characters."""
    votes: Counter[int] = Counter()
    lines = sorted(enumerate(asked), key=lambda line: -len(line[1].strip()))
    for number, line in lines[:MOST_PROBES]:
        probe = line.strip()[:LONGEST_PROBE]
        if len(probe) < LEAST_PROBE:
            continue
        for at in _hits(text, probe):
            start = _start(text, at, number, line.find(probe))
            if start is not None:
                votes[start] += len(probe)
    return votes


def _by_words(text: str, asked: Sequence[str]) -> int | None:
    """Where the region begins whose line is most like the anchor's, among those that share a word or half of one."""
    best, nearest = NEAR_ENOUGH, None
    seen: set[tuple[int, int]] = set()
    for number, column, probe in _probes(asked):
        for at in _hits(text, probe):
            start = _start(text, at, number, column)
            if start is None or (number, start) in seen:
                continue
            seen.add((number, start))
            alike = _likeness(asked[number][:LONGEST_PROBE].strip(), _beside(text, at, asked[number], column), best)
            if alike > best:
                best, nearest = alike, start
    return nearest


def _probes(asked: Sequence[str]) -> list[tuple[int, int, str]]:
    """The longest words of the anchor, each with its line and column, and halves of them, for one may be misspelt."""
    words = [
        (number, word.start(), word.group())
        for number, line in enumerate(asked)
        for word in _WORD.finditer(line[:LONGEST_PROBE])
    ]
    words.sort(key=lambda word: -len(word[2]))
    halves: list[tuple[int, int, str]] = []
    for number, column, word in words[: MOST_PROBES // 2]:
        middle = len(word) // 2
        halves += [(number, column, word[:middle]), (number, column + middle, word[middle:])]
    return words[:MOST_PROBES] + [half for half in halves if len(half[2]) >= LEAST_HALF]


def _caseless(text: str, asked: Sequence[str]) -> int | None:
    lower = text.lower()  # a few characters become two, and then places do not fit
    return _by_words(lower, [line.lower() for line in asked]) if len(lower) == len(text) else None


def _beside(text: str, at: int, line: str, column: int) -> str:
    """What stands around `at` where the anchor's line would, if its `column` were there."""
    first = max(text.rfind("\n", 0, at) + 1, at - column)
    end = text.find("\n", at, at + LONGEST_PROBE)
    last = first + len(line[:LONGEST_PROBE]) + SLACK
    return text[first : last if end < 0 else min(last, end)].strip()


def _likeness(line: str, there: str, least: float) -> float:
    compared = SequenceMatcher(None, line, there, autojunk=False)
    quick = compared.real_quick_ratio() > least and compared.quick_ratio() > least
    return compared.ratio() if quick else 0.0


def _hits(text: str, probe: str) -> Iterator[int]:
    def every() -> Iterator[int]:
        at = text.find(probe)
        while at >= 0:
            yield at
            at = text.find(probe, at + len(probe))

    return islice(every(), MOST_HITS)


def _start(text: str, at: int, number: int, column: int) -> int | None:
    """Where line 0 of the anchor would begin, if its line `number` has at `column` what the text has at `at`."""
    line = text.rfind("\n", 0, at) + 1
    if at - line > LONG_LINE:
        return max(line, at - column) if number == 0 else None
    for _ in range(number):
        if line == 0:
            return None
        line = text.rfind("\n", 0, line - 1) + 1
    return line


def _lines_from(text: str, start: int, most: int) -> list[str]:
    """Up to `most` lines from a place on; of a long one its beginning."""
    lines: list[str] = []
    while len(lines) < most and start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(text[start : min(end, start + LONG_LINE)].removesuffix("\r"))
        start = end + 1
    return lines


def _compared(text: str, start: int, asked: Sequence[str]) -> Nearest:
    spaced = _spaced(text, start, asked)
    start, there = spaced or (start, _lines_from(text, start, len(asked)))
    first = text.count("\n", 0, start) + 1
    broken = _broken(asked, there) if spaced else None
    unlike = (at for at, line in enumerate(there[: len(asked)]) if not _same(asked, at, line))
    parting = broken[0] if broken else next(unlike, min(len(there), len(asked) - 1))
    ends = parting >= len(there)
    skipped = max(0, parting - SHOWN_LINES // 2)
    window = there[skipped : skipped + SHOWN_LINES]
    return Nearest(
        first=first,
        count=len(there),
        line=first + parting - ends,
        parts=("", "") if ends else _parts(asked, parting, there[parting]),
        shown=_shown(window, first + skipped),
        tabs=any("\t" in line for line in window),
        whitespace=spaced is not None and not ends,
        blank=broken[1] if broken else "",
        file_ends=ends,
    )


def _spaced(text: str, start: int, asked: Sequence[str]) -> tuple[int, list[str]] | None:
    """The lines near `start` that hold all of the anchor but for whitespace, if they do, and where they begin."""
    for _ in range(SLACK):
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
    lines = _lines_from(text, start, len(asked) + 2 * SLACK)
    bare = [_bare(line) for line in lines]
    wanted = _bare("".join(asked))
    at = "".join(bare).find(wanted)
    if at < 0:
        return None
    ends = list(accumulate(map(len, bare)))
    first, last = bisect_right(ends, at), bisect_left(ends, at + len(wanted))
    for line in asked:  # empty lines before the first words
        if line.strip() or first == 0 or bare[first - 1]:
            break
        first -= 1
    for _ in range(first):
        start = text.index("\n", start) + 1
    return start, lines[first : max(last + 1, first + len(asked))]


def _broken(asked: Sequence[str], there: Sequence[str]) -> tuple[int, Broken] | None:
    """The first line at which the same words stand in other lines, and which of the two has an empty one there."""
    for at, (line, held) in enumerate(zip(asked, there, strict=False)):
        if not _same_words(asked, at, held):
            return at, "file" if not held.strip() else "old" if not line.strip() else "neither"
    return None


def _same_words(asked: Sequence[str], number: int, there: str) -> bool:
    """As `_same`, whatever the whitespace."""
    ours, theirs = _bare(asked[number]), _bare(there)
    opens, closes = number == 0, number == len(asked) - 1
    if not ours:
        return not theirs or (closes and not opens)
    if opens and closes:
        return ours in theirs
    return ours == theirs or (opens and theirs.endswith(ours)) or (closes and theirs.startswith(ours))


def _same(asked: Sequence[str], number: int, there: str) -> bool:
    """Whether a line is the anchor's; its first may begin, and its last may end, inside the line."""
    line = asked[number]
    if line == there:
        return True
    opens, closes = number == 0, number == len(asked) - 1
    return (opens and not closes and there.endswith(line)) or (closes and not opens and there.startswith(line))


def _parts(asked: Sequence[str], number: int, there: str) -> tuple[str, str]:
    """What the anchor has and what the text has where they part first in a line."""
    line = asked[number][:LONG_LINE]
    ours, theirs = _TOKEN.findall(line)[:MOST_TOKENS], _TOKEN.findall(there)[:MOST_TOKENS]
    changes = [
        change for change in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes() if change[0] != "equal"
    ]
    if number == 0 and len(changes) > 1 and changes[0][:3] == ("insert", 0, 0):
        changes = changes[1:]
    if not changes:
        return line, there
    _, here, here_end, other, other_end = changes[0]
    return "".join(ours[here:here_end]), "".join(theirs[other:other_end])


def _bare(text: str) -> str:
    return "".join(text.split())


def _shown(lines: Sequence[str], first: int) -> str:
    return "\n".join(
        f"{number}\t{clipped(made_visible(line), SHOWN_CHARACTERS)}" for number, line in enumerate(lines, first)
    )
