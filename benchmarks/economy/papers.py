"""A PDF written by hand and a workbook written by openpyxl: what an office hands to an agent."""

from collections.abc import Sequence
from pathlib import Path

LINES_A_PAGE = 34
WORDS = "the board met and noted the state of the harbour works and of the budget before it went on to other matters"


def write_pdf(path: Path, facts: Sequence[str]) -> None:
    """One page a fact, in Helvetica; the fact stands in the middle of its page's prose."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[str] = []
    for number, fact in enumerate(facts, 1):
        content = _page(number, fact)
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        resources = "<< /Font << /F1 3 0 R >> >>"
        stream = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {resources} /Contents {stream} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    path.write_bytes(_file(objects))


def _page(number: int, fact: str) -> str:
    words = WORDS.split()
    lines = [f"Report of the harbour board, page {number}"]
    for line in range(1, LINES_A_PAGE):
        turned = words[(number * 3 + line) % len(words) :] + words[: (number * 3 + line) % len(words)]
        lines.append(" ".join(turned[:12]))
    lines[LINES_A_PAGE // 2] = f"Decision {number}: berth {fact} is leased for {number * 7 + 3} months"
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 11 Tf 14 TL 60 780 Td\n{shown}\nET"


def _file(objects: Sequence[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def write_sheet(path: Path, rows: Sequence[Sequence[object]]) -> None:
    """A workbook whose second sheet, Costs, holds the rows under one line of headings."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Notes"
    book.active["A1"] = "figures are in the sheet Costs"
    sheet = book.create_sheet("Costs")
    sheet.append(["item", "planned", "spent"])
    for row in rows:
        sheet.append(list(row))
    book.save(path)
