"""Rows of a sheet that nobody asked for, left out before they are parsed.

Parsing a cell costs a hundred times what finding the end of its row does. So a range deep in a large
sheet is reached by the bytes of its XML; whatever looks unusual there ends this, and all is parsed.
"""

import re
from collections.abc import Iterator

LONGEST_ROW = 16 * 1024**2
"""More bytes without the end of a row are passed on as they are."""

_BEGIN, _END = b"<sheetData>", b"</row>"
_NUMBER = re.compile(rb'<row (?:[^<>]*? )?r="([0-9]{1,9})"')
_OTHER_ENCODING = re.compile(rb"encoding\s*=\s*[\"'](?!utf-8)", re.IGNORECASE)
_MASTER = (b't="shared"', b' ref="')


def without_other_rows(blocks: Iterator[bytes], first: int, last: int) -> Iterator[bytes]:
    """The XML of a sheet, its rows before `first` and behind `last` left out as far as they can be told.

    A row before `first` stays where it holds a formula that later rows share.
    """
    rest = b""
    for block in blocks:
        rest += block
        if _BEGIN in rest or len(rest) > LONGEST_ROW:
            break
    head, begin, rest = rest.partition(_BEGIN)
    yield head + begin
    usual = bool(begin) and b"<!" not in head and not _OTHER_ENCODING.search(head)
    number = 0
    while usual:
        *rows, rest = rest.split(_END)
        for place, row in enumerate(rows):
            found = _number(row)
            if found is None:
                # Rows are counted from the one before, which may be among those left out.
                yield b'<row r="%d"/>' % number if number else b""
                rest = _END.join((*rows[place:], rest))
                usual = False
                break
            number = found
            if first <= number <= last or (number < first and all(mark in row for mark in _MASTER)):
                yield row + _END
        block = next(blocks, b"") if usual else b""
        rest += block
        usual = bool(block) and len(rest) <= LONGEST_ROW
    yield rest
    yield from blocks


def _number(row: bytes) -> int | None:
    """The number of the row that ends here; None where that cannot be told."""
    if b"<!" in row:
        return None
    match = _NUMBER.match(row, max(row.rfind(b"<row "), 0))
    return int(match[1]) if match else None
