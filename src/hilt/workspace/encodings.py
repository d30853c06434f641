"""Which encoding the bytes of a file are in, or that they are no text at all.

A byte order mark decides; then strict UTF-8; then a detector, if one is installed, believed only
where its answer decodes every byte. What is left is read as UTF-8 with the wrong bytes shown.
"""

import codecs
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

SAMPLE_BYTES = 64 * 1024
"""How much of a file's start is looked at."""

BINARY_SAMPLE_BYTES = 8 * 1024
"""A NUL within so many first bytes means binary, unless the text is of 16 or 32 bits."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\b\x1b")
_CONTROLS = bytes(byte for byte in range(0x20) if byte not in _TEXT_CONTROLS) + b"\x7f"
_MOST_CONTROLS_UTF8 = 0.3
_MOST_CONTROLS = 0.05
_LEAST_WIDE_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How to read a file's bytes as text.

    `name` is a Python codec's; `mark` the length in bytes of the byte order mark; `known` how it
    was found. With `unknown`, `name` is utf-8 and bytes that are none are to be shown escaped.
    """

    name: str
    mark: int = 0
    known: Literal["mark", "strict", "guessed", "unknown"] = "strict"

    @property
    def wide(self) -> bool:
        """Whether a line's end is more than the one byte LF."""
        return self.name.startswith(("utf-16", "utf-32"))

    @property
    def told(self) -> str:
        """The name as said to a reader; empty for plain UTF-8."""
        if self.known == "unknown":
            return "an unknown encoding"
        with_mark = " with a byte order mark" if self.mark else ""
        if self.name == "utf-8":
            return f"utf-8{with_mark}" if self.mark else ""
        return f"{self.name}{with_mark}{' (guessed)' if self.known == 'guessed' else ''}"


def detect(sample: bytes, *, complete: bool) -> Encoding | None:
    """The encoding of a file by its first bytes; None for what is no text.

    `complete` says that `sample` is the whole file; else a character cut at its end is forgiven.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark) and decodes(sample[len(mark) :], name, complete=complete):
            return Encoding(name=name, mark=len(mark), known="mark")
    if b"\0" in sample[:BINARY_SAMPLE_BYTES]:
        wide = _unmarked_wide(sample, complete=complete)
        return Encoding(name=wide, known="guessed") if wide else None
    controls = _control_share(sample)
    if decodes(sample, "utf-8", complete=complete):
        return Encoding(name="utf-8") if controls <= _MOST_CONTROLS_UTF8 else None
    if controls > _MOST_CONTROLS:
        return None
    guessed = _guess(sample, complete=complete)
    return Encoding(name=guessed, known="guessed") if guessed else Encoding(name="utf-8", known="unknown")


def decodes(content: bytes, encoding: str, *, complete: bool) -> bool:
    """Whether every byte is text of that encoding; with `complete` false, the last character may be cut."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(content, complete)
    except (UnicodeError, LookupError):
        return False
    return True


def _control_share(sample: bytes) -> float:
    return (len(sample) - len(sample.translate(None, _CONTROLS))) / len(sample) if sample else 0.0


def _unmarked_wide(sample: bytes, *, complete: bool) -> str | None:
    """UTF-16 without its mark: NULs stand in every other place, and what they part is text."""
    head = sample[:BINARY_SAMPLE_BYTES]
    if len(head) < _LEAST_WIDE_BYTES:
        return None
    for name, empty, full in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        mostly = empty.count(0) > len(empty) * 0.6
        if (
            mostly
            and 0 not in full
            and _control_share(full) <= _MOST_CONTROLS
            and decodes(sample, name, complete=complete)
        ):
            return name
    return None


def _guess(sample: bytes, *, complete: bool) -> str | None:
    """What an installed detector says, where its answer fits every byte and keeps LF one byte."""
    for ask in (_ask_resiliparse, _ask_charset_normalizer):
        name = _codec(ask(sample))
        if name and name not in ("utf-8", "ascii") and decodes(sample, name, complete=complete):
            return name
    return None


def _codec(name: str | None) -> str | None:
    """Python's name of an encoding in which LF is the byte 0x0A; None for any other."""
    if not name:
        return None
    try:
        codec = codecs.lookup(name)
        return codec.name if codec.decode(b"\n")[0] == "\n" and codec.encode("\n")[0] == b"\n" else None
    except (LookupError, UnicodeError, TypeError):
        return None


def _ask_resiliparse(sample: bytes) -> str | None:
    module = _installed("resiliparse.parse.encoding")
    ask: Callable[[bytes], object] | None = getattr(module, "detect_encoding", None)
    answer = ask(sample) if ask else None
    return answer if isinstance(answer, str) else None


def _ask_charset_normalizer(sample: bytes) -> str | None:
    module = _installed("charset_normalizer")
    if module is None:
        return None
    best: object = module.from_bytes(sample).best()
    answer: object = getattr(best, "encoding", None)
    return answer if isinstance(answer, str) else None


def _installed(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
