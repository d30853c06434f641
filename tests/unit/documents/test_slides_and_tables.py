"""Slides by number or title, tables in text form by row, pages of a PDF by its contents, and going on exactly."""

import io
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from hilt.documents.pieces import MOST_NAMED, Seen, outline
from hilt.documents.png import png
from hilt.documents.row_pieces import CELL_BYTES
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from tests.unit.documents.making import open_document, workbook
from tests.unit.documents.reading import read
from tests.unit.documents.test_pdf import pdf

PNG = png(b"\xff\0\0" * 12, 4, 3, stride=12)


def presentation() -> bytes:
    made: Any = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Plans"
    frame = first.placeholders[1].text_frame
    frame.text = "one"
    below = frame.add_paragraph()
    below.text, below.level = "below", 1
    first.notes_slide.notes_text_frame.text = "say this"
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Figures"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(2)).table
    table.cell(0, 0).text, table.cell(1, 1).text = "a", "d"
    chart: Any = CategoryChartData()
    chart.categories = ["x", "y"]
    chart.add_series("S", (1.5, 2))
    drawn = second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(2), Inches(2), chart).chart
    drawn.has_title = True
    drawn.chart_title.text_frame.text = "Sales"
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "in a group"
    second.shapes.add_picture(io.BytesIO(PNG), 0, 0)
    hidden = made.slides.add_slide(made.slide_layouts[5])
    hidden.shapes.title.text = "Figures"
    hidden._element.set("show", "0")
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def test_slides_are_read_in_order_with_notes_tables_and_charts() -> None:
    got = read(presentation())

    assert got.texts == [
        "# Plans",
        "one\n  - below",
        "notes: say this",
        "# Figures",
        "| a |  |\n|---|---|\n|  | d |",
        "[chart: Sales]\n|  | S |\n|---|---|\n| x | 1.5 |\n| y | 2 |",
        "in a group",
        "[image ppt/media/image1.png: image.png]",
        "# Figures",
    ]
    assert got.places == ["slide 1"] * 3 + ["slide 2"] * 5 + ["slide 3, hidden"]
    assert got.outline == "Plans (slide 1) | Figures (slide 2) | Figures (slide 3)"
    assert getattr(read(presentation(), "ppt/media/image1.png").page.pieces[0], "picture", None) == PNG


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("2", "slide 2 of 3"),
        ("2-9", "slides 2-3 of 3"),
        ("slide 2", "slide 2 of 3"),
        ("Slides 2 - 3", "slides 2-3 of 3"),
        ("Figures (slide 3)", "slide 3 of 3"),
        ("plans", "slide 1 of 3"),
        ("lan", "slide 1 of 3"),
    ],
)
def test_slides_are_found_by_number_and_title(part: str, told: str) -> None:
    assert read(presentation(), part).told == told


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("4", "slide 4 is past the end: a has 3 slides"),
        ("3-2", "part '3-2' ends before it begins"),
        ("Figures", r"part 'Figures' fits 2 titles of a: Figures \(slide 2\), Figures \(slide 3\)"),
        ("Plnas", "a has no slide or title 'Plnas'"),
    ],
)
def test_slides_that_are_not_there_are_told(part: str, problem: str) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        read(presentation(), part)


def test_open_document_slides_are_read_like_others() -> None:
    def frame(text: str, kind: str = "") -> str:
        box = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    notes = f"<presentation:notes>{frame('say')}</presentation:notes>"
    pages = f"<draw:page>{frame('Hello', 'title')}{frame('body')}{notes}</draw:page><draw:page/>"
    content = open_document("presentation", f"<office:presentation>{pages}</office:presentation>")

    assert read(content).texts == ["# Hello", "body", "notes: say"]
    assert read(content, "hello").told == "slide 1 of 2"


CONTENTS = b"<</Type/Outlines/First 11 0 R/Last 12 0 R>>"


def contents() -> bytes:
    """Three pages, the first two titles of its contents on pages 1 and 2."""
    plain = pdf("one", "two", "three", extra=CONTENTS).replace(
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Catalog/Pages 2 0 R/Outlines 10 0 R>>"
    )
    marks = (
        b"11 0 obj<</Title(Start)/Parent 10 0 R/Next 12 0 R/Dest[4 0 R/Fit]>> endobj\n"
        b"12 0 obj<</Title(Finish)/Parent 10 0 R/Prev 11 0 R/Dest[6 0 R/Fit]>> endobj\n"
    )
    return plain.replace(b"trailer", marks + b"trailer")


def test_pages_of_a_pdf_are_found_by_the_titles_of_its_contents() -> None:
    got = read(contents(), "finish")

    assert (got.told, got.texts) == ("pages 2-3 of 3", ["two", "three"])
    assert read(contents()).outline == "Start (page 1) | Finish (page 2)"


def test_a_page_without_text_is_a_picture_and_told() -> None:
    got = read(pdf("one", ""))

    assert got.texts == ["one", ""]
    assert got.notes == ["without text, such as scans, and shown as pictures: page 2"]


@pytest.mark.parametrize(
    ("content", "told", "first"),
    [
        (b"a,b\n1,2\n", "comma-separated", ["a", "b"]),
        (b"a\tb\n1\t2,5\n", "tab-separated", ["a", "b"]),
        (b"a;b\n1,5;2,5\n3,5;4,5\n", "semicolon-separated", ["a", "b"]),
        (b"a|b\n1|2\n", "bar-separated", ["a", "b"]),
        (b"one\ntwo\n", "comma-separated", ["one"]),
        ("\ufeffé,b\r\n1,2\r\n".encode(), "comma-separated", ["é", "b"]),
        ("é;b\n1;2\n".encode("utf-16"), "semicolon-separated", ["é", "b"]),
        (b'"a ""x""","b\nc"\n1,2\n', "comma-separated", ['a "x"', "b\nc"]),
    ],
)
def test_the_delimiter_is_found_and_told(content: bytes, told: str, first: list[str]) -> None:
    got = read(content, name="a.csv")

    assert got.told == told
    assert got.rows[0] == (1, "A", first)


def test_a_cell_that_is_very_long_is_cut_and_told() -> None:
    got = read(b"a,b\n" + b"x" * (CELL_BYTES + 5) + b",2\n", name="a.csv")

    assert got.rows[1][2] == ["x" * CELL_BYTES + " [... 5 bytes more]"]
    assert got.rows[2] == (2, "B", ["2"])
    assert got.notes == [f"cut to {CELL_BYTES:,} bytes: A2; a cell that is the whole part is given whole"]
    assert read(b"a,b\n1,2\n", "B2", name="a.csv").rows == [(2, "B", ["2"])]


def long_cells() -> list[tuple[bytes, str]]:
    text = "some w\u00f6rds " * 2_000
    sheet = f'<row r="1"><c r="A1" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c></row>'
    open_cell = f"<table:table-cell><text:p>{text}</text:p></table:table-cell>"
    table = f'<table:table table:name="S"><table:table-row>{open_cell}</table:table-row></table:table>'
    return [
        (f'"{text}",2\n'.encode(), text),
        (workbook(sheet), text),
        (open_document("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>"), text),
    ]


@pytest.mark.parametrize(("content", "text"), long_cells(), ids=["csv", "xlsx", "ods"])
def test_a_long_cell_is_given_whole_where_it_is_asked_for_alone(content: bytes, text: str) -> None:
    among = read(content, name="a.csv" if content[:1] == b'"' else "a")
    alone = read(content, "A1", name="a.csv" if content[:1] == b'"' else "a")

    assert len(among.rows[0][2][0].encode()) < CELL_BYTES + 40
    assert any("A1; a cell that is the whole part" in note for note in among.notes)
    assert "".join(alone.texts) == text
    assert set(alone.places) == {"cell A1"}


def test_a_quote_that_is_never_closed_stops_the_table_and_not_silently() -> None:
    got = read(b'a,b\n1,2\n3,"' + b"x" * 140_000, name="a.csv")

    assert [cells for _, _, cells in got.rows] == [["a", "b"], ["1", "2"]]
    assert got.stopped
    assert "row 3 cannot be read" in got.notes[0]
    with pytest.raises(EnvironmentFailure, match="row 1 cannot be read"):
        read(b'"' + b"x" * 140_000, name="a.csv")


@pytest.mark.parametrize("content", [b'a,b\n1,"x\n2,3\n4,5\n', b'a,b\n1,"x', b'a,b\n1,"x""\n'])
def test_a_quote_that_is_open_to_the_end_is_told_with_its_row(content: bytes) -> None:
    got = read(content, name="a.csv")

    assert got.rows[1][2][0] == "1"
    assert got.notes == ["a quote that opens in row 2 is never closed: all that follows stands in that cell"]


@pytest.mark.parametrize("content", [b'a,b\n1,"x\ny"', b'a,b\n1,"x\ny"\n', b"a,b\n1,2", b'a,b\n1,""\n'])
def test_a_quote_that_is_closed_is_not_told(content: bytes) -> None:
    assert read(content, name="a.csv").notes == []


@pytest.mark.parametrize(
    ("part", "expected"), [("B2:C2", [["2", "3"]]), ("C:C", [["c"], ["3"]]), ("1:1", [["a", "b", "c"]])]
)
def test_a_table_is_read_by_cells(part: str, expected: list[list[str]]) -> None:
    assert [cells for _, _, cells in read(b"a,b,c\n1,2,3\n", part, name="a.csv").rows] == expected


def test_every_offset_and_limit_gives_its_own_pieces() -> None:
    content = "".join(f"{number}\n" for number in range(1, 101)).encode()

    for offset in (1, 50, 100):
        for limit in (1, 7, 500):
            got = read(content, name="a.csv", offset=offset, limit=limit)
            last = min(offset + limit, 101)
            assert [cells[0] for _, _, cells in got.rows] == [str(number) for number in range(offset, last)]
            assert (got.page.total, got.page.whole) == (100, True)
            assert got.page.by == ("limit" if last < 101 else "")
    with pytest.raises(InvalidArguments, match="offset 101 is past the end: there are 100 items"):
        read(content, name="a.csv", offset=101)


def test_a_page_ends_at_its_bytes_but_holds_one_piece_at_least() -> None:
    content = b"aaaaaaaaaa\nbbbbbbbbbb\n"

    assert len(read(content, name="a.csv", page_bytes=5).rows) == 1
    assert read(content, name="a.csv", page_bytes=5).page.by == "bytes"


def test_names_beyond_the_first_are_counted() -> None:
    seen = Seen()
    for number in range(MOST_NAMED + 1_200):
        seen.add(str(number))

    assert str(seen).endswith("10, 11 and 1,200 more")
    assert outline(["x" * 100] * 50, "titles").endswith("| and 36 more titles")


def test_pictures_on_a_page_of_a_pdf_are_counted() -> None:
    inline = "one) Tj ET q 9 0 0 9 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q BT (two"
    got = read(pdf("plain", inline))

    assert got.texts[0] == "plain"
    assert got.notes == ["images beside the text, not shown: page 2 (1)"]
