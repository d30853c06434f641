"""The present text around places of a file, numbered as `read_file` numbers it: enough to judge an edit by."""

from collections.abc import Sequence

from hilt.workspace.edits.anchors import Place
from hilt.workspace.edits.encoded import EncodedText
from hilt.workspace.edits.invisible import clipped

AROUND = 1
"""Lines before and behind each place."""

MOST_LINES = 12
"""Lines shown in all."""

LINE_CHARACTERS = 160


def neighbourhood(file: EncodedText, places: Sequence[Place]) -> str:
    """The lines of the places, in the order of the file, and a line or so around each."""
    shown: dict[int, str] = {}
    left_out = False
    for place in places:
        at, number = file.line_start(place.start), file.line_of(place.start)
        for _ in range(AROUND):
            if at > file.encoding.mark:
                at, number = file.line_start(at - file.unit), number - 1
        behind = -1
        while behind < AROUND and at < len(file.content):
            if len(shown) >= MOST_LINES and number not in shown:
                left_out = True
                break
            end = file.line_end(at)
            shown[number] = _line(file, at, end, place)
            behind += end >= place.end
            at, number = end + file.unit, number + 1
    lines = [f"{number}\t{text}" for number, text in sorted(shown.items())]
    return "\n".join([*lines, "[...]"] if left_out else lines)


def _line(file: EncodedText, start: int, end: int, place: Place) -> str:
    """A line as it stands, clipped; of a long one what is near the place."""
    if start <= place.start <= end:
        return clipped(file.glimpse(place.start).removesuffix("\r"), LINE_CHARACTERS)
    return clipped(file.shown(start, min(end, start + 4 * LINE_CHARACTERS)).removesuffix("\r"), LINE_CHARACTERS)
