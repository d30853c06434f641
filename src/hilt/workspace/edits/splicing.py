"""A file's content with new text in its places: pieces of the old, never copied or decoded, and line numbers."""

from collections.abc import Sequence

from hilt.workspace.edits.anchors import Place
from hilt.workspace.edits.encoded import EncodedText

MOST_BUFFERS = 512
"""Beyond this many places one copy of everything is quicker to write than the pieces."""


def spliced(file: EncodedText, places: Sequence[Place]) -> Sequence[bytes | memoryview]:
    """The content with the new text of `places`, in the order of the file, in the place of the old."""
    whole = memoryview(file.content)
    buffers: list[bytes | memoryview] = []
    at = 0
    for place in places:
        buffers += [whole[at : place.start], place.new]
        at = place.end
    buffers.append(whole[at:])
    return buffers if len(places) <= MOST_BUFFERS else [b"".join(buffers)]


def changed_lines(file: EncodedText, places: Sequence[Place]) -> Sequence[tuple[int, int]]:
    """For each place the first and the last line that it takes in the new content."""
    lines: list[tuple[int, int]] = []
    at, line = 0, 1
    for place in places:
        line += file.feeds(at, place.start)
        last = line + file.feeds_of(place.new)
        ended = bool(place.new) and file.ends_line(place.new)
        lines.append((line, last - ended))
        at, line = place.end, last
    return lines


def new_starts(places: Sequence[Place]) -> Sequence[int]:
    """For each place the byte at which it begins in the new content."""
    starts: list[int] = []
    grown = 0
    for place in places:
        starts.append(place.start + grown)
        grown += len(place.new) - (place.end - place.start)
    return starts
