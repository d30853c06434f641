"""A PDF as pieces: its pages in order, long ones in several, those without text as pictures."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hilt.documents import pdf, trouble
from hilt.documents.numbered import Numbered, Title
from hilt.documents.pieces import Block, Reading, Seen, blocks
from hilt.documents.source import Source

MOST_TITLES = 2_000
DEEPEST_TITLE = 3
"""Titles of lower rank in a PDF's contents are left out."""


@dataclass(slots=True, kw_only=True)
class _Pages:
    """The pages as they are read, and which of them had no text."""

    document: Any  # Any: pypdfium2 has no types
    name: str
    without_text: Seen = field(default_factory=Seen)
    images: Seen = field(default_factory=Seen)

    def blocks(self, number: int) -> Iterator[Block]:
        page = pdf.page_of(self.document, number, self.name)
        images = pdf.images_on(self.document, number)
        if images and page.picture is None:
            self.images.add(f"page {number} ({images})")
        if page.picture is not None:
            self.without_text.add(str(number))
            yield Block(text="", place=f"page {number}", picture=page.picture)
            return
        yield from blocks(page.text.strip("\n"), place=f"page {number}")

    def titles(self) -> list[Title]:
        """The contents a PDF brings along, each with the pages up to the next title of its rank."""
        marks = list(self._marks())
        found: list[Title] = []
        for place, mark in enumerate(marks):
            ends = (other.first for other in marks[place + 1 :] if other.level <= mark.level)
            last = max(mark.first, next(ends, len(self.document)))
            found.append(Title(text=mark.text, first=mark.first, last=last, level=mark.level))
        return found

    def _marks(self) -> Iterator[Title]:
        """None where they are broken, for the pages can be read without."""
        count = len(self.document)
        try:
            for number, mark in enumerate(self.document.get_toc()):
                target = mark.get_dest()
                page = target.get_index() if target else None
                if number == MOST_TITLES:
                    return
                if isinstance(page, int) and 0 <= page < count and mark.level < DEEPEST_TITLE:
                    text = " ".join(str(mark.get_title()).split())
                    yield Title(text=text, first=page + 1, last=count, level=int(mark.level) + 1)
        except (RuntimeError, ValueError):
            return

    def facts(self) -> Iterator[str]:
        if self.images:
            yield f"images beside the text, not shown: {self.images}"
        if self.without_text:
            yield f"without text, such as scans, and shown as pictures: page {self.without_text}"


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Pages of a PDF: `part` is "3", "2-5" or a title of its contents. Raises as `pdf.read_pdf` does."""
    if source.size > pdf.PDF_BYTES:
        raise trouble.too_large(source.name, "the whole", source.size, pdf.PDF_BYTES)
    content = source.whole(pdf.PDF_BYTES)
    pdfium = pdf.library(source.name)
    with pdf.ONE_AT_A_TIME:
        document = pdf.opened(pdfium, content, source.name)
        try:
            pages = _Pages(document=document, name=source.name)
            numbered = Numbered(
                noun="page", count=len(document), blocks=pages.blocks, titles=pages.titles, facts=pages.facts
            )
            yield numbered.reading(part, source.name)
        finally:
            document.close()
