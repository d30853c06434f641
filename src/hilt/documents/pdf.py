"""PDF pages as text; a page without text, such as a scan, as a picture.

PDFium is C++ and not safe in several threads at once, so one lock serialises it. It runs in this
process: a hostile file that breaks PDFium breaks the process.
"""

import importlib
import re
import threading
from dataclasses import dataclass
from typing import Any

from anyio import from_thread, to_thread

from hilt.documents.pdf_notes import notes_of
from hilt.documents.png import png
from hilt.results.failures import EnvironmentFailure, InvalidArguments

PDF_BYTES = 64 * 1024**2
"""The largest PDF that is read; it is held in memory while it is."""

PICTURE_PIXELS = 1568
"""The longer side of a rendered page, in pixels: more is scaled down by providers anyway."""

MOST_PICTURES = 4
"""The most pages of one call that are rendered."""

IMAGE_DEPTH = 2
"""Forms inside one another that are looked through for pictures."""

_PASSWORD, _IMAGE = 4, 3
_RANGE = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfPage:
    """One page, from 1. `picture` is a PNG, made only of a page that has no text."""

    number: int
    text: str
    picture: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfPages:
    """The pages read and how many the document has."""

    pages: tuple[PdfPage, ...]
    count: int


def page_range(pages: str) -> tuple[int, int]:
    """The first and last page of "3" or "2-5". Raises InvalidArguments for anything else."""
    match = _RANGE.fullmatch(pages.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        raise InvalidArguments(
            f"pages {pages!r} is no page range", 'give one page "3" or a range "2-5", counted from 1'
        )
    return first, last


async def read_pdf(content: bytes, name: str, first: int, last: int, *, most_bytes: int) -> PdfPages:
    """Pages `first` to `last` as far as the document and `most_bytes` of text go, at least one.

    Raises InvalidArguments where `first` is past the end, EnvironmentFailure for a document that
    is encrypted or broken, and where the extra `documents` is not installed.
    """
    return await to_thread.run_sync(_read, content, name, range(first, last + 1), most_bytes)


def _read(content: bytes, name: str, wanted: range, most_bytes: int) -> PdfPages:
    pdfium = library(name)
    with ONE_AT_A_TIME:
        document = opened(pdfium, content, name)
        try:
            count = len(document)
            if wanted.start > count:
                raise InvalidArguments(
                    f"page {wanted.start} is past the end: {name} has {count} pages", f"give pages up to {count}"
                )
            return PdfPages(pages=_pages(document, name, wanted, count, most_bytes), count=count)
        finally:
            document.close()


def library(name: str) -> Any:  # Any: pypdfium2 has no types
    try:
        return importlib.import_module("pypdfium2")
    except ImportError:
        raise EnvironmentFailure(
            f"{name} is a PDF, and reading PDF needs the extra hilt[documents], which is not installed",
            "read another form of the document",
            "ask the person to run: uv pip install 'hilt[documents]'",
        ) from None


def opened(pdfium: Any, content: bytes, name: str) -> Any:  # Any: pypdfium2 has no types
    try:
        document = pdfium.PdfDocument(content)
        document.init_forms()  # before any page is loaded, or fields are seen without what they inherit
        return document
    except pdfium.PdfiumError as error:
        if error.err_code == _PASSWORD:
            raise EnvironmentFailure(
                f"{name} is encrypted and needs a password", "ask the person for a copy without a password"
            ) from None
        raise EnvironmentFailure(
            f"{name} is broken: it begins as a PDF but cannot be opened as one ({len(content):,} bytes)",
            "ask the person for the file again, or read another form of it",
        ) from None


def _pages(document: Any, name: str, wanted: range, count: int, most_bytes: int) -> tuple[PdfPage, ...]:
    pages: list[PdfPage] = []
    room = most_bytes
    pictures = 0
    for number in wanted:
        if number > count or pictures == MOST_PICTURES:
            break
        from_thread.check_cancelled()
        page = page_of(document, number, name)
        cost = len(page.text.encode())
        if pages and cost > room:
            break
        room -= cost
        pictures += page.picture is not None
        pages.append(page)
    return tuple(pages)


def page_of(document: Any, number: int, name: str) -> PdfPage:  # Any: pypdfium2 has no types
    try:
        page = document[number - 1]
    except RuntimeError:
        raise EnvironmentFailure(f"page {number} of {name} is broken", "give other pages") from None
    reader = page.get_textpage()
    try:
        text = _clean(str(reader.get_text_range()))
    finally:
        reader.close()
    try:
        if not text.strip():
            return PdfPage(number=number, text=text, picture=_picture(page))
        return PdfPage(number=number, text="\n".join((text.rstrip(), *map(_clean, notes_of(document, page)))))
    finally:
        page.close()


def images_on(document: Any, number: int) -> int:  # Any: pypdfium2 has no types
    """How many pictures stand on a page that could be read."""
    page = document[number - 1]
    try:
        return sum(1 for _ in page.get_objects(filter=(_IMAGE,), max_depth=IMAGE_DEPTH))
    except RuntimeError:
        return 0
    finally:
        page.close()


def _clean(text: str) -> str:
    """LF line ends, no NUL, no half surrogate pair: what PDFs give and JSON or a provider would not take."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return plain.encode("utf-8", "backslashreplace").decode()


def _picture(page: Any) -> bytes:  # Any: pypdfium2 has no types
    """The page as a PNG. Rows of the bitmap are three bytes a pixel, red first."""
    bitmap = page.render(scale=PICTURE_PIXELS / max(*page.get_size(), 1), rev_byteorder=True)
    try:
        return png(bytes(bitmap.buffer), int(bitmap.width), int(bitmap.height), stride=int(bitmap.stride))
    finally:
        bitmap.close()
