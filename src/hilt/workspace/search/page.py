"""The second pass: the lines of one page, from only the files the page touches.

Files are opened here and handed to ripgrep as descriptors, a batch at a time, in page order.
A file in whose middle the page begins is read in a run of its own, whose first matches are
dropped as they stream by: a page deep in one file costs time, not memory.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hilt.workspace.handles import FileVersion, version_of
from hilt.workspace.search.command import Query, matching, named
from hilt.workspace.search.counts import Counts, Share
from hilt.workspace.search.lines import LineReader
from hilt.workspace.search.matches import MatchReader
from hilt.workspace.search.place import Place, open_files
from hilt.workspace.search.program import Run, descriptor_name, stream
from hilt.workspace.search.window import Hit, Window

MOST_FILES_A_RUN = 250
"""Descriptors one run inherits: a page of so many matches is one run, and four are below the usual 1,024 a process."""

LONGEST_READ_LINE = 1 << 22
"""Bytes of one line that ripgrep hands over; of a longer one only the beginning is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHits:
    """The hits of one file on a page, by the file's path below the place; `version` is its state before it was read."""

    name: bytes
    hits: Sequence[Hit]
    version: FileVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page's files in order. `changed` files no longer match as often as when they were counted."""

    files: Sequence[FileHits]
    changed: Sequence[bytes]


class Reader(Protocol):
    """Takes ripgrep's output block by block and hands each row to the windows of its files."""

    def feed(self, block: bytes) -> bool:
        """Take one block; False once nothing more is wanted."""
        ...


async def read_page(
    place: Place, query: Query, counts: Counts, *, offset: int, limit: int, before: int = 0, after: int = 0
) -> Page:
    """The matches from `offset`, at most `limit` (0 for all), each with so many lines before and after."""
    files: list[FileHits] = []
    changed: list[bytes] = []
    for batch in _batches(counts.shares(offset, limit)):
        windows = [Window(skip=share.skip, take=share.take, before=before, after=after) for share in batch]
        versions = await _read(place, query, batch, windows, before=before, after=after)
        for share, window, version in zip(batch, windows, versions, strict=True):
            hits = window.hits()
            if hits and version is not None:
                files.append(FileHits(name=share.name, hits=hits, version=version))
            if window.met != share.count and (
                window.met < share.skip + share.take or share.skip + share.take == share.count
            ):
                changed.append(share.name)
    return Page(files=files, changed=changed)


def _batches(shares: Iterator[Share]) -> Iterator[Sequence[Share]]:
    batch: list[Share] = []
    for share in shares:
        if share.skip:  # only ever the first of a page
            yield [share]
            continue
        batch.append(share)
        if len(batch) == MOST_FILES_A_RUN:
            yield batch
            batch = []
    if batch:
        yield batch


async def _read(
    place: Place, query: Query, batch: Sequence[Share], windows: Sequence[Window], *, before: int, after: int
) -> Sequence[FileVersion | None]:
    """Feed the windows; the state of each file as it was opened, None for what is gone."""
    async with open_files(place, [share.name for share in batch]) as descriptors:
        there = {
            descriptor: window
            for descriptor, window in zip(descriptors, windows, strict=True)
            if descriptor is not None
        }
        versions = [None if each is None else version_of(os.fstat(each)) for each in descriptors]
        if not there:
            return versions
        by_name = {descriptor_name(descriptor).encode(): window for descriptor, window in there.items()}
        most = max(share.skip + share.take for share in batch)
        options = [
            *matching(query),
            "--text",  # the first pass left binary files out
            "--threads=1",  # files in the order given
            f"--max-count={most + 1}",  # one more, to see that a file has grown
            f"--before-context={before}",
            f"--after-context={after}",
            *_form(query),
            *named([name.decode() for name in by_name]),
        ]
        reader: Reader = MatchReader(by_name) if query.multiline else LineReader(by_name, LONGEST_READ_LINE)
        await stream(Run(options=options, inherits=list(there)), reader.feed)
        return versions


def _form(query: Query) -> list[str]:
    if query.multiline:
        return ["--json"]
    return [
        "--null",
        "--with-filename",
        "--line-number",
        "--column",
        "--no-heading",
        "--no-context-separator",
        f"--max-columns={LONGEST_READ_LINE}",
        "--max-columns-preview",
    ]
