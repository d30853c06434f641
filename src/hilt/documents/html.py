"""An HTML page of the file system as blocks: everything a reader sees, navigation left out and told.

The web's pages are read by `main_text.py`, which looks for the main part; a page that lies in a
folder was put there to be read whole. Links inside the file system are shown as their text.
"""

import codecs
import importlib
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hilt.documents import sections, trouble
from hilt.documents.main_text import DEEP
from hilt.documents.main_text_writer import Writer
from hilt.documents.pieces import Block, Reading, Seen, blocks
from hilt.documents.source import Source

HTML_BYTES = 16 * 1024**2
"""The largest page that is read; it is held as a tree while it is."""

Element = Any  # lxml's elements: the library has no types
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 2048


@dataclass(slots=True, kw_only=True)
class HtmlText:
    """Pages as they are read; what was left out of them is told behind the text."""

    name: str
    what: str
    navigation: int = 0
    local_links: int = 0
    deep: bool = False
    images: Seen = field(default_factory=Seen)

    def blocks(self, text: str, place: str = "") -> Iterator[Block]:
        """The headings, paragraphs, lists, tables and code of one page."""
        root = self._tree(text)
        if root is None:
            return
        body = root.find("body")
        for each in Writer("", _is_navigation).blocks(root if body is None else body):
            yield from blocks(each.title if each.level else each.text.strip("\n"), place=place, level=each.level)

    def facts(self) -> Iterator[str]:
        if self.deep:
            yield "its elements nest deeper than is read: text below them is missing"
        if self.navigation:
            yield f"navigation left out: {self.navigation:,} blocks of links"
        if self.local_links:
            yield f"links to other files, shown without their targets: {self.local_links:,}"
        if self.images:
            yield f"images, not shown: {self.images}"

    def _tree(self, text: str) -> Element | None:
        try:
            etree = importlib.import_module("lxml.etree")
        except ImportError:
            raise trouble.missing_extra(self.name, self.what) from None
        parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
        try:
            root = etree.fromstring(text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace"), parser)
        except etree.XMLSyntaxError:
            return None
        if root is None:
            return None
        self.deep = self.deep or any(DEEP in entry.message for entry in parser.error_log)
        self._look(root)
        return root

    def _look(self, root: Element) -> None:
        self.navigation += sum(map(_is_navigation, root.iter()))
        for each in root.iter("a"):
            target = str(each.get("href") or "")
            self.local_links += bool(target) and not target.startswith("#") and ":" not in target.partition("/")[0]
        for each in root.iter("img"):
            self.images.add(_named(str(each.get("src") or ""), str(each.get("alt") or "")))


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """All of a page, or the section under the heading that `part` names."""
    if source.size > HTML_BYTES:
        raise trouble.too_large(source.name, "the whole", source.size, HTML_BYTES)
    page = HtmlText(name=source.name, what="an HTML page")
    text, told = decoded(source.whole(HTML_BYTES), source)
    found = list(page.blocks(text))
    yield sections.reading(found, part, source.name, facts=_facts(page, told))


def decoded(content: bytes, source: Source) -> tuple[str, str]:
    """The text of a page and how it was read, where that is worth saying: as it declares, else as it looks."""
    if not source.mark:
        match = _CHARSET.search(content[:_HEAD_BYTES])
        name = _codec(match[1].decode("ascii")) if match else ""
        takes_all = name == "cp1252"  # decodes nearly any bytes, also those of UTF-8
        for each in filter(None, ("utf-8", name) if takes_all else (name, "utf-8")):
            try:
                return content.decode(each), "" if each == "utf-8" else f"read as {each}, as it declares"
            except UnicodeDecodeError:
                continue
    told = f"read as {source.told}" if source.told else ""
    return content[source.mark :].decode(source.codec or "utf-8", "backslashreplace"), told


def _codec(name: str) -> str:
    """Python's name of a declared encoding; browsers read Latin-1 as what Windows made of it."""
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return ""
    if found.startswith(("utf-16", "utf-32")):
        return ""
    return "cp1252" if found in ("iso8859-1", "ascii") else found


def _facts(page: HtmlText, told: str) -> Callable[[], Iterator[str]]:
    def facts() -> Iterator[str]:
        if told:
            yield told
        yield from page.facts()

    return facts


def _is_navigation(element: Element) -> bool:
    return element.tag == "nav" or element.get("role") == "navigation"


def _named(source: str, words: str) -> str:
    name = "inline picture" if source.startswith("data:") else source
    return f"{name} ({' '.join(words.split())})" if words.strip() else name
