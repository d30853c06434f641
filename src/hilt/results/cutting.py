"""Cutting to a budget: which items or which part of a text stay, and never inside a character.

Pure arithmetic on what is already in memory; who continues and where the rest is kept is the
runtime's to say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from hilt.results.counting import utf8_length

Keep = Literal["head", "tail", "ends"]
ItemT = TypeVar("ItemT")
Fits = Callable[[str], bool]
HEAD_SHARE_OF_ENDS = 1 / 3
PROBED_CHARACTERS = 6
"""Characters for each token of a budget that are counted first: most texts have fewer to a token, and end there."""
JOINED_TOKENS = 16
"""Tokens that the end of a start may have beyond those it has in the whole text, where the last words are joined."""
OMISSION = "\n[... cut here ...]\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most a result may cost. Every bound that is set holds, the notice of a cut included.

    `tokens` is counted by the runtime's counter, `bytes` in UTF-8, `lines` by line feeds.
    """

    tokens: int | None = None
    bytes: int | None = None
    lines: int | None = None

    def fits(self, text: str, count: Callable[[str], int]) -> bool:
        """Whether `text` keeps within every bound; bytes first, for they are free to count."""
        if self.bytes is not None and utf8_length(text) > self.bytes:
            return False
        if self.lines is not None and text.count("\n") + 1 > self.lines:
            return False
        # A token has at least one byte, so a text with no more bytes than tokens needs no counting.
        return self.tokens is None or utf8_length(text) <= self.tokens or _has_at_most(self.tokens, text, count)


def _has_at_most(tokens: int, text: str, count: Callable[[str], int]) -> bool:
    """Whether a text has so few tokens; the start of one that is much too long says so, and the rest is not counted."""
    start = tokens * PROBED_CHARACTERS
    while start < len(text):
        if count(text[:start]) > tokens + JOINED_TOKENS:
            return False
        start *= 4
    return count(text) <= tokens


def most_items(items: Sequence[ItemT], keep: Keep, fits: Callable[[Sequence[ItemT]], bool]) -> tuple[ItemT, ...]:
    """The most items that fit, kept from the end that `keep` names; `fits` must be monotone.

    >>> most_items([1, 2, 3, 4], "tail", lambda kept: sum(kept) <= 7)
    (3, 4)
    """
    most = largest(len(items), lambda count: fits(_kept(items, count, keep)))
    return tuple(_kept(items, most, keep))


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `most` that fits, 0 if none does; looked for from below, for the rest may be huge."""
    low, high = 0, min(1, most)
    while high > low and fits(high):
        low, high = high, min(2 * high, most)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _kept(items: Sequence[ItemT], count: int, keep: Keep) -> Sequence[ItemT]:
    if keep == "head":
        return items[:count]
    if keep == "tail":
        return items[len(items) - count :]
    first = round(count * HEAD_SHARE_OF_ENDS)
    return [*items[:first], *items[len(items) - (count - first) :]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCut:
    """A text that was cut: what stays, and how many of its bytes and lines that is."""

    text: str
    shown_bytes: int
    total_bytes: int
    shown_lines: int
    total_lines: int


def cut_text(text: str, keep: Keep, fits: Fits) -> TextCut:
    """The most of `text` that fits, at a line's border where one is near, else between characters.

    `fits` receives the text with its mark of omission, so that the mark counts inside.
    """
    most = largest(len(text), lambda count: fits(_ends(text, count, keep)))
    count = _at_line(text, most, keep)
    kept = _ends(text, count, keep)
    first = round(count * HEAD_SHARE_OF_ENDS)
    shown = kept if keep != "ends" or count >= len(text) else kept[:first] + kept[first + len(OMISSION) :]
    return TextCut(
        text=kept,
        shown_bytes=utf8_length(shown),
        total_bytes=utf8_length(text),
        shown_lines=shown.count("\n") + 1 if shown else 0,
        total_lines=text.count("\n") + 1,
    )


def _ends(text: str, count: int, keep: Keep) -> str:
    if count >= len(text):
        return text
    if keep == "head":
        return text[:count]
    if keep == "tail":
        return text[len(text) - count :]
    first = round(count * HEAD_SHARE_OF_ENDS)
    return text[:first] + OMISSION + text[len(text) - (count - first) :]


def _at_line(text: str, count: int, keep: Keep) -> int:
    """Move a cut back to a line's border when that costs less than half of what is kept."""
    if count >= len(text) or keep == "ends":
        return count
    if keep == "head":
        border = text.rfind("\n", 0, count + 1)
        return border if border > count // 2 else count
    border = text.find("\n", len(text) - count - 1)
    kept = len(text) - border - 1
    return kept if border >= 0 and kept > count // 2 else count
