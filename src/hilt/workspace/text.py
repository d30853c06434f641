"""The one definition of a line, and where a text may be cut.

A line ends at LF. A CR directly before that LF belongs to the ending. Nothing else ends a line:
not form feed, not U+2028 or U+0085, not a lone CR (`str.splitlines` disagrees; ripgrep and sed
agree). A last line without an ending counts.
"""

import codecs
from typing import Literal

Newlines = Literal["lf", "crlf", "mixed", "none"]

_CONTINUES, _TOP_BITS = 0x80, 0xC0
_LONGEST_CHARACTER = 4


def split_lines(text: str) -> list[str]:
    r"""The lines of a text, without their endings.

    >>> split_lines("a\r\nb\x0cc\rd\u2028e\n")
    ['a', 'b\x0cc\rd\u2028e']
    """
    lines = text.split("\n")
    last = lines.pop()
    ended = [line.removesuffix("\r") for line in lines]
    return [*ended, last] if last else ended


def count_lines(content: bytes) -> int:
    r"""The number of lines in ASCII-compatible bytes.

    >>> count_lines(b"a\nb"), count_lines(b"a\n"), count_lines(b"")
    (2, 1, 0)
    """
    return content.count(b"\n") + (content[-1:] not in (b"", b"\n"))


def newlines(text: str) -> Newlines:
    """Which line endings a text has."""
    every, crlf = text.count("\n"), text.count("\r\n")
    if not every:
        return "none"
    if not crlf:
        return "lf"
    return "crlf" if crlf == every else "mixed"


def clip(text: str, most_bytes: int) -> str:
    """The longest start of `text` with at most `most_bytes` bytes of UTF-8, never half a character."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= most_bytes:
        return text
    return encoded[: boundary(encoded, most_bytes)].decode("utf-8", "surrogatepass")


def boundary(content: bytes, at: int, encoding: str = "utf-8") -> int:
    """The last place between two characters that is not after byte `at`, at least 0.

    For bytes that are no UTF-8 at that place, `at` itself. Other encodings are read from the
    start of `content`, which must be a boundary.
    """
    if at >= len(content):
        return len(content)
    if encoding == "utf-8":
        for back in range(min(_LONGEST_CHARACTER, at + 1)):
            if content[at - back] & _TOP_BITS != _CONTINUES:
                return at - back if _one_character(content[at - back : at - back + _LONGEST_CHARACTER]) else at
        return at
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    decoder.decode(content[:at])
    return at - len(decoder.getstate()[0])


def _one_character(content: bytes) -> bool:
    """Whether UTF-8 of one whole character stands first."""
    first = content[:1]
    if first < b"\xc2":
        return True
    length = 2 if first < b"\xe0" else 3 if first < b"\xf0" else 4
    try:
        content[:length].decode()
    except UnicodeDecodeError:
        return False
    return True


def decode(content: bytes, encoding: str) -> tuple[str, int]:
    r"""Text of `content`, bytes that are no text of that encoding as `\xe9`; and how many those were.

    >>> decode(b"caf\xe9", "utf-8")
    ('caf\\xe9', 1)
    """
    try:
        return content.decode(encoding), 0
    except UnicodeDecodeError:
        marked = content.decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
        wrong = sum(1 for character in marked if character == "\ufffd" or "\udc80" <= character <= "\udcff")
        return content.decode(encoding, "backslashreplace"), wrong


def without_surrogates(text: str) -> str:
    """A text that always encodes: half surrogate pairs, which JSON can carry, as `\\ud800`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
