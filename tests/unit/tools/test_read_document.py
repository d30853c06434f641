"""`read_document`: what a model reads of an office document, a part at a time, and how it goes on."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from hilt import Session
from hilt.calls.answer import Answer
from hilt.documents.paging import PICTURE_COUNT
from hilt.documents.png import png
from hilt.documents.sheet import SMALL_BYTES
from hilt.results.envelope import Status
from hilt.results.parts import Image
from hilt.runtime.runtime import Runtime
from hilt.tools.read_document import PAGE_BYTES, read_document
from hilt.workspace import Workspace
from tests.kit import answered, runtime
from tests.unit.documents.making import epub, word, workbook
from tests.unit.documents.test_pdf import LOCKED, pdf


class Reader:
    """A runtime in which `read_document` is loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime: Runtime = runtime(read_document, parts={Workspace: Workspace([folder])})
        self.session = Session()

    async def read(self, path: str | Path, **arguments: Any) -> Answer:
        await answered(self.runtime, "read_document", "{}", self.session)
        given = {"path": str(self.folder / path), **arguments}
        return await answered(self.runtime, "read_document", json.dumps(given), self.session)

    async def text(self, path: str | Path, **arguments: Any) -> str:
        return (await self.read(path, **arguments)).text

    async def all_items(self, path: str | Path, **arguments: Any) -> list[Any]:
        """Every item, by following `next` to the end."""
        items: list[Any] = []
        wanted: dict[str, Any] = {"path": str(self.folder / path), **arguments}
        for _ in range(200):
            result = (await self.read(**wanted)).result
            assert not result.is_error, result
            items += result.items
            if result.truncation is None:
                return items
            wanted = dict(result.truncation.next)
        raise AssertionError("it never ends")


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


def written(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return name


async def test_pages_of_a_pdf_come_by_their_numbers(reader: Reader) -> None:
    name = written(reader.folder, "a.pdf", pdf(*[f"text {number}" for number in range(1, 31)]))

    assert await reader.text(name, part="15-16") == (
        "a.pdf: PDF, pages 15-16 of 30\n[page 15]\ntext 15\n[page 16]\ntext 16"
    )


async def test_a_pdf_goes_on_by_pages(reader: Reader) -> None:
    name = written(reader.folder, "a.pdf", pdf(*[f"text {number}" for number in range(1, 31)]))
    first = (await reader.read(name, limit=7)).result

    assert first.truncation is not None
    assert (first.truncation.shown, first.truncation.total) == (7, 30)
    assert dict(first.truncation.next) == {"path": str(reader.folder / name), "part": "8-30", "limit": 7}
    items = await reader.all_items(name, limit=7)
    assert [item["text"] for item in items] == [f"text {number}" for number in range(1, 31)]


async def test_a_locked_pdf_is_told_from_a_broken_one(reader: Reader) -> None:
    locked = await reader.text(written(reader.folder, "a.pdf", LOCKED))
    broken = await reader.text(written(reader.folder, "b.pdf", b"%PDF-1.4\nnothing"))

    assert "a.pdf is encrypted and needs a password" in locked
    assert "b.pdf is broken" in broken


async def test_a_csv_is_rows_under_letters_with_what_is_odd_about_it_told(reader: Reader) -> None:
    name = written(reader.folder, "a.csv", b'a;b;c\n1;2;3\n4;"x\ny";6\n7;8\n')

    assert await reader.text(name) == (
        "a.csv: table in text form, semicolon-separated, 4 rows\n"
        "\tA\tB\tC\n1\ta\tb\tc\n2\t1\t2\t3\n3\t4\tx\\ny\t6\n4\t7\t8\n"
        "note: line breaks and tabs inside cells stand as \\n and \\t\n"
        "note: the first row has 3 cells; others have more or fewer: row 4"
    )


async def test_a_long_csv_is_read_to_its_end_without_gap_or_overlap(reader: Reader) -> None:
    lines = "".join(f"{number},{'x' * (number % 90)}\n" for number in range(3_000))
    name = written(reader.folder, "a.csv", lines.encode())
    first = (await reader.read(name)).result

    assert first.truncation is not None
    assert (first.truncation.total, first.truncation.total_is) == (3_000, "exact")
    assert first.truncation.limit.value in (500, PAGE_BYTES)
    items = await reader.all_items(name)
    assert [item["cells"][0] for item in items] == [str(number) for number in range(3_000)]


async def test_cells_of_a_workbook_come_as_a_person_sees_them(reader: Reader) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "Q1"
    sheet.append(["Item", 1, 1.5, 0.125, True])
    sheet["C1"].number_format = '"$"#,##0.00'
    sheet["D1"].number_format = "0.0%"
    sheet["B2"] = "=SUM(B1:B1)"
    book.create_sheet("Other").append([7])
    book.save(reader.folder / "a.xlsx")

    assert await reader.text("a.xlsx") == (
        "a.xlsx: Excel workbook, 2 sheets, sheet Q1, 2 rows\n"
        "\tA\tB\tC\tD\tE\n1\tItem\t1\t$1.50\t12.5%\tTRUE\n2\t\t=SUM(B1:B1) -> (not calculated)\n"
        "note: parts: Q1 (A1:E2) | Other (A1:A1)\n"
        "note: formulas without a value, for whoever wrote the file calculated none: 1"
    )
    assert (await reader.text("a.xlsx", part="other!A1:B2")).endswith("\tA\n1\t7")
    assert "has no sheet 'Q9'" in await reader.text("a.xlsx", part="Q9!A1")


@pytest.mark.parametrize(("part", "columns"), [(None, "ACDV"), ("S!C:V", "CDV"), ("3:38", "ACDV")])
async def test_a_large_sheet_goes_on_by_rows_without_gap_or_overlap(
    reader: Reader, part: str | None, columns: str
) -> None:
    padding = "x" * (SMALL_BYTES // 40)
    cells = {"A": "1", "C": "3", "D": "4", "V": "22"}
    rows = "".join(
        f'<row r="{row}" y="{padding}">'
        + "".join(f'<c r="{column}{row}"><v>{row}{number}</v></c>' for column, number in cells.items())
        + "</row>"
        for row in range(1, 43)
    )
    name = written(reader.folder, "a.xlsx", workbook(rows))
    given = {"limit": 7} | ({"part": part} if part else {})
    first = (await reader.read(name, **given)).result
    items = await reader.all_items(name, **given)

    assert first.truncation is not None
    assert "offset" not in first.truncation.next or first.truncation.next["offset"] == 2
    assert str(first.truncation.next["part"]).startswith("S!")
    numbers = range(3, 39) if part == "3:38" else range(1, 43)
    assert [cell for item in items for cell in item["cells"] if cell] == [
        f"{row}{cells[column]}" for row in numbers for column in columns
    ]


async def test_a_word_document_is_read_by_heading_and_goes_on_in_it(reader: Reader) -> None:
    document = docx.Document()
    for number in range(1, 4):
        document.add_heading(f"Part {number}", 1)
        for line in range(5):
            document.add_paragraph(f"line {line} of {number}")
    document.save(str(reader.folder / "a.docx"))
    first = (await reader.read("a.docx", limit=4)).result

    assert first.notes == ("parts: #1 Part 1 | #2 Part 2 | #3 Part 3",)
    assert await reader.text("a.docx", part="part 2", limit=3) == (
        "a.docx: Word document, section Part 2\n# Part 2\nline 0 of 2\nline 1 of 2\n"
        '[3 of 6 items shown, limit 3; next: {"path":"PATH","part":"part 2","offset":4,"limit":3}]'
    ).replace("PATH", str(reader.folder / "a.docx"))
    items = await reader.all_items("a.docx", limit=4)
    assert [item["text"] for item in items[:3]] == ["Part 1", "line 0 of 1", "line 1 of 1"]
    assert len(items) == 18


async def test_two_tables_and_a_place_are_told_apart_in_the_text(reader: Reader) -> None:
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    name = written(reader.folder, "a.html", f"<html><body>{table}{table}</body></html>".encode())
    lines = "| a | b |\n|---|---|\n| 1 | 2 |"

    assert await reader.text(name) == f"a.html: HTML page, no headings\n{lines}\n\n{lines}"
    book = written(reader.folder, "a.epub", epub("<h1>One</h1><p>x</p>", "<p>y</p>"))
    assert "\n[chapter 1]\n# One\nx\n[chapter 2]\ny\n" in await reader.text(book)


async def test_cells_far_to_the_right_name_their_column_and_wide_rows_their_last(reader: Reader) -> None:
    far = written(reader.folder, "a.csv", b"a,b\n1,2\n" + b"," * 20 + b"far\n")
    wide = written(reader.folder, "b.csv", b",".join(b"x" for _ in range(100)) + b"\n")

    assert "\tA\tB\n1\ta\tb\n2\t1\t2\n3\t[from U]\tfar\n" in await reader.text(far)
    assert "\tA ... CV\n1\tx" in await reader.text(wide)


async def test_a_scanned_page_comes_as_a_picture_and_only_so_many(reader: Reader) -> None:
    result = (await reader.read(written(reader.folder, "a.pdf", pdf(*[""] * 6)))).result

    assert [part.media_type for part in result.parts if isinstance(part, Image)] == ["image/png"] * PICTURE_COUNT
    assert result.truncation is not None
    assert (result.truncation.limit.name, result.truncation.limit.value) == ("pictures", PICTURE_COUNT)
    assert dict(result.truncation.next)["part"] == "5-6"
    assert result.notes[0].startswith("without text, such as scans, and shown as pictures: page 1, 2, 3, 4")


async def test_a_picture_in_a_document_is_handed_over_by_its_name(reader: Reader) -> None:
    picture = png(b"\xff\0\0" * 12, 4, 3, stride=12)
    name = written(reader.folder, "a.docx", word("<w:p/>", word__media__a_DOT_png=picture))
    result = (await reader.read(name, part="word/media/a.png")).result

    assert result.parts == (Image(content=picture, media_type="image/png"),)
    assert result.summary == "a.docx: Word document, image word/media/a.png"


async def test_a_type_is_given_on_and_a_wrong_one_refused(reader: Reader) -> None:
    name = written(reader.folder, "notes.txt", b"a,b\n" * 9)
    result = (await reader.read(name, file_type="csv", limit=2)).result

    assert result.truncation is not None
    assert dict(result.truncation.next) == {
        "path": str(reader.folder / name),
        "file_type": "csv",
        "offset": 3,
        "limit": 2,
    }
    assert "notes.txt is no pdf: by its bytes it is plain text" in await reader.text(name, file_type="pdf")


async def test_a_table_that_breaks_off_is_partial(reader: Reader) -> None:
    name = written(reader.folder, "a.csv", b'a,b\n1,"' + b"x" * 140_000)
    result = (await reader.read(name)).result

    assert result.status is Status.PARTIAL
    assert "row 2 cannot be read" in result.notes[0]


async def test_an_encoding_is_told(reader: Reader) -> None:
    name = written(reader.folder, "a.csv", "é,b\n".encode("utf-16"))

    assert "note: read as utf-16-le with a byte order mark" in await reader.text(name)


async def test_an_empty_sheet_names_the_others(reader: Reader) -> None:
    book = openpyxl.Workbook()
    book.create_sheet("Filled").append([1])
    book.save(reader.folder / "a.xlsx")

    assert await reader.text("a.xlsx", part="Sheet!A1:B9") == (
        "a.xlsx: Excel workbook, 2 sheets, sheet Sheet, cells A1:B9, nothing in it\n"
        "note: parts: Sheet (A1:A1) | Filled (A1:A1)"
    )


MISSING = """
import sys
from importlib.abc import MetaPathFinder

class Blocked(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pypdfium2", "lxml", "openpyxl", "resiliparse", "trafilatura"):
            raise ImportError(name)

sys.meta_path.insert(0, Blocked())
import asyncio
from pathlib import Path
from hilt.calls.context import Context
from hilt.calls.session import Session
from hilt.results.failures import EnvironmentFailure
from hilt.tools.read_document import read_document
from hilt.workspace import Workspace

async def main(folder):
    ctx = Context(Session(), {Workspace: Workspace([Path(folder)])})
    for name in sys.argv[2:]:
        try:
            result = await read_document(ctx, f"{folder}/{name}")
            print(name, "read", len(result.items))
        except EnvironmentFailure as failure:
            print(name, failure.problem, failure.next_steps[1])

asyncio.run(main(sys.argv[1]))
"""


def test_without_the_extra_each_document_that_needs_it_says_so_and_the_others_are_read(tmp_path: Path) -> None:
    shared = '<c r="B2"><f t="shared" si="0"/><v>1</v></c>'
    rows = f'<row r="1"><c r="B1"><f t="shared" si="0" ref="B1:B2">A1</f><v>1</v></c></row><row r="2">{shared}</row>'
    made = {
        "a.pdf": pdf("one"),
        "a.html": b"<html><p>x",
        "a.epub": epub("<p>x</p>"),
        "shared.xlsx": workbook(rows),
        "plain.xlsx": workbook('<row r="1"><c r="A1"><v>1</v></c></row>'),
        "a.docx": word("<w:p><w:r><w:t>x</w:t></w:r></w:p>"),
        "a.csv": b"a,b\n",
    }
    for name, content in made.items():
        written(tmp_path, name, content)
    command = [sys.executable, "-c", MISSING, str(tmp_path), *made]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=50).stdout.splitlines()

    step = "ask the person to run: uv pip install 'hilt[documents]'"
    for line, what in zip(
        told, ("a PDF", "an HTML page", "an EPUB book", "an Excel workbook with shared formulas"), strict=False
    ):
        name = line.split()[0]
        needs = "reading PDF" if what == "a PDF" else "reading that"
        assert (
            line
            == f"{name} {name} is {what}, and {needs} needs the extra hilt[documents], which is not installed {step}"
        )
    assert told[4:] == ["plain.xlsx read 1", "a.docx read 1", "a.csv read 1"]
