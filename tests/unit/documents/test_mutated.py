"""Whatever the bytes of a document are, reading them ends in text or in a failure that says why."""

import io
import zipfile
from random import Random

import pytest

from hilt.results.failures import ToolFailure
from tests.unit.documents.making import epub, open_document, package, word, workbook
from tests.unit.documents.reading import read
from tests.unit.documents.test_pdf import pdf
from tests.unit.documents.test_slides_and_tables import presentation
from tests.unit.documents.test_spreadsheets import SHEET

ROUNDS = 60
PARTS = (None, None, "1", "2-3", "A1:B2", "Scope", "#1")
VALUES = ("", "-1", "9" * 30, "0", "x", "\u00b2", "1e999", "NaN", "../../x", "$A$1", "\U0001f600")
TEXT = "<w:p><w:pPr><w:outlineLvl w:val='0'/></w:pPr><w:r><w:t>Scope</w:t></w:r></w:p>"
ROWS = '<row r="1"><c r="A1" s="0"><v>1.5</v></c><c r="B1" t="s"><v>0</v></c></row>'
MADE = {
    "docx": word(f"{TEXT}<w:tbl><w:tr><w:tc>{TEXT}</w:tc></w:tr></w:tbl>"),
    "xlsx": workbook(ROWS, strings="<si><t>a</t></si>", styles="<cellXfs><xf numFmtId='4'/></cellXfs>"),
    "pptx": presentation(),
    "odt": open_document(
        "text", "<office:text><text:h>Scope</text:h><text:p>x<text:s text:c='3'/></text:p></office:text>"
    ),
    "ods": open_document("spreadsheet", SHEET),
    "epub": epub("<h1>Scope</h1><p>x</p>", "<table><tr><td colspan=2>1</table>"),
    "html": b"<html><h1>Scope</h1><table><tr><td rowspan=3>1<td>2</table><ul><li>a<li>b",
    "csv": b'a;b\n"x ""y""\nz";2\n',
    "pdf": pdf("one", "two"),
}


def mutated(content: bytes, random: Random) -> bytes:
    """The same with some bytes changed, lost, doubled or added."""
    made = bytearray(content)
    for _ in range(random.choice((1, 2, 20))):
        at = random.randrange(len(made) + 1)
        match random.randrange(4):
            case 0:
                made[at : at + 1] = random.randbytes(1)
            case 1:
                del made[at : at + random.choice((1, 5, 100))]
            case 2:
                made[at:at] = made[max(0, at - 50) : at]
            case _:
                made[at : at + 4] = random.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"9999"))
    return bytes(made)


def mutated_inside(content: bytes, random: Random) -> bytes:
    """A package one of whose parts has a value replaced or bytes changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice([name for name in parts if name.endswith(("xml", "rels", "xhtml", "opf"))])
    pieces = parts[name].split(b'"')
    if random.random() < 0.6 and len(pieces) > 2:
        pieces[random.randrange(1, len(pieces), 2)] = random.choice(VALUES).encode()
        parts[name] = b'"'.join(pieces)
    else:
        parts[name] = mutated(parts[name], random)
    return package(parts)


@pytest.mark.parametrize("kind", MADE)
def test_only_failures_for_the_model_come_out_of_broken_documents(kind: str) -> None:
    random = Random(7)
    outcomes: set[str] = set()
    for _ in range(ROUNDS):
        inside = MADE[kind].startswith(b"PK") and random.random() < 0.7
        content = (mutated_inside if inside else mutated)(MADE[kind], random)
        try:
            read(content, random.choice(PARTS), name=f"a.{kind}")
            outcomes.add("read")
        except ToolFailure as failure:
            outcomes.add(failure.kind)

    assert "read" in outcomes
    assert len(outcomes) > 1
