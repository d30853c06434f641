"""A chart as the table of the values that it draws."""

from collections.abc import Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from hilt.documents.cell_formats import general
from hilt.documents.package import attribute, child, local, whole_number
from hilt.documents.tables import table_text

MOST_POINTS = 1_000
"""Points of one series that are read."""


def chart_text(root: Element) -> str:
    """The title and, for each series, its values beside the names of their points."""
    series = [each for each in root.iter() if local(each) == "ser"]
    title = _texts(next((each for each in root.iter() if local(each) == "title"), None))
    no_names: dict[int, str] = {}
    names = next((points for each in series if (points := _points(each, "cat", "xVal"))), no_names)
    columns = [(_name(each), _points(each, "val", "yVal")) for each in series]
    places = sorted({place for points in (names, *(column for _, column in columns)) for place in points})
    rows = [["", *(name for name, _ in columns)]]
    rows += [[names.get(place, ""), *(column.get(place, "") for _, column in columns)] for place in places]
    return "\n".join(filter(None, (f"[chart{f': {title}' if title else ''}]", table_text(rows))))


def _name(series: Element) -> str:
    found = child(series, "tx")
    return " ".join(each.text or "" for each in found.iter() if local(each) == "v") if found is not None else ""


def _points(series: Element, *names: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for name in names:
        holder = child(series, name)
        values = _values(holder) if holder is not None else iter(())
        found.update(islice(values, MOST_POINTS))
    return found


def _values(holder: Element) -> Iterator[tuple[int, str]]:
    for each in holder.iter():
        if local(each) == "pt":
            value = child(each, "v")
            yield whole_number(attribute(each, "idx")), general(value.text or "") if value is not None else ""


def _texts(title: Element | None) -> str:
    return "".join(each.text or "" for each in title.iter() if local(each) in ("t", "v")) if title is not None else ""
