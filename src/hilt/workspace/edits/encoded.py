"""The bytes of a text file and the characters they stand for, so that one can be found by the other.

Nothing here encodes again what it decoded: a place is always told in bytes of the file as it is.
"""

import codecs
import re
from collections.abc import Iterator
from functools import cached_property

from hilt.workspace.encodings import SAMPLE_BYTES, Encoding, decodes, detect
from hilt.workspace.text import decode

GLIMPSE_BYTES = 400
"""The most shown of a line on either side of a place in it."""

_LINE_FEED = re.compile(rb"\n")
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}


def whole_encoding(content: bytes) -> Encoding | None:
    """The encoding of a whole file, as `detect` finds it; None for what is no text.

    A detector that guesses is shown the neighbourhood of the first byte that is no UTF-8, and
    believed where its answer decodes everything.
    """
    if len(content) <= SAMPLE_BYTES:
        return detect(content, complete=True)
    found = detect(content[:SAMPLE_BYTES], complete=False)
    if found is None or found.wide or (found.name == "utf-8" and content.isascii()):
        return found
    wrong = _first_undecodable(content)
    if wrong is None:
        return found if found.mark else Encoding(name="utf-8")
    first = max(content.rfind(b"\n", 0, max(0, wrong - SAMPLE_BYTES // 2)), 0)
    guess = detect(content[first : first + SAMPLE_BYTES], complete=False)
    if guess is not None and guess.known == "guessed" and decodes(content, guess.name, complete=True):
        return guess
    return Encoding(name="utf-8", mark=found.mark, known="unknown")


def _first_undecodable(content: bytes) -> int | None:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


class EncodedText:
    """One file's content. `unit` is the bytes of its smallest character, 1 but in UTF-16 and UTF-32."""

    def __init__(self, content: bytes, encoding: Encoding) -> None:
        self.content = content
        self.encoding = encoding
        self.unit = _UNITS.get(encoding.name, 1)
        self._known = (0, encoding.mark)  # a character and its byte: places are asked for from the start to the end

    @property
    def mark(self) -> bytes:
        """The byte order mark, if the file has one."""
        return self.content[: self.encoding.mark]

    @cached_property
    def text(self) -> str:
        """The characters behind the byte order mark; bytes that are none as lone surrogates."""
        body = self.content[self.encoding.mark :]
        return body[: len(body) - len(body) % self.unit].decode(self.encoding.name, self._errors)

    def reads(self, start: int, end: int, text: str) -> bool:
        """Whether two bytes are borders of characters, and what stands between them is `text`."""
        try:
            return self._decoded(start, end) == text
        except UnicodeDecodeError:
            return False

    def encoded(self, text: str) -> bytes | None:
        """The bytes of `text` in this file's encoding; None where it cannot hold them."""
        try:
            return text.encode(self.encoding.name)
        except UnicodeEncodeError:
            return None

    def byte_at(self, character: int) -> int:
        """The byte at which the character of that index in `text` begins."""
        if self.text.isascii():
            return self.encoding.mark + character * self.unit
        known, at = self._known if self._known[0] <= character else (0, self.encoding.mark)
        between = self.text[known:character]
        encoded = between.encode(self.encoding.name, self._errors) if self._exact else self.encoded(between)
        end = at + len(encoded or b"")
        if encoded is None or not (self._exact or self.reads(at, end, between)):
            end = self._walked(character)
        self._known = (character, end)
        return end

    def find_all(self, needle: bytes, start: int | None = None) -> Iterator[int]:
        """Every byte offset at which `needle` stands as whole characters, overlapping ones too."""
        at = self.content.find(needle, self.encoding.mark if start is None else start)
        while at >= 0:
            if self._between_characters(at):
                yield at
            at = self.content.find(needle, at + 1)

    def count(self, needle: bytes) -> int | None:
        """How often `needle` stands without overlap; None where only `find_all` tells whole characters from parts."""
        return self.content.count(needle, self.encoding.mark) if self.unit == 1 and self._exact else None

    def line_of(self, at: int) -> int:
        """The number, from 1, of the line that holds byte `at`."""
        return self.feeds(0, at) + 1

    def line_start(self, at: int) -> int:
        """The byte at which the line that holds byte `at` begins."""
        feed = self._feed
        found = self.content.rfind(feed, self.encoding.mark, at)
        while found >= 0 and not self._between_characters(found):
            found = self.content.rfind(feed, self.encoding.mark, found + len(feed) - 1)
        return self.encoding.mark if found < 0 else found + len(feed)

    def line_end(self, at: int) -> int:
        """The byte before which the line that holds byte `at` ends, its own ending not counted."""
        return next(self.find_all(self._feed, at), len(self.content))

    def shown(self, start: int, end: int) -> str:
        """The text between two bytes; what is no text as `\\xNN`."""
        return decode(self.content[start:end], self.encoding.name)[0]

    def feeds(self, start: int, end: int) -> int:
        """How many line ends stand between two bytes."""
        if self.unit == 1:
            return self.content.count(b"\n", start, end)
        return self._decoded(max(start, self.encoding.mark), end).count("\n")

    def feeds_of(self, encoded: bytes) -> int:
        """The same of text in this file's encoding."""
        return encoded.count(b"\n") if self.unit == 1 else encoded.decode(self.encoding.name, self._errors).count("\n")

    def ends_line(self, encoded: bytes) -> bool:
        """Whether text in this file's encoding ends with a line's end."""
        return encoded[-self.unit :] == self._feed

    def glimpse(self, at: int, before: int | None = None) -> str:
        """A little of the line that holds byte `at`; of a long line only from some `before` bytes ahead of it."""
        most = GLIMPSE_BYTES if before is None else before
        first, last = self.line_start(at), min(self.line_end(at), at + GLIMPSE_BYTES)
        if at - first > most:
            start = at if before is None else at - before + before % self.unit
            return self.content[start:last].decode(self.encoding.name, "ignore")
        return self.shown(first, last)

    @cached_property
    def only_ending(self) -> str:
        """The one kind of line ending that the file has throughout; empty for LF, none and several."""
        if self.unit == 1 and b"\r" not in self.content:
            return ""
        counts = {end: self.text.count(end) for end in ("\r\n", "\r", "\n")}
        if counts["\n"] == 0 < counts["\r"]:
            return "\r"
        return "\r\n" if counts["\r\n"] == counts["\n"] == counts["\r"] > 0 else ""

    @property
    def mixed_endings(self) -> bool:
        """Whether some lines end in CRLF, and not all."""
        return (self.unit > 1 or b"\r\n" in self.content) and "\r\n" in self.text and not self.only_ending

    @property
    def _feed(self) -> bytes:
        return "\n".encode(self.encoding.name)

    @property
    def _errors(self) -> str:
        return "surrogatepass" if self.unit > 1 else "surrogateescape" if self.encoding.name == "utf-8" else "strict"

    @cached_property
    def _exact(self) -> bool:
        """Whether text that was decoded always encodes to the bytes it came from."""
        return self.unit > 1 or self.encoding.name in ("utf-8", "ascii", "iso8859-1")

    def _decoded(self, start: int, end: int) -> str:
        return self.content[start:end].decode(self.encoding.name, self._errors)

    def _walked(self, character: int) -> int:
        """The same as `byte_at` for encodings that write one character in several ways: a byte at a time."""
        line = self.text.count("\n", 0, character)
        left = character - (self.text.rfind("\n", 0, character) + 1)
        at = self.encoding.mark
        for _, feed in zip(range(line), _LINE_FEED.finditer(self.content, at), strict=False):
            at = feed.end()
        decoder = codecs.getincrementaldecoder(self.encoding.name)()
        while left > 0:
            left -= len(decoder.decode(self.content[at : at + 1]))
            at += 1
        return at

    def _between_characters(self, at: int) -> bool:
        if self.unit > 1:
            return at < self.encoding.mark or (at - self.encoding.mark) % self.unit == 0
        if self._exact:
            return True
        line = self.content.rfind(b"\n", 0, at) + 1
        decoder = codecs.getincrementaldecoder(self.encoding.name)()
        decoder.decode(self.content[line:at])
        return not decoder.getstate()[0]
