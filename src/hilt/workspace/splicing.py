"""A file's content with new text in its places: pieces of the old, never copied or decoded, and line numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from hilt.workspace.anchors import Place
from hilt.workspace.encoded import EncodedText

MOST_BUFFERS = 512
"""Beyond this many places one copy of everything is quicker to write than the pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spliced:
    """The content after all edits, in pieces; for each place the lines it takes in it, first and last, and its byte."""

    buffers: Sequence[bytes | memoryview]
    lines: Sequence[tuple[int, int]]
    starts: Sequence[int]


def spliced(file: EncodedText, places: Sequence[Place]) -> Spliced:
    """Put the new text of `places`, in the order of the file, in the place of the old."""
    whole = memoryview(file.content)
    buffers: list[bytes | memoryview] = []
    lines: list[tuple[int, int]] = []
    starts: list[int] = []
    at, line, grown = 0, 1, 0
    for place in places:
        buffers += [whole[at : place.start], place.new]
        line += file.feeds(at, place.start)
        last = line + file.feeds_of(place.new)
        ended = bool(place.new) and file.ends_line(place.new)
        lines.append((line, last - ended))
        starts.append(place.start + grown)
        grown += len(place.new) - (place.end - place.start)
        at, line = place.end, last
    buffers.append(whole[at:])
    if len(places) > MOST_BUFFERS:
        buffers = [b"".join(buffers)]
    return Spliced(buffers=buffers, lines=lines, starts=starts)
