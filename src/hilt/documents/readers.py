"""Which reader reads which type."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from hilt.documents import delimited, epub, html, open_document, open_sheet, pdf_reading, slides, word, workbook
from hilt.documents.formats import FileType
from hilt.documents.pieces import Reading
from hilt.documents.source import Source

Reader = Callable[[Source, str | None], AbstractContextManager[Reading]]

READERS: Mapping[FileType, Reader] = {
    "pdf": pdf_reading.read,
    "docx": word.read,
    "pptx": slides.read,
    "xlsx": workbook.read,
    "csv": delimited.read,
    "html": html.read,
    "epub": epub.read,
    "odt": open_document.read_text,
    "ods": open_sheet.read,
    "odp": open_document.read_slides,
}
