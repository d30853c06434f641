"""A Jupyter notebook as cells: source whole, outputs as text and cut, pictures only named."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.results.failures import InvalidArguments

OUTPUT_BYTES = 2_000
"""The most shown of one cell's outputs; the rest is said in bytes."""

NOTEBOOK_BYTES = 64 * 1024**2
"""The largest notebook read as cells."""

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookCell:
    """One cell, from 1. `id` is the notebook's own, empty where it has none; `type` code, markdown or raw."""

    number: int
    id: str
    type: str
    text: str
    outputs: tuple[str, ...]


class Cell(TypedDict):
    """A cell as shown: `column` bytes of its text come before `text`, `more_bytes` after, where it was cut."""

    cell: int
    id: str
    type: str
    text: str
    outputs: list[str]
    column: NotRequired[int]
    more_bytes: NotRequired[int]


def read_notebook(content: bytes) -> tuple[NotebookCell, ...] | None:
    """The cells of a notebook of format 4; None for what is no such notebook."""
    try:
        whole: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    cells = _mapping(whole).get("cells")
    if not isinstance(cells, list):
        return None
    return tuple(_cell(number, _mapping(cell)) for number, cell in enumerate(cast("list[object]", cells), 1))


def cell_page(
    cells: Sequence[NotebookCell], name: str, *, first: int, most: int, column: int, page_bytes: int
) -> list[Cell]:
    """At most `most` cells from `first` (from 1), as far as `page_bytes` go, at least one.

    A cell too long for the page ends it, cut. With `column`, that cell alone without its first
    `column` bytes. Raises InvalidArguments past the end.
    """
    if first > max(len(cells), 1):
        raise InvalidArguments(
            f"offset {first:,} is past the end: {name} has {len(cells):,} cells", f"give an offset up to {len(cells)}"
        )
    length = len(cells[first - 1].text.encode()) if cells else 0
    if column and column >= length:
        raise InvalidArguments(
            f"column {column:,} is past the end: cell {first:,} of {name} has {length:,} bytes",
            f"give a column below {length}, or leave it out",
        )
    page: list[Cell] = []
    room = page_bytes
    for cell in cells[first - 1 : first - 1 + (1 if column else most)]:
        item, cost = _shown_cell(cell, column, page_bytes)
        if page and cost > room:
            break
        room -= cost
        page.append(item)
        if "more_bytes" in item:
            break
    return page


def _shown_cell(cell: NotebookCell, column: int, page_bytes: int) -> tuple[Cell, int]:
    """The cell as shown and its cost; half the page is for its text, half for its outputs."""
    encoded = cell.text.encode()
    text = encoded[column:].decode("utf-8", "ignore")
    kept = text.encode()[: page_bytes // 2].decode("utf-8", "ignore")
    most = page_bytes // 2 // OUTPUT_BYTES
    outputs = [] if column else list(cell.outputs[:most])
    if not column and len(cell.outputs) > most:
        outputs.append(f"[{len(cell.outputs) - most:,} more outputs, not shown]")
    item = Cell(cell=cell.number, id=cell.id, type=cell.type, text=kept, outputs=outputs)
    more = len(text.encode()) - len(kept.encode())
    if column:
        item["column"] = min(column, len(encoded))
    if more:
        item["more_bytes"] = more
    return item, len(kept.encode()) + sum(len(output.encode()) for output in outputs)


def _cell(number: int, cell: Mapping[str, object]) -> NotebookCell:
    return NotebookCell(
        number=number,
        id=_text(cell.get("id")),
        type=_text(cell.get("cell_type")) or "raw",
        text=_text(cell.get("source")),
        outputs=tuple(_cut(output) for output in _outputs(cell.get("outputs"))),
    )


def _outputs(outputs: object) -> Iterator[str]:
    for output in cast("list[object]", outputs) if isinstance(outputs, list) else []:
        fields = _mapping(output)
        match fields.get("output_type"):
            case "stream":
                yield _plain(fields.get("text"))
            case "error":
                yield f"{_text(fields.get('ename'))}: {_text(fields.get('evalue'))}\n{_plain(_traceback(fields))}"
            case _:
                yield from _shown(_mapping(fields.get("data")))


def _shown(forms: Mapping[str, object]) -> Iterator[str]:
    """One form of an output: text where it has one; pictures and the like by type and size."""
    others = [name for name in forms if not name.startswith("text/")]
    yield from (f"[{name}, {len(_text(forms[name])):,} characters of base64 or JSON, not shown]" for name in others)
    for name in ("text/plain", "text/markdown", "text/html"):
        if name in forms:
            yield _plain(forms[name])
            return


def _traceback(fields: Mapping[str, object]) -> str:
    lines = fields.get("traceback")
    return "\n".join(_text(line) for line in cast("list[object]", lines)) if isinstance(lines, list) else ""


def _plain(value: object) -> str:
    return _COLOURS.sub("", _text(value)).rstrip("\n")


def _text(value: object) -> str:
    """A notebook's text: one string, or a list of lines with their ends. Always encodes to UTF-8."""
    if isinstance(value, list):
        return "".join(_text(part) for part in cast("list[object]", value))
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else ""


def _cut(output: str) -> str:
    encoded = output.encode()
    if len(encoded) <= OUTPUT_BYTES:
        return output
    kept = encoded[:OUTPUT_BYTES].decode("utf-8", "ignore")
    return f"{kept} [... {len(encoded) - len(kept.encode()):,} bytes more of this output]"


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
