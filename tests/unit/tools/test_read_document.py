"""`read_document`: what a model reads of an office document, a part at a time, and how it goes on."""

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from hilt import Session
from hilt.calls.answer import Answer
from hilt.runtime.runtime import Runtime
from hilt.tools.read_document import PAGE_BYTES, read_document
from hilt.workspace import Workspace
from tests.kit import answered, runtime
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
