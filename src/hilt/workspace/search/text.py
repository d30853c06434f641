"""A line as a model may see it: at most so long, cut around what matched, and every byte visible."""

from dataclasses import dataclass

LONGEST_LINE = 500
"""Characters of one line that are shown; more are cut away around the match."""

CUT = "\u2026"
_BEFORE_MATCH = 150
_WIDEST_CHARACTER = 4
_INSIDE, _CONTINUES = 0xC0, 0x80


@dataclass(frozen=True, slots=True)
class Shown:
    """Text to show; whether it was cut, and whether bytes that are not UTF-8 stand in it as `\\xff`."""

    text: str
    cut: bool = False
    escaped: bool = False


def shown_line(line: bytes, column: int = 0, longest: int = LONGEST_LINE) -> Shown:
    """`line` without its end, cut around the byte at `column` (from 0) where it is too long."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    window, left, right = _window(line, column, longest)
    text, escaped = _decoded(window)
    if not (left or right) and len(text) <= longest:
        return Shown(text, escaped=escaped)
    room = longest - len(CUT) * 2
    at = len(_decoded(line[left:column])[0]) if column > left else 0
    start = max(0, min(at - _BEFORE_MATCH, len(text) - room))
    piece = text[start : start + room]
    before = CUT if start or left else ""
    after = CUT if right or start + room < len(text) else ""
    return Shown(f"{before}{piece}{after}", cut=True, escaped=escaped)


def _window(line: bytes, column: int, longest: int) -> tuple[bytes, int, int]:
    """The bytes that can matter, and how many were left out on either side; never half a character."""
    reach = longest * _WIDEST_CHARACTER
    left = max(0, column - reach) if len(line) > reach else 0
    end = min(len(line), column + reach)
    for _ in range(_WIDEST_CHARACTER - 1):
        left -= left > 0 and line[left] & _INSIDE == _CONTINUES
        end += end < len(line) and line[end] & _INSIDE == _CONTINUES
    return line[left:end], left, len(line) - end


def _decoded(raw: bytes) -> tuple[str, bool]:
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", "backslashreplace"), True
