"""PDF pages come as text, scans as pictures, and a broken document is told from a locked one."""

import zlib

import pytest

from hilt.documents.pdf import MOST_PICTURES, page_range, read_pdf
from hilt.documents.pdf_notes import MOST_NOTES
from hilt.results.failures import EnvironmentFailure, InvalidArguments

pytest.importorskip("pypdfium2")


def pdf(*texts: str, extra: bytes = b"", trailer: bytes = b"") -> bytes:
    """A document with one page for each text; an empty text is an empty page."""
    pages = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(texts)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(texts)}/Kids[{pages}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(texts):
        stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode() if text else b""
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents {5 + 2 * number} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    body = b"%PDF-1.4\n"
    for number, content in enumerate([*objects, *([extra] if extra else [])], 1):
        body += b"%d 0 obj%s endobj\n" % (number, content)
    return body + b"trailer<</Root 1 0 R" + trailer + b">>\n%%EOF"


LOCKED = pdf(
    "secret",
    extra=b"<</Filter/Standard/V 1/R 2/P -4/O<" + b"ab" * 32 + b">/U<" + b"cd" * 32 + b">>>",
    trailer=b"/Encrypt 6 0 R/ID[<00><00>]",
)


async def test_the_pages_asked_for_come_as_text() -> None:
    read = await read_pdf(pdf("one", "two", "three"), "x.pdf", 2, 3, most_bytes=1000)

    assert read.count == 3
    assert [(page.number, page.text.strip(), page.picture) for page in read.pages] == [
        (2, "two", None),
        (3, "three", None),
    ]


async def test_a_range_that_goes_on_behind_the_end_stops_there() -> None:
    read = await read_pdf(pdf("one", "two"), "x.pdf", 1, 10, most_bytes=1000)

    assert [page.number for page in read.pages] == [1, 2]


async def test_text_stops_at_its_bytes_but_gives_one_page_at_least() -> None:
    read = await read_pdf(pdf("x" * 60, "y" * 60), "x.pdf", 1, 2, most_bytes=50)

    assert [page.number for page in read.pages] == [1]


async def test_a_page_without_text_comes_as_a_picture_and_only_so_many() -> None:
    read = await read_pdf(pdf(*[""] * (MOST_PICTURES + 2)), "x.pdf", 1, 10, most_bytes=1000)

    assert len(read.pages) == MOST_PICTURES
    picture = read.pages[0].picture
    assert picture is not None
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 1568
    start = picture.index(b"IDAT") + 4
    rows = zlib.decompress(picture[start:-16])
    assert len(rows) == 784 * (1 + 3 * 1568)
    assert set(rows[1 : 3 * 1568]) == {255}


async def test_past_the_last_page_is_a_wrong_argument() -> None:
    with pytest.raises(InvalidArguments, match=r"page 4 is past the end: x.pdf has 1 pages"):
        await read_pdf(pdf("one"), "x.pdf", 4, 5, most_bytes=1000)


async def test_a_locked_document_is_told_from_a_broken_one() -> None:
    with pytest.raises(EnvironmentFailure, match="is encrypted and needs a password"):
        await read_pdf(LOCKED, "x.pdf", 1, 1, most_bytes=1000)
    with pytest.raises(EnvironmentFailure, match="is broken"):
        await read_pdf(b"%PDF-1.7\nnonsense", "x.pdf", 1, 1, most_bytes=1000)


@pytest.mark.parametrize(("pages", "expected"), [("3", (3, 3)), ("2-5", (2, 5)), (" 1-1 ", (1, 1))])
def test_a_page_or_a_range_is_read(pages: str, expected: tuple[int, int]) -> None:
    assert page_range(pages) == expected


@pytest.mark.parametrize("pages", ["", "0", "5-2", "a", "1,2", "-1", "1-", "٣"])
def test_any_other_text_is_a_wrong_argument(pages: str) -> None:
    with pytest.raises(InvalidArguments, match="is no page range"):
        page_range(pages)


def noted(*notes: str, fields: str = "", more: tuple[str, ...] = ()) -> bytes:
    """A page with text and these notes on it, from object 6; `fields` are those of its form."""
    shown = b"BT /F1 12 Tf 20 100 Td (Name) Tj ET"
    listed = " ".join(f"{6 + place} 0 R" for place in range(len(notes)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{fields}]>>>>".encode(),
        b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        (
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 5 0 R/Resources<</Font<</F1 3 0 R>>>>"
            f"/Annots[{listed}]>>"
        ).encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(shown), shown),
        *(f"<</Type/Annot/P 4 0 R/Rect[1 1 9 9]{note}>>".encode() for note in notes),
        *(each.encode() for each in more),
    ]
    body = b"".join(b"%d 0 obj%s endobj\n" % (number, content) for number, content in enumerate(objects, 1))
    return b"%PDF-1.5\n" + body + b"trailer<</Root 1 0 R>>\n%%EOF"


async def test_what_was_filled_in_typed_or_remarked_stands_behind_the_text() -> None:
    states = "/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>"
    content = noted(
        "/Subtype/Widget/FT/Tx/T(name)/TU(Full name)/V(Ann Lee)",
        f"/Subtype/Widget/FT/Btn/T(agree)/V/Yes/AS/Yes{states}",
        f"/Subtype/Widget/FT/Btn/T(other)/V/Off/AS/Off{states}",
        "/Subtype/Widget/FT/Ch/T(size)/Opt[(S)(M)]/V(M)",
        "/Subtype/Widget/Parent 15 0 R",
        "/Subtype/Widget/FT/Tx/Ff 8192/T(pin)/V(1234)",
        "/Subtype/Text/T(Bob)/Contents(check <FEFF>)",
        "/Subtype/FreeText/Contents(on top)/DA(/F1 12 Tf)",
        "/Subtype/Link/A<</S/URI/URI(https://example.org)>>",
        fields="6 0 R 7 0 R 8 0 R 9 0 R 11 0 R 15 0 R",
        more=("<</FT/Tx/T(total)/V(12.50)/Kids[10 0 R]>>",),
    )
    read = await read_pdf(content, "x.pdf", 1, 1, most_bytes=10_000)

    assert read.pages[0].text.split("\n") == [
        "Name",
        "[form] Full name: Ann Lee",
        "[form] agree: checked (Yes)",
        "[form] size: M",
        "[form] total: 12.50",
        "[form] pin: (a password, not shown)",
        "[comment by Bob] check <FEFF>",
        "[typed on the page] on top",
        "[form] 1 field empty or not checked",
    ]


async def test_more_notes_than_are_read_are_told() -> None:
    read = await read_pdf(noted(*["/Subtype/Text/Contents(x)"] * (MOST_NOTES + 2)), "x.pdf", 1, 1, most_bytes=10_000)

    lines = read.pages[0].text.split("\n")
    assert lines.count("[comment] x") == MOST_NOTES
    assert lines[-1] == "[2 more notes or fields, not read]"
