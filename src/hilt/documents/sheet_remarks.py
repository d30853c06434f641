"""What people wrote beside the cells of an Excel sheet: comments, each with its cell and who wrote it."""

from collections.abc import Iterator

from hilt.documents.cell_ranges import CellRange, column_number
from hilt.documents.package import Package, attribute, children, local, whole_number

LONGEST_REMARK = 500
"""Characters of a comment that are told; the number of a longer one's stands behind them."""

_THREADED, _SAID = "[Threaded comment]", "Comment:"


def remarks(package: Package, part: str, wanted: CellRange) -> Iterator[str]:
    """The comments on cells of `wanted`, in the order of the file."""
    for kind, target in package.relations(part).values():
        if kind != "comments" or not package.has(target):
            continue
        root = package.tree(target)
        authors = [(each.text or "").strip() for each in children(root, "authors")]
        for each in children(root, "commentList"):
            place = attribute(each, "ref")
            text = " ".join("".join(run.text or "" for run in each.iter() if local(run) == "t").split())
            if text and inside(place, wanted):
                number = whole_number(attribute(each, "authorId"), len(authors))
                yield _told(place, authors[number] if number < len(authors) else "", text)


def inside(place: str, wanted: CellRange) -> bool:
    """Whether the cell at `place`, or the first of several, is among those asked for."""
    first = place.partition(":")[0]
    letters = first.rstrip("0123456789")
    row, column = whole_number(first[len(letters) :]), column_number(letters) if letters.isalpha() else 0
    rows = wanted.first_row <= row <= wanted.last_row
    return rows and wanted.first_column <= column <= wanted.last_column


def _told(place: str, author: str, text: str) -> str:
    if text.startswith(_THREADED) and _SAID in text:
        text, author = text.partition(_SAID)[2].strip(), ""  # what stands before is for programs that know no threads
    said = text.removeprefix(f"{author}:").strip() if author else text
    cut = said if len(said) <= LONGEST_REMARK else f"{said[:LONGEST_REMARK]}... ({len(said):,} characters)"
    return f"{place} by {author}: {cut}" if author else f"{place}: {cut}"
