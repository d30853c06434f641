"""One cell of a notebook changed in the notebook's own JSON text, every character outside it left as it is.

The text is never written again from its values: the cell's place in it is found, and only that part
is made anew, indented and escaped as the rest is.
"""

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

CellType = Literal["code", "markdown", "raw"]

ID_BYTES = 4
FIRST_WITH_IDS = (4, 5)
"""The first version of the format whose cells have ids."""

_BLANK = re.compile(r"[ \t\r\n]*")
_MEMBER_INDENT = re.compile(r"\{(\r?\n)([ \t]+)\"")
_RAW_UNICODE = re.compile(r"[^\x00-\x7f]")
_ESCAPED_UNICODE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_PLACE_NAME = re.compile(r"(?:cell-)?(\d+)")


class NotANotebook(ValueError):
    """The text is no notebook of format 4."""


@dataclass(frozen=True, slots=True)
class Span:
    """A JSON value in the text: its first character and the one behind it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCell:
    """A cell, its place in the text, and that of each of its fields."""

    span: Span
    value: Mapping[str, object]
    fields: Mapping[str, Span]

    @property
    def id(self) -> str:
        found = self.value.get("id")
        return found if isinstance(found, str) else ""

    @property
    def type(self) -> str:
        found = self.value.get("cell_type")
        return found if isinstance(found, str) else "raw"

    @property
    def source(self) -> str:
        found = self.value.get("source")
        if isinstance(found, list):
            return "".join(part for part in cast("list[object]", found) if isinstance(part, str))
        return found if isinstance(found, str) else ""


class NotebookText:
    """A notebook as text. Raises NotANotebook for what is none."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            members = dict(_members(text, _skipped(text, 0)))
            self._array = members["cells"]
            self.cells: Sequence[PlacedCell] = tuple(self._cell(span) for span in _elements(text, self._array.start))
            self._version = (_number(text, members.get("nbformat")), _number(text, members.get("nbformat_minor")))
        except (ValueError, KeyError, IndexError, RecursionError) as error:
            raise NotANotebook(str(error)) from None

    @property
    def ids(self) -> tuple[str, ...]:
        """How each cell is called: by its id, or, where it has none of its own, by its place, `cell-3`."""
        count = Counter(cell.id for cell in self.cells)
        return tuple(
            cell.id if cell.id and count[cell.id] == 1 else f"cell-{place}" for place, cell in enumerate(self.cells, 1)
        )

    def twins(self, cell_id: str) -> tuple[str, ...]:
        """How the cells are called that share this id, where several do."""
        shared = [name for name, cell in zip(self.ids, self.cells, strict=True) if cell.id == cell_id]
        return tuple(shared) if len(shared) > 1 else ()

    def index(self, cell_id: str) -> int | None:
        """The place, from 0, of the cell called so; a number is a name too where no cell has an id."""
        names = self.ids
        if cell_id in names:
            return names.index(cell_id)
        named = _PLACE_NAME.fullmatch(cell_id)
        if named and not any(cell.id for cell in self.cells) and 1 <= int(named[1]) <= len(self.cells):
            return int(named[1]) - 1
        return None

    def inserted(self, after: int, source: str, cell_type: CellType) -> tuple[str, str]:
        """The text with a new cell behind the one at `after` (-1: before all), and what the cell is called."""
        cell: dict[str, object] = {"cell_type": cell_type}
        if cell_type == "code":
            cell["execution_count"] = None
        if self._version >= FIRST_WITH_IDS:
            cell["id"] = self._fresh_id()
        cell["metadata"] = {}
        if cell_type == "code":
            cell["outputs"] = []
        cell["source"] = self._source_form(source)
        made, place = self._written(cell, depth=2), after + 1
        if not self.cells:
            border, end = self._line(2), self._line(1)
            text = self._with(Span(self._array.start + 1, self._array.end - 1), f"{border}{made}{end}")
        elif place == 0:
            first = self.cells[0].span.start
            text = self._with(Span(first, first), f"{made},{self._border}")
        else:
            end = self.cells[after].span.end
            text = self._with(Span(end, end), f",{self._border}{made}")
        return text, str(cell.get("id") or f"cell-{place + 1}")

    def deleted(self, place: int) -> str:
        """The text without the cell."""
        if len(self.cells) == 1:
            return self._with(Span(self._array.start + 1, self._array.end - 1), "")
        if place == 0:
            return self._with(Span(self.cells[0].span.start, self.cells[1].span.start), "")
        return self._with(Span(self.cells[place - 1].span.end, self.cells[place].span.end), "")

    def replaced(self, place: int, source: str, cell_type: CellType | None) -> str:
        """The text with other source in the cell, and, of a code cell, no outputs of the old."""
        cell = self.cells[place]
        if cell_type is not None and cell_type != cell.type:
            return self._with(cell.span, self._written(self._of_type(cell, source, cell_type), depth=2))
        changes = {"source": self._source_form(source, like=cell.value.get("source"))}
        if cell.type == "code":
            changes |= {"outputs": [], "execution_count": None}
        spans = {
            name: span for name, span in cell.fields.items() if name in changes and cell.value[name] != changes[name]
        }
        if "source" not in cell.fields:
            return self._with(cell.span, self._written({**cell.value, **changes}, depth=2))
        text = self.text
        for name, span in sorted(spans.items(), key=lambda each: -each[1].start):
            text = text[: span.start] + self._written(changes[name], depth=3) + text[span.end :]
        return text

    def _of_type(self, cell: PlacedCell, source: str, cell_type: CellType) -> Mapping[str, object]:
        """The cell as one of another type: its id, metadata and other fields stay."""
        made = {name: value for name, value in cell.value.items() if name not in ("outputs", "execution_count")}
        made |= {"cell_type": cell_type, "source": self._source_form(source, like=cell.value.get("source"))}
        return {**made, "execution_count": None, "outputs": []} if cell_type == "code" else made

    def _with(self, span: Span, text: str) -> str:
        return self.text[: span.start] + text + self.text[span.end :]

    def _cell(self, span: Span) -> PlacedCell:
        value = _value(self.text, span)
        if not isinstance(value, dict):
            raise NotANotebook("a cell is no object")
        return PlacedCell(
            span=span, value=cast("Mapping[str, object]", value), fields=dict(_members(self.text, span.start))
        )

    def _fresh_id(self) -> str:
        while (found := secrets.token_hex(ID_BYTES)) in self.ids:
            continue
        return found

    def _source_form(self, source: str, like: object = None) -> object:
        """Source as this notebook writes it: a list of lines with their ends, or one text."""
        forms = [like] if like is not None else [cell.value.get("source") for cell in self.cells]
        if any(isinstance(form, str) and form for form in forms) and not any(isinstance(form, list) for form in forms):
            return source
        return re.findall(r"[^\n]*\n|[^\n]+", source)

    def _written(self, value: object, *, depth: int) -> str:
        """JSON text that stands at that depth, indented and escaped like the rest."""
        comma = "," if self._indent or not self._spaced else ", "
        text = json.dumps(
            value,
            ensure_ascii=self._escapes,
            indent=self._indent or None,
            separators=(comma, ": " if self._indent or self._spaced else ":"),
        )
        return text.replace("\n", f"{self._newline}{self._indent * depth}") if self._indent else text

    def _line(self, depth: int) -> str:
        return f"{self._newline}{self._indent * depth}" if self._indent else ""

    @cached_property
    def _layout(self) -> tuple[str, str]:
        """Line ending and indent of one level; both empty where all stands on one line."""
        found = _MEMBER_INDENT.match(self.text, _skipped(self.text, 0))
        return (found[1], found[2]) if found else ("", "")

    @property
    def _newline(self) -> str:
        return self._layout[0]

    @property
    def _indent(self) -> str:
        return self._layout[1]

    @cached_property
    def _escapes(self) -> bool:
        return not _RAW_UNICODE.search(self.text) and bool(_ESCAPED_UNICODE.search(self.text))

    @property
    def _spaced(self) -> bool:
        return '": ' in self.text

    @property
    def _border(self) -> str:
        """What stands between the comma behind a cell and the next."""
        if len(self.cells) > 1:
            return self.text[self.cells[0].span.end : self.cells[1].span.start].replace(",", "", 1)
        alone = self.text[self._array.start + 1 : self.cells[0].span.start]
        return alone or (" " if self._spaced else "")


def _members(text: str, start: int) -> Iterator[tuple[str, Span]]:
    """The names of an object and the places of their values; a name given twice comes twice."""
    at = _skipped(text, _expected(text, start, "{"))
    while text[at] != "}":
        named = _end(text, at)
        name = _value(text, Span(at, named))
        at = _skipped(text, _expected(text, _skipped(text, named), ":"))
        end = _end(text, at)
        yield str(name), Span(at, end)
        at = _behind_comma(text, end)


def _elements(text: str, start: int) -> Iterator[Span]:
    at = _skipped(text, _expected(text, start, "["))
    while text[at] != "]":
        end = _end(text, at)
        yield Span(at, end)
        at = _behind_comma(text, end)


def _behind_comma(text: str, at: int) -> int:
    at = _skipped(text, at)
    return _skipped(text, at + 1) if text[at] == "," else at


def _expected(text: str, at: int, character: str) -> int:
    if text[at] != character:
        raise NotANotebook(f"{character} expected at character {at + 1:,}")
    return at + 1


def _skipped(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _end(text: str, at: int) -> int:
    return json.JSONDecoder().raw_decode(text, at)[1]


def _value(text: str, span: Span) -> object:
    return json.loads(text[span.start : span.end])


def _number(text: str, span: Span | None) -> int:
    value = None if span is None else _value(text, span)
    return value if isinstance(value, int) else 0
