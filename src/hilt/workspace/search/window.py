"""The part of one file's matches that a page shows, filled row by row as the file streams by."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from hilt.workspace.search.text import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One match: its first line's number, from 1, the text of its lines, and the lines around them.

    `before` and `after` are the neighbouring lines as the file has them, matching ones too, so
    those of two hits may overlap. `cut` and `escaped` are about any of these texts.
    """

    line: int
    text: str
    before: Sequence[str]
    after: Sequence[str]
    cut: bool
    escaped: bool


@dataclass(slots=True)
class _Match:
    first: int
    last: int
    shown: Shown


class Window:
    """Rows of one file come in by line number; the page's hits come out.

    Holds the hits, their neighbours and the last few lines before the first, nothing else.
    """

    def __init__(self, *, skip: int, take: int, before: int, after: int) -> None:
        self._skip = skip
        self._take = take
        self.before = before
        self._after = after
        self._recent: deque[tuple[int, Shown]] = deque(maxlen=max(before, 1))
        self._lines: dict[int, Shown] = {}
        self._matches: list[_Match] = []
        self.met = 0

    @property
    def passing(self) -> int:
        """Matches still to be dropped before the page begins."""
        return max(0, self._skip - self.met)

    @property
    def full(self) -> bool:
        """Whether every hit is here; neighbours may still come."""
        return len(self._matches) == self._take

    @property
    def neighbours(self) -> bool:
        """Whether lines around the hits are wanted."""
        return self.before > 0 or self._after > 0

    def drop(self, matches: int) -> None:
        """Count matches that streamed by unread."""
        self.met += matches

    def match(self, first: int, last: int, shown: Shown) -> None:
        """A match on lines `first` to `last`."""
        if self.met >= self._skip and not self.full:
            if not self._matches:
                self._lines.update(self._recent)
            self._matches.append(_Match(first, last, shown))
        self.met += 1

    def line(self, number: int, shown: Shown) -> None:
        """A line of text, matching or not, to stand around a hit."""
        if not self.neighbours or (self.full and number > self._matches[-1].last + self._after):
            return
        if self._matches:
            self._lines[number] = shown
        else:
            self._recent.append((number, shown))

    def hits(self) -> list[Hit]:
        """The page's hits, in order."""
        return [self._hit(match) for match in self._matches]

    def _hit(self, match: _Match) -> Hit:
        before = self._around(match.first - self.before, match.first)
        after = self._around(match.last + 1, match.last + 1 + self._after)
        texts = (match.shown, *before, *after)
        return Hit(
            line=match.first,
            text=match.shown.text,
            before=tuple(each.text for each in before),
            after=tuple(each.text for each in after),
            cut=any(each.cut for each in texts),
            escaped=any(each.escaped for each in texts),
        )

    def _around(self, start: int, stop: int) -> list[Shown]:
        return [self._lines[number] for number in range(start, stop) if number in self._lines]
