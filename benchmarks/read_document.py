"""`read_document`: pages 150-151 of a PDF of 300 pages against the two pages of another; rows deep in a large sheet.

The PDFs have pages of one size, so the ratio is what the other 298 cost. The sheet's row is one of many
that are passed on the way to it; beside it stands openpyxl, which reads values alone.
"""

import asyncio
import tempfile
import time
from pathlib import Path

import openpyxl
from measuring import Options, Row, in_turns, medians, options, ratio, report

from hilt import Runtime, Session
from hilt.tools.read_document import read_document
from hilt.workspace import Workspace

LINES_A_PAGE = 50
PAGES, FIRST = 300, 150
ROWS, COLUMNS, AT = 100_000, 10, 90_000


def main(asked: Options) -> None:
    rounds = 21 if asked.full else 9
    with tempfile.TemporaryDirectory() as folder:
        long, short, book = (Path(folder) / name for name in ("long.pdf", "short.pdf", "book.xlsx"))
        long.write_bytes(pdf(PAGES))
        short.write_bytes(pdf(2))
        contenders = {
            "300 pages": lambda: read(long, f"{FIRST}-{FIRST + 1}", 2),
            "2 pages": lambda: read(short, "1-2", 2),
        }
        in_turns(contenders, 2)  # warm: the page cache, imports
        measured = in_turns(contenders, rounds)
        name = "two pages of 300 / both pages of 2"
        report(Row(name=name, goal=3, value=ratio(measured, *contenders), detail=medians(measured, "ms")), asked)
        write_book(book)
        part = f"A{AT}:J{AT + 1}"
        sheets = {"hilt": lambda: read(book, part, 2), "openpyxl": lambda: peer(book)}
        measured = in_turns(sheets, 3 if asked.full else 1)
        name = f"rows at {AT:,} of {ROWS:,} / openpyxl, read-only"
        report(Row(name=name, goal=None, value=ratio(measured, *sheets), detail=medians(measured, "ms")), asked)


def read(path: Path, part: str, items: int) -> float:
    """Milliseconds of one call."""
    return asyncio.run(call(path, part, items))


async def call(path: Path, part: str, items: int) -> float:
    world = Workspace([path.parent])
    runtime = Runtime([read_document], parts={Workspace: world}, resolver=world)
    session = Session()
    await runtime.call(session, "read_document", {})  # on demand: the first call loads it
    started = time.perf_counter()
    result = await runtime.call(session, "read_document", {"path": str(path), "part": part})
    took = (time.perf_counter() - started) * 1e3
    if len(result.items) != items:
        raise SystemExit(f"read_document: not {items} items: {result}"[:500])
    return took


def peer(path: Path) -> float:
    started = time.perf_counter()
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    rows = list(book.worksheets[0].iter_rows(min_row=AT, max_row=AT + 1, values_only=True))
    book.close()
    if len(rows) != 2:
        raise SystemExit("openpyxl: not 2 rows")
    return (time.perf_counter() - started) * 1e3


def write_book(path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("S")
    for number in range(1, ROWS + 1):
        sheet.append([number, f"name {number}", number / 7, *range(COLUMNS - 3)])
    book.save(path)


def pdf(pages: int) -> bytes:
    """A PDF with so many pages of text, and its table of objects."""
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(pages))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {pages}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for page in range(pages):
        lines = " ".join(f"(page {page + 1} line {line} of a long report) ' " for line in range(LINES_A_PAGE))
        stream = f"BT /F1 10 Tf 14 TL 40 780 Td {lines} ET".encode()
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {5 + 2 * page} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return body + head + table + b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (size, len(body))


if __name__ == "__main__":
    main(options(__doc__))
