"""What a change would do to a file, as people read changes: a unified diff."""

from collections.abc import Iterator
from difflib import unified_diff

from hilt.workspace.encodings import SAMPLE_BYTES, detect
from hilt.workspace.text import decode

MOST_COMPARED = 1 << 17
"""Bytes of either side that are compared; comparing takes longer the more they differ."""
CONTEXT = 3
"""Unchanged lines around each change."""
_NO_FEED = "\\ No newline at end of file"


def difference(old: bytes, new: bytes, name: str) -> str:
    """The unified diff from `old` to `new`, or what is to be said where there is none to show."""
    if old == new:
        return f"{name} would stay as it is"
    if max(len(old), len(new)) > MOST_COMPARED:
        return f"{name}: {len(old):,} bytes would become {len(new):,}; more than is compared"
    before, after = _text(old), _text(new)
    if before is None or after is None:
        return f"{name}: binary, {len(old):,} bytes would become {len(new):,}"
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name, n=CONTEXT)
    return "".join(_whole(lines)).rstrip("\n")


def _text(content: bytes) -> str | None:
    encoding = detect(content[:SAMPLE_BYTES], complete=len(content) <= SAMPLE_BYTES)
    if not content:
        return ""
    return None if encoding is None else decode(content, encoding.name)[0]


def _whole(lines: Iterator[str]) -> Iterator[str]:
    """Every line with a line feed, and it said where the file has none."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n{_NO_FEED}\n"
