"""Documents made by hand for tests: packages of parts, and the smallest OpenDocument and EPUB files."""

import io
import zipfile
from collections.abc import Mapping

OFFICE = (
    'xmlns:office="urn:o" xmlns:text="urn:t" xmlns:table="urn:b" xmlns:draw="urn:d" '
    'xmlns:presentation="urn:p" xmlns:xlink="urn:x" xmlns:dc="urn:c"'
)
WORD = 'xmlns:w="urn:w" xmlns:r="urn:r" xmlns:a="urn:a"'
TYPES = '<Types xmlns="urn:types"/>'


def package(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP of these parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def relations(**targets: str) -> str:
    """A part of relations: ids to "type target"."""
    each = "".join(
        f'<Relationship Id="{ident}" Type="urn:x/{told.split()[0]}" Target="{told.split()[1]}"/>'
        for ident, told in targets.items()
    )
    return f"<Relationships>{each}</Relationships>"


def open_document(kind: str, body: str, **parts: str | bytes) -> bytes:
    """An OpenDocument file: `kind` is text, spreadsheet or presentation."""
    content = f"<office:document-content {OFFICE}><office:body>{body}</office:body></office:document-content>"
    media = f"application/vnd.oasis.opendocument.{kind}"
    return package({"mimetype": media, "content.xml": content, **parts})


def word(body: str, **parts: str | bytes) -> bytes:
    """A Word document; `parts` are further ones, with / written as __ and . as _DOT_."""
    named = {name.replace("__", "/").replace("_DOT_", "."): content for name, content in parts.items()}
    document = f"<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return package({"[Content_Types].xml": TYPES, "word/document.xml": document, **named})


def workbook(rows: str, *, around: str = "", strings: str = "", styles: str = "", main: str = "") -> bytes:
    """An Excel workbook of one sheet named S, its rows and what stands behind them as XML."""
    sheet = '<sheet name="S" r:id="r1"/>'
    return package(
        {
            "[Content_Types].xml": TYPES,
            "xl/workbook.xml": f'<workbook xmlns:r="urn:r">{main}<sheets>{sheet}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(r1="worksheet worksheets/s.xml"),
            "xl/worksheets/s.xml": f"<worksheet><sheetData>{rows}</sheetData>{around}</worksheet>",
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            "xl/styles.xml": f"<styleSheet>{styles}</styleSheet>",
        }
    )


def epub(*chapters: str, **parts: str | bytes) -> bytes:
    """A book of these chapters, each the body of a page."""
    items = "".join(f'<item id="c{number}" href="c{number}.xhtml"/>' for number in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    listed = (
        f"<package><metadata><title>Book</title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    pages = {f"O/c{number}.xhtml": f"<html><body>{text}</body></html>" for number, text in enumerate(chapters)}
    named = {name.replace("__", "/").replace("_DOT_", "."): content for name, content in parts.items()}
    return package(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>',
            "O/b.opf": listed,
            **pages,
            **named,
        }
    )
