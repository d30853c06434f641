"""An EPUB book as blocks: its chapters in the order they are read."""

import posixpath
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from hilt.documents import media, sections, trouble
from hilt.documents.html import HtmlText, decoded
from hilt.documents.package import Package, attribute, children, local
from hilt.documents.pieces import Block, Reading, Seen
from hilt.documents.source import Source

CHAPTER_BYTES = 16 * 1024**2
BOOK_BYTES = 64 * 1024**2
"""The most text of one book that is read."""

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FACTS = ("title", "creator", "language", "date")


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """All of a book, or the chapter or section under the heading that `part` names."""
    with Package(source, "an EPUB book") as package:
        yield media.shown(package, part) or _reading(package, source, part)


def _reading(package: Package, source: Source, part: str | None) -> Reading:
    main = _main(package)
    root = package.tree(main)
    chapters = list(_spine(root, posixpath.dirname(main)))
    _refuse_locked(package, chapters)
    page = HtmlText(name=source.name, what="an EPUB book")
    missing = Seen()
    found = list(_chapters(package, source, page, chapters, missing))

    def facts() -> Iterator[str]:
        told = [f"{local(each)}: {text}" for each in children(root, "metadata") if (text := _said(each))]
        if told and part is None:
            yield "; ".join(told)
        if missing:
            yield f"chapters that are named but not in the file: {missing}"
        yield from (fact for fact in page.facts() if not fact.startswith("images"))
        yield from media.listed(package, filter(media.is_picture, package.names))

    reading = sections.reading(found, part, source.name, facts=facts)
    count = f"{len(chapters):,} {'chapter' if len(chapters) == 1 else 'chapters'}"
    reading.told = f"{count}, {reading.told}"
    return reading


def _chapters(package: Package, source: Source, page: HtmlText, chapters: list[str], missing: Seen) -> Iterator[Block]:
    room = BOOK_BYTES
    for number, chapter in enumerate(chapters, 1):
        if not package.has(chapter):
            missing.add(chapter)
            continue
        room -= package.size(chapter)
        if room < 0:
            raise trouble.too_large(source.name, "the text", BOOK_BYTES - room, BOOK_BYTES)
        text, _ = decoded(package.content(chapter, CHAPTER_BYTES), source)
        yield from page.blocks(text, f"chapter {number}")


def _main(package: Package) -> str:
    """The part that lists all others."""
    for each in package.tree(_CONTAINER).iter():
        if local(each) == "rootfile" and attribute(each, "full-path"):
            return attribute(each, "full-path")
    raise package.broken("it names no list of its chapters")


def _spine(root: Element, folder: str) -> Iterator[str]:
    """The parts of the chapters in the order they are read."""
    targets = {attribute(each, "id"): attribute(each, "href") for each in children(root, "manifest")}
    for each in children(root, "spine"):
        target = targets.get(attribute(each, "idref"))
        if target:
            yield posixpath.normpath(posixpath.join(folder, unquote(target.partition("#")[0])))


def _refuse_locked(package: Package, chapters: list[str]) -> None:
    """Scrambled fonts are common and no matter; scrambled chapters cannot be read."""
    names = {chapter.lower() for chapter in chapters}
    for each in package.optional_tree(_ENCRYPTION).iter():
        if local(each) == "CipherReference" and unquote(attribute(each, "URI")).lower() in names:
            raise trouble.encrypted(package.name, "its chapters are protected")


def _said(element: Element) -> str:
    return (element.text or "").strip() if local(element) in _FACTS else ""
