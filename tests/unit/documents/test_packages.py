"""Packages are told apart before they are unpacked: locked, broken, made to fill memory, or something else."""

import io
import struct
import zipfile
from random import Random

import pytest

from hilt.documents import package as packages
from hilt.documents.package import BOMB_BYTES, TREE_BYTES, Package
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from tests.unit.documents.making import TYPES, epub, open_document, package, word
from tests.unit.documents.reading import read, source

BODY = "<w:p><w:r><w:t>text</w:t></w:r></w:p>"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def failure(content: bytes, name: str = "a") -> str:
    with pytest.raises(EnvironmentFailure) as caught:
        read(content, name=name)
    return caught.value.problem


def flagged(content: bytes) -> bytes:
    """The same package, each part marked as encrypted."""
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content = content[: at + offset] + b"\x01\x00" + content[at + offset + 2 :]
            at = content.find(mark, at + 4)
    return content


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "a.docx", "a.docx is empty: it has 0 bytes"),
        (word(BODY)[:-30], "a.docx", "a.docx is broken"),
        (flagged(word(BODY)), "a.docx", "a.docx is encrypted and needs a password"),
        (OLE, "a.doc", "a.doc is an old Microsoft Office document"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "a.xlsx is encrypted (an Office document behind"),
        (package({"x.txt": "hi", "y.txt": "ho"}), "a.zip", "a ZIP archive and no document: it holds x.txt, y.txt"),
        (package({}), "a.zip", "it holds nothing"),
        (package({"[Content_Types].xml": TYPES, "xl/workbook.bin": "x"}), "a.xlsb", "a binary Excel workbook (.xlsb)"),
        (package({"[Content_Types].xml": TYPES, "word/x.xml": "<x/>"}), "a.docx", "it has no part word/document.xml"),
        (b"\x7fELF" + bytes(100), "a.pdf", "a.pdf is an ELF program, no document"),
        (b"SQLite format 3\x00" + bytes(100), "a.xlsx", "a.xlsx is an SQLite database, no document"),
        (b"just text\n", "a.docx", "it is no Word document"),
        (word("<w:p>"), "a.docx", "its part word/document.xml is no XML"),
        (
            open_document("text", "<office:text/>", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"}),
            "a.odt",
            "a.odt is encrypted and needs a password",
        ),
        (
            epub("x", **{"META-INF__encryption_DOT_xml": '<e><CipherReference URI="O/c0.xhtml"/></e>'}),
            "a.epub",
            "a.epub is encrypted (its chapters are protected)",
        ),
    ],
)
def test_each_trouble_has_its_own_sentence(content: bytes, name: str, said: str) -> None:
    assert said in failure(content, name)


def test_the_bytes_win_over_the_name_and_it_is_told() -> None:
    got = read(word(BODY), name="a.xlsx")

    assert (got.type, got.texts) == ("docx", ["text"])
    assert got.notes == ["its name says .xlsx, its bytes are Word document"]


def test_a_type_that_the_bytes_are_not_is_refused_with_the_real_one() -> None:
    with pytest.raises(InvalidArguments) as caught:
        read(word(BODY), asked="pptx")

    assert caught.value.problem == "a is no pptx: by its bytes it is Word document"
    assert caught.value.next_steps == ('give file_type "docx", or leave it out',)


def test_plain_text_is_read_as_a_table_when_that_is_asked_for() -> None:
    assert read(b"a,b\n1,2\n", name="notes.txt", asked="csv").rows[1] == (2, "A", ["1", "2"])
    with pytest.raises(InvalidArguments, match="plain text, and nothing says which kind"):
        read(b"a,b\n1,2\n", name="notes.txt")
    with pytest.raises(InvalidArguments, match="is no docx: by its bytes it is plain text"):
        read(b"a,b\n1,2\n", name="notes.txt", asked="docx")


def test_a_zip_bomb_is_refused_unopened() -> None:
    content = package({"[Content_Types].xml": TYPES, "word/document.xml": bytes(BOMB_BYTES + 1)})

    assert f"to {BOMB_BYTES + 1 + len(TYPES):,} bytes, as a zip bomb does" in failure(content)


def test_a_part_that_lies_about_its_size_ends_at_its_bound() -> None:
    content = package({"[Content_Types].xml": TYPES, "word/document.xml": bytes(TREE_BYTES)})
    true, lie = struct.pack("<I", TREE_BYTES), struct.pack("<I", 100)

    assert true in content
    assert "cannot be unpacked" in failure(content.replace(true, lie))


def test_unpacking_stops_where_a_part_grows_like_a_bomb() -> None:
    parts = {"word/document.xml": bytes(BOMB_BYTES * 2), "photo.jpg": Random(1).randbytes(2_000_000)}
    given = source(package({"[Content_Types].xml": TYPES, **parts}))

    with Package(given, "a Word document") as opened, opened.opened("word/document.xml") as part:
        whole = part.read(BOMB_BYTES - 1)
        with pytest.raises(EnvironmentFailure, match="as a zip bomb does"):
            part.read(1 << 20)
    assert len(whole) == BOMB_BYTES - 1


def test_a_part_larger_than_is_held_is_told_from_a_bomb() -> None:
    content = package({"[Content_Types].xml": TYPES, "word/document.xml": bytes(range(256)) * 4})

    with Package(source(content), "a Word document") as opened, pytest.raises(EnvironmentFailure) as caught:
        opened.content("word/document.xml", 1_000)
    assert caught.value.problem == "the part word/document.xml of a has 1,024 bytes; the most that is read is 1,000"


def test_more_parts_than_a_document_has_are_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(packages.MOST_PARTS + 1):
            archive.writestr(str(number), b"")

    assert "the list of 50,001 parts" in failure(made.getvalue())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_and_not_expanded(encoding: str) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    content = package({"[Content_Types].xml": TYPES, "word/document.xml": bomb.encode(encoding)})

    assert "declares entities, which no such document does" in failure(content)


def test_a_book_whose_fonts_alone_are_scrambled_is_read() -> None:
    scrambled = {"META-INF__encryption_DOT_xml": '<e><CipherReference URI="O/font.otf"/></e>'}

    assert read(epub("<p>text</p>", **scrambled)).texts == ["text"]
