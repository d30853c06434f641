"""Word, OpenDocument, HTML and EPUB texts: headings, lists, tables and notes in order, one section on request."""

import io

import docx
import pytest

from hilt.documents.pieces import PIECE_BYTES
from hilt.documents.png import png
from hilt.documents.word_numbering import numeral
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from tests.unit.documents.making import epub, open_document, relations, word
from tests.unit.documents.reading import read

PNG = png(b"\xff\0\0" * 12, 4, 3, stride=12)


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def heading(text: str, level: int) -> str:
    return paragraph(text, f'<w:outlineLvl w:val="{level - 1}"/>')


REPORT = word(
    heading("1. Introduction", 1)
    + paragraph("hello")
    + heading("Scope", 2)
    + paragraph("first")
    + heading("2. Methods", 1)
    + heading("Scope", 2)
    + paragraph("second")
)


def test_a_document_written_by_the_library_reads_in_order() -> None:
    made = docx.Document()
    made.add_heading("Report", 0)
    made.add_heading("Introduction", 1)
    made.add_paragraph("Hello.")
    made.add_paragraph("point", style="List Bullet")
    made.add_paragraph("one", style="List Number")
    made.add_paragraph("two", style="List Number")
    table = made.add_table(2, 2)
    table.cell(0, 0).text = "a|b"
    table.cell(1, 0).merge(table.cell(1, 1)).text = "wide"
    made.add_picture(io.BytesIO(PNG))
    made.sections[0].header.paragraphs[0].text = "on every page"
    file = io.BytesIO()
    made.save(file)
    got = read(file.getvalue())

    assert got.texts == [
        "# Report",
        "# Introduction",
        "Hello.",
        "- point",
        "1. one",
        "2. two",
        "| a\\|b |  |\n|---|---|\n| wide |  |",
        "[image word/media/image1.png]",
        "on every page",
    ]
    assert got.places[-1] == "header"
    assert got.notes == [
        "images, not shown; part with such a name shows one: word/media/image1.png (PNG image, 4 x 3 pixels, 73 bytes)"
    ]


def test_a_picture_that_is_listed_is_shown_by_its_name() -> None:
    content = word(paragraph("x"), word__media__a_DOT_png=PNG, word__media__b_DOT_emf=b"\1\0\0\0")
    piece = read(content, "word/media/a.png").page.pieces[0]

    assert getattr(piece, "picture", None) == PNG
    with pytest.raises(
        EnvironmentFailure, match=r"word/media/b.emf of a is no known picture, 4 bytes; models take PNG"
    ):
        read(content, "word/media/b.emf")


def test_tracked_changes_are_read_as_accepted_and_told() -> None:
    body = (
        f"<w:p>{run('the ')}<w:del>{run('old')}</w:del><w:ins>{run('new')}</w:ins>{run(' text')}</w:p>"
        f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    )
    got = read(word(body))

    assert got.texts == ["the new text", "hidden"]
    assert got.notes == [
        "tracked changes, read as accepted: 1 insertions shown, 1 deletions left out",
        "hidden text is shown like other text: 1 runs",
    ]


def test_footnotes_and_comments_stand_behind_with_their_marks() -> None:
    body = (
        heading("One", 1)
        + f'<w:p>{run("said")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        + heading("Two", 1)
        + f'<w:p>{run("asked")}<w:r><w:commentReference w:id="0"/></w:r></w:p>'
    )
    content = word(
        body,
        word___rels__document_DOT_xml_DOT_rels=relations(f="footnotes footnotes.xml", c="comments comments.xml"),
        word__footnotes_DOT_xml='<w:footnotes xmlns:w="urn:w"><w:footnote w:id="0" w:type="separator"/>'
        f'<w:footnote w:id="2">{paragraph("source")}</w:footnote></w:footnotes>',
        word__comments_DOT_xml=f'<w:comments xmlns:w="urn:w"><w:comment w:id="0" w:author="Ann">'
        f"{paragraph('why?')}"
        "</w:comment></w:comments>",
    )

    notes = ["[^2]: source", "[^c0]: comment by Ann: why?"]
    assert read(content).texts == ["# One", "said[^2]", "# Two", "asked[^c0]", *notes]
    assert read(content, "One").texts == ["# One", "said[^2]", notes[0]]
    assert read(content, "two").texts == ["# Two", "asked[^c0]", notes[1]]


def test_inline_marks_links_and_boxes_are_text() -> None:
    box = f"<w:drawing><w:docPr descr='a  chart'/><w:txbxContent>{paragraph('in a box')}</w:txbxContent></w:drawing>"
    choice = f"<x><Choice>{box}</Choice><Fallback>{run('again')}</Fallback></x>"
    body = (
        f"<w:p>{run('a')}<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/></w:r>"
        "<w:r><w:br w:type='page'/></w:r></w:p>"
        f'<w:p><w:hyperlink r:id="l">{run("site")}</w:hyperlink></w:p><w:p>{run("see")}<w:r>{choice}</w:r></w:p>'
        f"<w:sdt><w:sdtContent>{paragraph('control')}</w:sdtContent></w:sdt>"
    )
    content = word(
        body,
        word___rels__document_DOT_xml_DOT_rels='<R><Relationship Id="l" Type="urn:x/hyperlink" TargetMode="External" '
        'Target="https://e.org/"/></R>',
    )

    assert read(content).texts == [
        "a\tb\nc-",
        "[site](https://e.org/)",
        "see[image a chart]\n[text box: in a box]",
        "control",
    ]


def test_numbers_of_headings_and_lists_are_shown_as_word_counts_them() -> None:
    numbering = (
        '<w:numbering xmlns:w="urn:w"><w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
        '<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>'
        '<w:lvl w:ilvl="3"><w:numFmt w:val="none"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    levels = (0, 1, 1, 0, 1, 2, 3)
    body = "".join(
        paragraph("x", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="7"/></w:numPr>') for level in levels
    )

    assert read(word(body, word__numbering_DOT_xml=numbering)).texts == [
        "III. x",
        "  III.a) x",
        "  III.b) x",
        "IV. x",
        "  IV.a) x",
        "    - x",
        "x",
    ]
    assert [
        numeral(count, form) for count, form in ((1994, "lowerRoman"), (28, "upperLetter"), (7, "decimalZero"))
    ] == [
        "mcmxciv",
        "BB",
        "07",
    ]
    assert numeral(10**9, "lowerRoman") == "1000000000"


def test_a_style_makes_a_heading_also_through_the_style_it_is_based_on() -> None:
    styles = (
        '<w:styles xmlns:w="urn:w"><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>'
        '<w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style></w:styles>'
    )
    body = "".join(paragraph(name, f'<w:pStyle w:val="{name}"/>') for name in ("Mine", "Loop", "Gone"))

    assert read(word(body, word__styles_DOT_xml=styles)).texts == ["## Mine", "Loop", "Gone"]


def test_tables_inside_tables_and_spans_stay_in_their_columns() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text}</w:tc>"

    inner = f"<w:tbl><w:tr>{cell(paragraph('p'))}{cell(paragraph('q'))}</w:tr></w:tbl>"
    restart, go_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = (
        f"<w:tr>{cell(paragraph('a') + paragraph('b'), restart)}{cell(inner)}</w:tr>"
        f"<w:tr>{cell(paragraph('a'), go_on)}{cell(paragraph('c'))}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell(paragraph('gone'))}</w:tr>"
    )

    assert read(word(f"<w:tbl>{rows}</w:tbl>")).texts == ["| a<br>b | [table: p; q] |\n|---|---|\n|  | c |"]


def test_a_section_is_found_by_its_heading_with_or_without_its_number() -> None:
    assert read(REPORT, "introduction").texts == ["# 1. Introduction", "hello", "## Scope", "first"]
    assert read(REPORT, "2. methods").texts == ["# 2. Methods", "## Scope", "second"]
    assert read(REPORT, "#4").texts == ["## Scope", "second"]
    assert read(REPORT, "intro").texts[0] == "# 1. Introduction"
    assert read(REPORT, "#4 > Scope").texts == ["## Scope", "second"]
    assert read(REPORT, "2. Methods > Scope").texts == ["## Scope", "second"]
    assert read(REPORT, "#1 > scope").texts == ["## Scope", "first"]
    assert read(REPORT).outline == "#1 1. Introduction | #2 > Scope | #3 2. Methods | #4 > Scope"


@pytest.mark.parametrize(
    ("part", "problem", "step"),
    [
        ("Scope", "part 'Scope' fits 2 headings of a", "give one of: #2 > Scope | #4 > Scope"),
        ("2. Methds", "a has no heading '2. Methds'", "give one of: #3 2. Methods"),
        ("zzz", "a has no heading 'zzz'", "give one of: #1 1. Introduction | #2 > Scope | #3 2. Methods | #4 > Scope"),
        ("#1 > Methods", "a has no heading '#1 > Methods'", "give one of: #3 2. Methods"),
        ("#9", "a has no heading '#9'", "give one of: #1 1. Introduction | #2 > Scope | #3 2. Methods | #4 > Scope"),
    ],
)
def test_a_heading_that_is_missed_or_not_alone_is_answered_with_those_that_are(
    part: str, problem: str, step: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        read(REPORT, part)

    assert (caught.value.problem, caught.value.next_steps) == (problem, (step,))


def test_a_document_without_headings_says_so() -> None:
    with pytest.raises(InvalidArguments, match="a has no headings, so it has no part 'x'"):
        read(word(paragraph("text")), "x")


def test_a_long_paragraph_goes_on_in_the_next_piece_without_loss() -> None:
    text = " ".join(f"word{number}é" for number in range(3_000))
    got = read(word(paragraph(text)))

    assert "".join(got.texts) == text
    assert all(len(piece.encode()) <= PIECE_BYTES for piece in got.texts)


def test_a_long_table_is_parted_between_its_rows() -> None:
    rows = "".join(f"<tr><td>{number}</td><td>some words of {number}</td></tr>" for number in range(600))
    got = read(f"<html><body><table>{rows}</table></body></html>".encode())

    assert len(got.texts) > 2
    assert all(text.rstrip("\n").endswith("|") for text in got.texts)
    assert "".join(got.texts).count("some words of") == 600


def test_elements_nested_without_end_are_read_as_text() -> None:
    deep = word("<w:sdt><w:sdtContent>" * 3_000 + paragraph("lost") + "</w:sdtContent></w:sdt>" * 3_000)
    inline = word("<w:p>" + "<w:ins>" * 3_000 + run("kept") + "</w:ins>" * 3_000 + "</w:p>")

    assert read(deep).texts == ["lost"]
    assert read(inline).texts == ["kept"]


ODT = open_document(
    "text",
    "<office:text><text:tracked-changes><text:changed-region/></text:tracked-changes>"
    '<text:h text:outline-level="2">Top</text:h>'
    '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<text:span>e</text:span></text:p>'
    "<text:p>x<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>foot</text:p></text:note-body>"
    "</text:note> y<office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p></office:annotation></text:p>"
    '<text:p><text:a xlink:href="https://e.org/">site</text:a></text:p>'
    '<text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p>'
    "<text:list><text:list-item><text:p>one</text:p><text:p>more</text:p><text:list><text:list-item><text:p>in</text:p>"
    "</text:list-item></text:list></text:list-item></text:list>"
    "<text:section><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>h</text:p>"
    "</table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row>"
    "<table:table-cell><table:table><table:table-row><table:table-cell><text:p>n</text:p></table:table-cell>"
    "</table:table-row></table:table></table:table-cell></table:table-row></table:table></text:section></office:text>",
    **{"Pictures/a.png": PNG},
)


def test_an_open_document_text_is_read_in_order() -> None:
    got = read(ODT)

    assert got.texts == [
        "## Top",
        "a   b\tc\nde",
        "x[^1] y[^2]",
        "[site](https://e.org/)",
        "[image Pictures/a.png]",
        "- one\n  more\n  - in",
        "| h |  |\n|---|---|\n| [table: n] |  |",
        "[^1]: foot",
        "[^2]: comment by Ann: why?",
    ]
    assert got.notes == [
        "tracked changes, 1 of them: insertions shown, deletions left out",
        "images, not shown; part with such a name shows one: Pictures/a.png (PNG image, 4 x 3 pixels, 73 bytes)",
    ]
    assert getattr(read(ODT, "Pictures/a.png").page.pieces[0], "picture", None) == PNG


HTML = (
    "<!doctype html><title>t</title><style>p{}</style><nav><a href=x>n</a></nav><h1>One</h1>"
    '<p>a <b>b</b> <a href="https://e.org/">l</a> <a href="y.html">m</a><script>s</script>'
    '<h2>Two</h2><table><tr><th>a<th>b<tr><td>1<td>2</table><img src="p.png" alt="plot"><pre>x  y</pre>'
)


def test_a_page_is_read_whole_but_for_its_navigation() -> None:
    got = read(HTML.encode())

    assert got.texts == [
        "# One",
        "a **b** [l](https://e.org/) m",
        "## Two",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "plot",
        "```\nx  y\n```",
    ]
    assert got.notes == [
        "navigation left out: 1 blocks of links",
        "links to other files, shown without their targets: 2",
        "images, not shown: p.png (plot)",
    ]
    assert read(HTML.encode(), "two").texts[0] == "## Two"


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ('<html><meta charset="windows-1252"><p>caf\u00e9 \u20ac'.encode("cp1252"), "read as cp1252, as it declares"),
        ('<html><meta charset="iso-8859-1"><p>caf\u00e9 \u20ac'.encode("cp1252"), "read as cp1252, as it declares"),
        ('<html><meta charset="iso-8859-1"><p>caf\u00e9 \u20ac'.encode(), ""),
        ('<html><meta charset="nonsense"><p>caf\u00e9 \u20ac'.encode(), ""),
        ('<html><meta charset="utf-16"><p>caf\u00e9 \u20ac'.encode(), ""),
        ("<html><p>caf\u00e9 \u20ac".encode("utf-16"), "read as utf-16-le with a byte order mark"),
    ],
)
def test_a_page_is_decoded_as_it_declares_and_it_is_told(content: bytes, note: str) -> None:
    got = read(content, name="a.html")

    assert got.texts == ["caf\u00e9 \u20ac"]
    assert got.notes == ([note] if note else [])


def test_an_empty_page_and_a_deep_one_are_told() -> None:
    assert read(b"<html>").texts == []
    assert (
        "its elements nest deeper than is read: text below them is missing"
        in read(b"<html>" + b"<div>" * 5_000 + b"x").notes
    )


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    content = epub("<h1>First</h1><p>a</p><img src='p.png'/>", "<h1>Last<a id='x'/></h1><p>b</p>", O__p_DOT_png=PNG)
    got = read(content)

    assert (got.told, got.texts, got.places) == (
        "2 chapters, 2 headings",
        ["# First", "a", "# Last", "b"],
        ["chapter 1", "chapter 1", "chapter 2", "chapter 2"],
    )
    assert got.notes == [
        "title: Book",
        "images, not shown; part with such a name shows one: O/p.png (PNG image, 4 x 3 pixels, 73 bytes)",
    ]
    assert read(content, "last").texts == ["# Last", "b"]


def test_a_chapter_without_a_heading_is_found_by_its_place_unless_a_heading_has_these_words() -> None:
    plain = epub("<p>a</p>", "<p>b</p><p>c</p>")
    named = epub("<h1>Chapter 2: Later</h1><p>a</p>", "<p>b</p>")

    assert (read(plain, "Chapter 2").texts, read(plain, "Chapter 2").told) == (["b", "c"], "2 chapters, Chapter 2")
    assert read(named, "chapter 2").texts[0] == "# Chapter 2: Later"


def test_a_book_with_a_chapter_missing_or_no_list_of_them_is_told() -> None:
    gone = epub("<p>a</p>", "<p>b</p>").replace(b"O/c1.xhtml", b"O/c9.xhtml")

    assert read(gone).texts == ["a"]
    assert "chapters that are named but not in the file: O/c1.xhtml" in read(gone).notes
    with pytest.raises(EnvironmentFailure, match="it names no list of its chapters"):
        read(epub("<p>a</p>", **{"META-INF__container_DOT_xml": "<container/>"}))


def test_odd_corners_of_texts_are_kept() -> None:
    assert read(word("<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>" + paragraph("x"))).texts == ["x"]
    nested = "<text:list-item><text:list>" * 80 + "<text:list-item><text:p>deep</text:p></text:list-item>"
    closed = nested + "</text:list></text:list-item>" * 80
    lists = open_document("text", f"<office:text><text:list>{closed}</text:list></office:text>")
    cell, end = (
        "<table:table><table:table-row><table:table-cell>",
        "</table:table-cell></table:table-row></table:table>",
    )
    tables = open_document("text", f"<office:text>{cell * 400}<text:p>deep</text:p>{end * 400}</office:text>")
    assert "".join(read(lists).texts).endswith("deep")
    assert "deep" in read(tables).texts[0]
    with pytest.raises(EnvironmentFailure, match="it has no text in it"):
        read(open_document("text", "<office:x/>"))
