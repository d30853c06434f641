"""Cells of Excel and OpenDocument sheets: what a person sees, formulas beside it, and what is odd told."""

import io
import zipfile
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment

from hilt.documents.cell_ranges import CellRange, column_number, is_range, range_of
from hilt.documents.pieces import PIECE_BYTES, column_letters
from hilt.documents.sheet_remarks import LONGEST_REMARK
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from tests.unit.documents.making import OFFICE, open_document, package, workbook
from tests.unit.documents.reading import read

FORMATS = (
    '<numFmts><numFmt numFmtId="164" formatCode="0.00"/></numFmts>'
    '<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="12"/><xf numFmtId="14"/></cellXfs>'
)


def line(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def cell(place: str, value: str, more: str = "", formula: str = "") -> str:
    return f'<c r="{place}" {more}>{formula}<v>{value}</v></c>'


def test_every_kind_of_cell_comes_as_it_is_shown() -> None:
    cells = (
        cell("A1", "0", 't="s"')
        + cell("B1", "1", 't="b"')
        + cell("C1", "#DIV/0!", 't="e"')
        + cell("D1", "1.0")
        + cell("E1", "1.5", 's="1"')
        + '<c r="F1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>'
        + cell("G1", "44927", 's="3"')
        + cell("H1", "=1+1", 't="str"')
        + cell("I1", "9", 't="s"')
        + '<c r="J1" s="1"/>'
    )
    strings = "<si><r><t>sha</t></r><r><t>red</t></r><rPh><t>spoken</t></rPh></si>"
    got = read(workbook(f'<row r="1">{cells}</row>', strings=strings, styles=FORMATS))

    assert got.rows == [
        (1, "A", ["shared", "TRUE", "#DIV/0!", "1", "1.50", "inline", "2023-01-01", "'=1+1", "[no shared string 9]"])
    ]


def test_a_formula_stands_beside_the_value_that_the_file_holds() -> None:
    rows = (
        line(2, cell("B2", "1204", 's="1"', "<f>SUM(B3:B9)</f>"))
        + line(3, '<c r="B3"><f>NOW()</f></c>', cell("C3", "", 't="str"', "<f>T(1)</f>"))
        + line(4, cell("B4", "6", "", '<f t="array" ref="B4:B5">A1:A2*2</f>'))
    )
    got = read(workbook(rows, styles=FORMATS))

    assert got.rows == [
        (2, "A", ["", "=SUM(B3:B9) -> 1204.00"]),
        (3, "A", ["", "=NOW() -> (not calculated)", "=T(1) -> "]),
        (4, "A", ["", "{=A1:A2*2} -> 6"]),
    ]
    assert got.notes == ["formulas without a value, for whoever wrote the file calculated none: 1"]


def test_a_shared_formula_is_told_as_it_stands_in_each_cell() -> None:
    shared = '<f t="shared" ref="B1:B3" si="0">'
    rows = line(1, cell("B1", "2", "", f"{shared}A1*$C$1</f>")) + line(3, cell("B3", "6", "", '<f t="shared" si="0"/>'))

    assert [cells[-1] for _, _, cells in read(workbook(rows)).rows] == ["=A1*$C$1 -> 2", "=A3*$C$1 -> 6"]


def test_a_format_that_is_not_applied_is_told_with_its_cell() -> None:
    got = read(workbook(line(7, cell("B7", "0.50", 's="2"')), styles=FORMATS))

    assert got.rows == [(7, "A", ["", "0.5"])]
    assert got.notes == ["number formats that are not applied, shown as stored: B7 # ?/?"]


def test_a_value_that_its_format_hides_is_told_and_an_empty_code_hides_none() -> None:
    formats = (
        '<numFmts><numFmt numFmtId="164" formatCode=";;;"/><numFmt numFmtId="165" formatCode=""/></numFmts>'
        '<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>'
    )
    row = line(7, cell("A7", "5", 's="1"'), cell("B7", "0.0", 's="1"'), cell("C7", "3", 's="2"'))
    got = read(workbook(row, styles=formats))

    assert got.rows == [(7, "A", ["", "", "3"])]
    assert got.notes == ["values that their number format does not show: A7"]


def test_raised_and_struck_runs_of_a_string_are_marked_and_how_it_is_spoken_left_out() -> None:
    def run(text: str, look: str = "") -> str:
        return f"<r><rPr>{look}</rPr><t>{text}</t></r>"

    up, struck = '<vertAlign val="superscript"/>', "<strike/>"
    runs = run("10") + run("-", up) + run("6", up) + run("old", struck) + '<r><rPr><strike val="0"/></rPr></r>'
    spoken = '<rPh sb="0" eb="1"><t>no</t></rPh>'
    inline = f'<c r="B1" t="inlineStr"><is>{runs}{spoken}</is></c>'
    got = read(workbook(line(1, cell("A1", "0", 't="s"'), inline), strings=f"<si>{runs}{spoken}</si>"))

    assert got.rows == [(1, "A", ["10^(-6)~~old~~"] * 2)]


def remarked(comments: str) -> bytes:
    """A workbook with these comments, a link on A1 and one on B2 that says where it leads."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["site", 1])
    sheet.append(["x", "https://e.org/b"])
    sheet["A1"].hyperlink, sheet["B2"].hyperlink = "https://e.org/a", "https://e.org/b"
    sheet["A2"].comment = Comment("Ann:\nto be  checked", "Ann")
    file = io.BytesIO()
    book.save(file)
    parts = {}
    with zipfile.ZipFile(file) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    name = next(each for each in parts if "comment" in each and each.endswith(".xml"))
    return package({**parts, **({name: comments.encode()} if comments else {})})


def test_comments_and_links_are_told_with_their_cells() -> None:
    assert read(remarked("")).notes == ["links: A1 https://e.org/a", "comments: A2 by Ann: to be checked"]
    assert read(remarked(""), "B1:B2").notes == []


@pytest.mark.parametrize(
    ("comments", "told"),
    [
        (
            '<comments><authors><author>tc=1</author></authors><commentList><comment ref="A2" authorId="0"><text><t>'
            "[Threaded comment] Your version... Comment: agreed?</t></text></comment></commentList></comments>",
            "comments: A2: agreed?",
        ),
        (
            f'<c><commentList><comment ref="B1"><text><r><t>{"x" * 400}</t></r><r><t>{"y" * 400}</t></r></text>'
            "</comment>"
            '<comment ref="C1"><text/></comment></commentList></c>',
            f"comments: B1: {'x' * 400}{'y' * (LONGEST_REMARK - 400)}... (800 characters)",
        ),
        ("<c", "comments: a is broken"),
    ],
)
def test_comments_of_other_forms_are_told_and_broken_ones_cost_no_cell(comments: str, told: str) -> None:
    got = read(remarked(comments))

    assert got.notes[1].startswith(told)
    assert len(got.rows) == 2


def test_what_is_odd_outside_the_range_asked_for_is_not_told() -> None:
    rows = line(7, cell("A7", "5"), cell("B7", "0.5", 's="2"'), cell("C7", "1", "", "<f>NOW()</f>"))

    assert read(workbook(rows, styles=FORMATS), "A7").notes == []


def test_merged_hidden_and_empty_cells_are_told_and_do_not_count() -> None:
    rows = f'<row r="1" hidden="1">{cell("A1", "1")}</row><row r="1048576"><c r="XFD1048576"/></row>'
    around = '<mergeCells><mergeCell ref="A1:B2"/></mergeCells><cols><col min="2" max="3" hidden="1"/></cols>'
    got = read(workbook(rows, around=around))

    assert got.rows == [(1, "A", ["1"])]
    assert (got.page.total, got.page.whole) == (1, True)
    assert got.notes == [
        "merged, the value stands in the first cell: A1:B2",
        "hidden rows, shown here: 1",
        "hidden columns, shown here: B:C",
    ]


def test_far_apart_cells_cost_nothing_and_wide_rows_are_read_to_their_end() -> None:
    far = read(workbook(f'<row r="1">{cell("B1", "1")}{cell("XFD1", "2")}</row>'))
    wide = "".join(f"<c><v>{number:0100d}</v></c>" for number in range(1, 101))
    got = read(workbook(f"<row>{wide}</row>"))

    assert far.rows == [(1, "A", ["", "1"]), (1, "XFD", ["2"])]
    assert [each for _, _, cells in got.rows for each in cells] == [str(number) for number in range(1, 101)]
    many = read(workbook("<row>" + f'<c t="str"><v>{"x" * 900}</v></c>' * 10 + "</row>"))
    assert [(column, len(cells)) for _, column, cells in many.rows] == [("A", 4), ("E", 4), ("I", 2)]
    assert all(sum(len(each) + 1 for each in cells) <= PIECE_BYTES for _, _, cells in many.rows)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("B2:C3", [(2, "B", ["22", "23"]), (3, "B", ["32", "33"])]),
        ("C3:B2", [(2, "B", ["22", "23"]), (3, "B", ["32", "33"])]),
        ("$B$2", [(2, "B", ["22"])]),
        ("S!B:B", [(1, "B", ["12"]), (2, "B", ["22"]), (3, "B", ["32"]), (4, "B", ["42"])]),
        ("s!2:2", [(2, "A", ["21", "22", "23"])]),
        ("'S'!A4", [(4, "A", ["41"])]),
    ],
)
def test_a_range_gives_its_cells_and_no_others(part: str, expected: list[tuple[int, str, list[str]]]) -> None:
    rows = "".join(
        f'<row r="{row}">'
        + "".join(cell(f"{column}{row}", f"{row}{place}") for place, column in enumerate("ABC", 1))
        + "</row>"
        for row in range(1, 5)
    )

    assert read(workbook(rows), part).rows == expected


def test_sheets_are_found_by_name_and_a_miss_names_them() -> None:
    with pytest.raises(InvalidArguments) as caught:
        read(workbook(""), "T!A1")
    assert (caught.value.problem, caught.value.next_steps) == ("a has no sheet 'T'", ("give one of its sheets: S",))
    with pytest.raises(InvalidArguments) as caught:
        read(workbook(""), "rows 5-9")
    assert caught.value.next_steps[1] == 'give cells such as "S!A1:F40", or rows "S!5:9"'
    with pytest.raises(InvalidArguments, match="part 'A0' is no range of cells of a"):
        read(workbook(""), "S!A0")


def test_a_workbook_of_the_library_reads_back_what_was_written(tmp_path: Any) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "It's"
    for number in range(1, 301):
        sheet.append([number, number / 4, f"name {number}", number % 2 == 0])
    hidden = book.create_sheet("Old")
    hidden.sheet_state = "hidden"
    book.create_chartsheet("Plot")
    book.save(tmp_path / "a.xlsx")
    content = (tmp_path / "a.xlsx").read_bytes()
    got = read(content, "'It''s'!A299:D300")

    assert got.rows == [
        (299, "A", ["299", "74.75", "name 299", "FALSE"]),
        (300, "A", ["300", "75", "name 300", "TRUE"]),
    ]
    assert read(content).outline == "It's (A1:D300) | Old (A1:A1, hidden) | Plot (chartsheet)"
    assert len(read(content, "It's (A1:D300)").rows) == 300
    with pytest.raises(InvalidArguments, match="Plot of a is a chartsheet and has no cells"):
        read(content, "Plot")


def test_a_workbook_without_sheets_or_rows_is_told() -> None:
    assert read(workbook("")).page.pieces == ()
    with pytest.raises(EnvironmentFailure, match="it has no sheets"):
        read(workbook("").replace(b"xl/_rels/workbook.xml.rels", b"xl/_rels/workbook.xml.nope"))


def test_ranges_are_written_as_spreadsheets_write_them() -> None:
    assert range_of("B:D", "a") == CellRange(first_column=2, last_column=4)
    assert range_of("5:9", "a") == CellRange(first_row=5, last_row=9)
    assert [is_range(text) for text in ("A1", "A", "5", "A1:B", "A:5", "A1:B2", "", "ABCD1", "A0")] == [
        True,
        False,
        False,
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    assert all(column_number(column_letters(number)) == number for number in range(1, 20_000, 7))


SHEET = (
    '<office:spreadsheet><table:table table:name="One"><table:table-header-rows><table:table-row>'
    "<table:table-cell><text:p>a</text:p><text:p>b</text:p></table:table-cell>"
    '<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
    '<table:table-cell table:formula="of:=SUM([.B1:.C1];[Two.A1])"><text:p>1,200</text:p></table:table-cell>'
    "</table:table-row></table:table-header-rows>"
    '<table:table-row table:number-rows-repeated="2" table:visibility="collapse">'
    '<table:table-cell table:number-columns-spanned="2"><text:p>=t</text:p></table:table-cell>'
    "<table:covered-table-cell/>"
    "</table:table-row>"
    '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/>'
    '</table:table-row></table:table><table:table table:name="Two"><table:table-row table:number-rows-repeated="5000">'
    '<table:table-cell office:value="7"/></table:table-row></table:table></office:spreadsheet>'
)


def test_an_open_document_sheet_is_read_as_it_was_shown() -> None:
    got = read(open_document("spreadsheet", SHEET))

    assert got.rows == [
        (1, "A", ["a\nb", "x", "x", "=SUM(B1:C1;Two!A1) -> 1,200"]),
        (2, "A", ["'=t"]),
        (3, "A", ["'=t"]),
    ]
    assert got.outline == "One | Two"
    assert got.notes == ["merged, the value stands in the first cell: A2", "hidden rows, shown here: 2"]


def test_rows_that_repeat_are_written_so_often_and_the_others_told() -> None:
    got = read(open_document("spreadsheet", SHEET), "Two")

    assert len(got.rows) == 1_000
    assert got.notes == ["left out, for they repeat the row before: row 1,001 to 5,000"]
    assert read(open_document("spreadsheet", SHEET), "Two!A4998:A4999").rows == [(4998, "A", ["7"]), (4999, "A", ["7"])]
    assert read(open_document("spreadsheet", SHEET), "One!B1").rows == [(1, "B", ["x"])]


def large(rows: int) -> str:
    """Rows of several kinds: with and without cells, some with a formula that later rows share."""
    master = '<f t="shared" ref="B7:B90" si="0">A7*2</f>'
    lines: list[str] = []
    for number in range(1, rows + 1):
        formula = master if number == 7 else '<f t="shared" si="0"/>' if 7 < number <= 90 else ""
        cells = cell(f"A{number}", str(number)) + cell(f"B{number}", "1", "", formula)
        lines.append(f'<row spans="1:2" r="{number}"/>' if number % 10 == 0 else line(number, cells))
    return "".join(lines)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows,
        lambda rows: rows.replace('<row r="50">', "<row>"),
        lambda rows: rows.replace('<row r="49">', '<row r="49"><!-- </row> -->'),
        lambda rows: rows.replace("row", "x:row").replace("<x:row ", '<x:row xmlns:x="urn:x" '),
        lambda rows: rows.replace('<row r="51">', "<row r='51'>"),
    ],
    ids=["usual", "unnumbered", "comment", "prefix", "quotes"],
)
def test_rows_that_are_left_out_unparsed_change_nothing_in_the_others(spoil: Any) -> None:
    content = workbook(spoil(large(99)), around='<mergeCells><mergeCell ref="A1:B1"/></mergeCells>')
    every = read(content).rows

    for first, last in ((1, 1), (1, 99), (8, 8), (45, 55), (50, 50), (51, 60), (99, 99), (95, 200)):
        got = read(content, f"{first}:{last}")
        assert got.rows == [row for row in every if first <= row[0] <= last]
        assert got.notes == ["merged, the value stands in the first cell: A1:B1"]


def test_a_sheet_in_another_encoding_is_read_by_range_as_well() -> None:
    rows = large(20)
    sheet = f'<?xml version="1.0" encoding="utf-16"?><worksheet><sheetData>{rows}</sheetData></worksheet>'
    with zipfile.ZipFile(io.BytesIO(workbook(""))) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/s.xml"] = sheet.encode("utf-16")

    assert read(package(parts), "A19:A19").rows == [(19, "A", ["19"])]


def test_spaces_breaks_comments_and_hidden_sheets_of_open_document_sheets_are_not_lost() -> None:
    said = '<text:p>a<text:s text:c="2"/>b<text:line-break/>c</text:p>'
    remark = "<office:annotation><text:p>to  check</text:p></office:annotation>"
    tables = (
        f'<table:table table:name="A"><table:table-row><table:table-cell>{said}{remark}</table:table-cell>'
        "<table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>"
        '<table:table table:name="B" table:style-name="t2"><table:table-row/></table:table>'
    )
    styles = '<style:style style:name="t2"><style:table-properties table:display="false"/></style:style>'
    content = (
        f"<office:d {OFFICE} xmlns:style='urn:s'><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:d>"
    )
    made = open_document("spreadsheet", "", **{"content.xml": content})

    assert read(made).rows == [(1, "A", ["a  b\nc", "x"])]
    assert read(made).notes == ["comments: A1: to check"]
    assert read(made, "B1").notes == []
    assert read(made).outline == "A | B (hidden)"
    assert read(made, "B").told == "2 sheets, sheet B (hidden)"
