"""Tables of a text as tables of Markdown."""

from collections.abc import Sequence


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """A table, its first row as the heading; empty where no cell holds anything."""
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    lines = [_line(row, width) for row in filled]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def nested_text(rows: Sequence[Sequence[str]]) -> str:
    """A table that stands in a cell of another, on one line."""
    return "[table: " + " / ".join("; ".join(cell.strip() for cell in row) for row in rows) + "]"


def _line(row: Sequence[str], width: int) -> str:
    cells = [cell.strip().replace("|", "\\|").replace("\n", "<br>") for cell in row]
    return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"
