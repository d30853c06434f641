"""A document that is a ZIP of parts: opened with bounds, its XML read without entities.

A ZIP says how large each part will be, and may lie. Each part is unpacked a block at a time and
ends at its bound, whatever was said.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO
from xml.etree import ElementTree

from hilt.documents import trouble
from hilt.documents.source import BeforeBeginning, Source

MOST_PARTS = 50_000
"""The most parts of one package; a book with thousands of pictures has less."""

TREE_BYTES = 32 * 1024**2
"""The largest XML part that is held as a tree: a text of some 5,000 pages."""

STREAMED_BYTES = 1024**3
"""The largest XML part that is read row by row."""

BOMB_BYTES, BOMB_RATIO = 48 * 1024**2, 200
"""More bytes than this, unpacked from less than a 200th of them, are a zip bomb."""

LONGEST_NUMBER = 9
_BLOCK = 1 << 16
_ENCRYPTED = 1
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_FAULTS = (
    BeforeBeginning,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    KeyError,
)
Chosen = Callable[[Iterator[bytes]], Iterator[bytes]]


class Package:
    """The parts of one document. Close it, or use it as a context."""

    def __init__(self, source: Source, kind: str) -> None:
        self.name = source.name
        self.kind = kind
        try:
            self._zip = zipfile.ZipFile(source.stream())
        except _FAULTS as error:
            raise trouble.broken(source.name, kind, f"its list of parts cannot be read ({error})") from None
        self._parts = {entry.filename.lower(): entry for entry in self._zip.infolist()}
        self._check(source.size)

    def __enter__(self) -> "Package":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, as written."""
        return tuple(entry.filename for entry in self._parts.values())

    def has(self, name: str) -> bool:
        return name.lower() in self._parts

    def size(self, name: str) -> int:
        """The bytes that a part says it has; 0 for none."""
        found = self._parts.get(name.lower())
        return found.file_size if found else 0

    def content(self, name: str, most: int = TREE_BYTES) -> bytes:
        """A part, unpacked. Raises EnvironmentFailure where it is missing, broken or larger than `most`."""
        with self.opened(name, most) as part:
            try:
                return part.read()
            except _FAULTS as error:
                raise self.broken(f"its part {name} cannot be unpacked ({error})") from None

    def begin(self, name: str, size: int) -> bytes:
        """The first bytes of a part; none where it cannot be unpacked."""
        try:
            with self._zip.open(self._parts[name.lower()]) as part:
                return part.read(size)
        except _FAULTS:
            return b""

    def opened(self, name: str, most: int = STREAMED_BYTES) -> IO[bytes]:
        """A part as a stream that ends with a failure behind `most` bytes."""
        found = self._parts.get(name.lower())
        if found is None:
            raise self.broken(f"it has no part {name}")
        if found.file_size > most:
            raise trouble.too_large(self.name, f"the part {name}", found.file_size, most)
        try:
            return io.BufferedReader(_Bounded(self._zip.open(found), most, self, found))
        except _FAULTS as error:
            raise self.broken(f"its part {name} cannot be unpacked ({error})") from None

    def tree(self, name: str) -> ElementTree.Element:
        """An XML part as a tree."""
        content = self.content(name)
        self.refuse_declarations(name, content[:_BLOCK])
        try:
            return ElementTree.fromstring(content)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise self.broken(f"its part {name} is no XML ({error})") from None

    def optional_tree(self, name: str) -> ElementTree.Element:
        """As `tree`; an empty element where there is no such part."""
        return self.tree(name) if self.has(name) else ElementTree.Element("none")

    def events(self, name: str, chosen: Chosen = iter) -> Iterator[tuple[str, ElementTree.Element]]:
        """The starts and ends of a large XML part, as they are read; `chosen` may leave out some of its bytes."""
        self.refuse_declarations(name, self.begin(name, _BLOCK))
        parser: ElementTree.XMLPullParser[ElementTree.Element] = ElementTree.XMLPullParser(("start", "end"))
        with self.opened(name) as part:
            try:
                for block in chosen(iter(lambda: part.read(_BLOCK), b"")):
                    parser.feed(block)
                    yield from _read_events(parser)
                parser.close()
            except (ElementTree.ParseError, *_FAULTS) as error:
                raise self.broken(f"its part {name} is no XML ({error})") from None

    def refuse_declarations(self, name: str, head: bytes) -> None:
        """No office program writes a DTD; what holds one wants to be expanded. UTF-16 hides none of it."""
        if _DECLARES.search(head.replace(b"\0", b"")):
            raise self.broken(f"its part {name} declares entities, which no such document does")

    def relations(self, part: str) -> Mapping[str, tuple[str, str]]:
        """What a part refers to: its id, the last word of its type, and the target as a part's name."""
        folder, _, file = part.rpartition("/")
        found: dict[str, tuple[str, str]] = {}
        for each in self.optional_tree(posixpath.join(folder, "_rels", f"{file}.rels")).iter():
            target, ident = each.get("Target"), each.get("Id")
            if target and ident:
                inside = each.get("TargetMode") != "External"
                kind = each.get("Type", "").rpartition("/")[2]
                found[ident] = (kind, _resolved(folder, target) if inside else target)
        return found

    def main_part(self, otherwise: str) -> str:
        """The part that the package begins with."""
        for kind, target in self.relations("").values():
            if kind == "officeDocument" and self.has(target):
                return target
        return otherwise

    def too_large(self, part: str, most: int) -> Exception:
        return trouble.too_large(self.name, f"the part {part}", self.size(part), most)

    def broken(self, why: str) -> Exception:
        return trouble.broken(self.name, self.kind, why)

    def _check(self, packed: int) -> None:
        entries = self._zip.infolist()
        if len(entries) > MOST_PARTS:
            raise trouble.too_large(self.name, f"the list of {len(entries):,} parts", len(entries), MOST_PARTS)
        unpacked = sum(entry.file_size for entry in entries)
        self.check_ratio(packed, unpacked)
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            raise trouble.encrypted(self.name)

    def check_ratio(self, packed: int, unpacked: int) -> None:
        """Raises where so much came of so little."""
        if unpacked > BOMB_BYTES and unpacked > packed * BOMB_RATIO:
            raise trouble.bomb(self.name, packed, unpacked)


class _Bounded(io.RawIOBase):
    """A part while it is unpacked: a block at a time, and never past its bound."""

    def __init__(self, part: IO[bytes], most: int, package: Package, entry: zipfile.ZipInfo) -> None:
        super().__init__()
        self._part = part
        self._left = most
        self._given = 0
        self._package = package
        self._entry = entry

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed has WriteableBuffer, which has no name at run time
        block = self._part.read(min(len(buffer), _BLOCK))
        self._given += len(block)
        if self._given > self._left:
            raise trouble.too_large(self._package.name, f"the part {self._entry.filename}", self._given, self._left)
        self._package.check_ratio(max(self._entry.compress_size, 1), self._given)
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._part.close()
        super().close()


def _read_events(parser: "ElementTree.XMLPullParser[ElementTree.Element]") -> Iterator[tuple[str, ElementTree.Element]]:
    for event in parser.read_events():
        if len(event) == 2 and isinstance(event[1], ElementTree.Element):
            yield event[0], event[1]


def local(element: ElementTree.Element) -> str:
    """An element's name without its namespace, of which Office has two for the same thing."""
    return element.tag.rpartition("}")[2]


def attribute(element: ElementTree.Element, name: str, otherwise: str = "") -> str:
    """An attribute by its name without its namespace."""
    found = element.get(name)
    if found is not None:
        return found
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return otherwise


def whole_number(text: str, otherwise: int = 0) -> int:
    """A count as XML has it; `otherwise` for what is none, or absurdly long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else otherwise


def child(element: ElementTree.Element, *path: str) -> ElementTree.Element | None:
    """The first descendant along these names."""
    at: ElementTree.Element | None = element
    for name in path:
        at = next((each for each in at if local(each) == name), None) if at is not None else None
    return at


def children(element: ElementTree.Element, *path: str) -> Sequence[ElementTree.Element]:
    """The elements below the first descendant along these names; none where there is no such one."""
    found = child(element, *path)
    return tuple(found) if found is not None else ()


def _resolved(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
