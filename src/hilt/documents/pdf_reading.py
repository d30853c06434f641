"""A PDF as pieces: its pages in order, long ones in several, those without text as pictures."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hilt.documents import pdf, trouble
from hilt.documents.pieces import Block, Onward, Piece, Reading, blocks, outline
from hilt.documents.source import Source
from hilt.results.failures import InvalidArguments

MOST_BOOKMARKS = 2_000
_DEEPEST_BOOKMARK = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """One line of a PDF's own table of contents; `page` counts from 1."""

    title: str
    page: int
    level: int


@dataclass(slots=True, kw_only=True)
class _Pages:
    """The pages as they are read: where each began, counted in pieces, and which had no text."""

    document: Any  # Any: pypdfium2 has no types
    name: str
    first: int
    last: int
    starts: list[int] = field(default_factory=list[int])
    without_text: list[int] = field(default_factory=list[int])

    def pieces(self) -> Iterator[Piece]:
        count = 0
        for number in range(self.first, self.last + 1):
            self.starts.append(count)
            for piece in self._page(number):
                count += 1
                yield piece

    def onward(self, read: int) -> Onward:
        """The call behind the first `read` pieces: from the page that holds the next one."""
        behind = max(place for place, start in enumerate(self.starts) if start <= read)
        shown = behind if self.starts[behind] == read else behind + 1
        return Onward(
            part=f"{self.first + behind}-{self.last}",
            offset=read - self.starts[behind] + 1,
            shown=shown,
            total=self.last - self.first + 1,
        )

    def facts(self) -> Iterator[str]:
        if self.without_text:
            numbers = ", ".join(map(str, self.without_text))
            yield f"without text, such as scans, and shown as pictures: page {numbers}"

    def _page(self, number: int) -> Iterator[Block]:
        page = pdf.page_of(self.document, number, self.name)
        if page.picture is not None:
            self.without_text.append(number)
            yield Block(text="", place=f"page {number}", picture=page.picture)
            return
        yield from blocks(page.text.strip("\n"), place=f"page {number}")


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Pages of a PDF: `part` is "3", "2-5" or a title of its contents. Raises as `pdf.read_pdf` does."""
    if source.size > pdf.PDF_BYTES:
        raise trouble.too_large(source.name, "the PDF", source.size, pdf.PDF_BYTES)
    content = source.whole(pdf.PDF_BYTES)
    pdfium = pdf.library(source.name)
    with pdf.ONE_AT_A_TIME:
        document = pdf.opened(pdfium, content, source.name)
        try:
            yield _reading(document, source.name, part)
        finally:
            document.close()


def _reading(document: Any, name: str, part: str | None) -> Reading:  # Any: pypdfium2 has no types
    count = len(document)
    marks = _bookmarks(document)
    first, last = _wanted(part, marks, count, name)
    pages = _Pages(document=document, name=name, first=first, last=min(last, count))
    span = f"pages {first}-{pages.last}" if first < pages.last else f"page {first}"
    return Reading(
        told=f"{span} of {count}" if part else f"{count} {'page' if count == 1 else 'pages'}",
        pieces=pages.pieces(),
        outline=outline([f"{'  ' * mark.level}{mark.title} (page {mark.page})" for mark in marks], "titles"),
        counted=False,
        facts=pages.facts,
        onward=pages.onward,
    )


def _wanted(part: str | None, marks: list[Bookmark], count: int, name: str) -> tuple[int, int]:
    if part is None:
        return 1, count
    titled = _titled(part, marks, count)
    first, last = titled or pdf.page_range(part)
    if first > count:
        raise InvalidArguments(
            f"page {first} is past the end: {name} has {count} {'page' if count == 1 else 'pages'}",
            f"give pages up to {count}",
        )
    return first, last


def _titled(part: str, marks: list[Bookmark], count: int) -> tuple[int, int] | None:
    """The pages from a title to the page on which the next title of its rank stands."""
    asked = part.casefold().strip()
    for place, mark in enumerate(marks):
        if mark.title.casefold() == asked:
            ends = (other.page for other in marks[place + 1 :] if other.level <= mark.level)
            return mark.page, max(mark.page, next(ends, count))
    return None


def _bookmarks(document: Any) -> list[Bookmark]:  # Any: pypdfium2 has no types
    """The contents a PDF brings along; none where they are broken, for the pages can be read without."""
    found: list[Bookmark] = []
    try:
        for mark in document.get_toc(max_depth=_DEEPEST_BOOKMARK):
            target = mark.get_dest()
            page = target.get_index() if target else None
            if isinstance(page, int) and page >= 0 and len(found) < MOST_BOOKMARKS:
                title = " ".join(str(mark.get_title()).split())
                found.append(Bookmark(title=title, page=page + 1, level=int(mark.level)))
    except (RuntimeError, ValueError):
        return found
    return found
