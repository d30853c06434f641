"""What a program wrote, as text a reader can use: terminal codes acted on, odd bytes visible, repeats folded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FOLDED_FROM = 3
"""Equal lines in a row from which they are shown once, with their number."""
_LONG_RUN = 8

# ECMA-48: control sequences, strings up to their terminator, and the short escapes.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_UNSEEN = re.compile(r"([\x00-\x08\x0b-\x1f\x7f])\1*")
_UNDECODED = re.compile(r"\\x[89a-f][0-9a-f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line as shown. `number` counts the log's own lines from 1; `stands_for` how many of them this is."""

    number: int
    text: str
    stands_for: int = 1


@dataclass(slots=True, kw_only=True)
class Changes:
    """What was done to a text on the way, for the reader to be told."""

    codes: bool = False
    frames: int = 0
    odd_bytes: int = 0
    folded: int = 0

    @property
    def reduced(self) -> bool:
        """Whether something that was written is not shown."""
        return self.codes or self.frames > 0 or self.folded > 0

    def told(self) -> Iterator[str]:
        if self.codes or self.frames:
            frames = f", {self.frames:,} overwritten frames" if self.frames else ""
            yield f"terminal codes{frames} left out" if self.codes else f"{self.frames:,} overwritten frames left out"
        if self.folded:
            yield f"{self.folded:,} repeated lines folded"
        if self.odd_bytes:
            yield f"{self.odd_bytes:,} bytes that are no text stand as \\xNN"


def readable_lines(raw: bytes, first: int, changes: Changes) -> list[Line]:
    r"""The lines of a part of a log that begins with line `first`.

    >>> changes = Changes()
    >>> [line.text for line in readable_lines(b"\r1%\r\x1b[1m2%\x1b[0m\nok\n", 1, changes)], changes.frames
    (['2%', 'ok'], 1)
    """
    text = _decoded(raw, changes)
    ended = text.endswith("\n")
    lines = text.split("\n")
    if ended or not text:
        lines.pop()
    return _folded([_line(line, changes) for line in lines], first, changes)


def _decoded(raw: bytes, changes: Changes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "backslashreplace")
        changes.odd_bytes += len(_UNDECODED.findall(text))
    if "\x1b" in text:
        text, count = _ESCAPES.subn("", text)
        changes.codes = changes.codes or count > 0
    return text


def _line(line: str, changes: Changes) -> str:
    line = line.removesuffix("\r")
    if line.isprintable():
        return line
    if "\r" in line:
        frames = [frame for frame in line.split("\r") if frame]
        changes.frames += max(0, len(frames) - 1)
        line = frames[-1] if frames else ""
    while "\x08" in line and _OVERSTRUCK.search(line):
        line = _OVERSTRUCK.sub("", line)
        changes.codes = True
    return _UNSEEN.sub(lambda found: _visible(found[0], changes), line)


def _visible(run: str, changes: Changes) -> str:
    changes.odd_bytes += len(run)
    one = f"\\x{ord(run[0]):02x}"
    return one * len(run) if len(run) < _LONG_RUN else f"{one}[{len(run):,} of these]"


def _folded(lines: list[str], first: int, changes: Changes) -> list[Line]:
    found: list[Line] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end] == lines[at]:
            end += 1
        found += _run(lines[at], first + at, end - at, changes)
        at = end
    return found


def _run(text: str, number: int, count: int, changes: Changes) -> list[Line]:
    if count < FOLDED_FROM:
        return [Line(number=number + place, text=text) for place in range(count)]
    changes.folded += count - 1
    again = Line(number=number + 1, text=f"[the line above {count - 1:,} more times]", stands_for=count - 1)
    return [Line(number=number, text=text), again]
