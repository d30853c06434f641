"""The first pass: which files match and how often, exactly, before a single line is shown.

Ripgrep counts in parallel and in no order; the order, any page and every total are made here.
Sorting in ripgrep (`--sort path`) would take one thread and more than twice the time.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate

from hilt.workspace.search.command import (
    HERE,
    Query,
    Selection,
    listing,
    matching,
    named,
    overrides,
    selecting,
    unrestricted,
)
from hilt.workspace.search.place import Place
from hilt.workspace.search.program import ERROR_CODE, Ended, Run, collect, descriptor_name, side_by_side, stream
from hilt.workspace.search.refusals import Unreadable, refuse_bad_arguments, unreadable

MOST_COUNTED = 100_000
"""Files counted to say how many were not searched; beyond, "more than" is said."""

_RECORD = re.compile(rb"([^\0]+)\0(\d+)\r?\n")
_PREFIX = len("./")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one page takes from one file: skip so many of its matches, take so many, of so many in all."""

    name: bytes
    skip: int
    take: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The matching files in byte order of their paths below the place, and each one's count.

    A count is of matching lines, or of matches where the query is multiline. Both totals are
    exact for what could be read when it was read; `unreadable` is what could not.
    """

    names: Sequence[bytes]
    counts: Sequence[int]
    unreadable: Unreadable

    @cached_property
    def _ends(self) -> list[int]:
        """For each file, the matches up to and including it."""
        return list(accumulate(self.counts))

    @property
    def files(self) -> int:
        return len(self.names)

    @property
    def matches(self) -> int:
        return self._ends[-1] if self._ends else 0

    def shares(self, offset: int, limit: int) -> Iterator[Share]:
        """The files that hold matches `offset` to `offset + limit`; a limit of 0 is none."""
        last = min(offset + limit, self.matches) if limit else self.matches
        position = bisect_right(self._ends, offset)
        while position < len(self.names) and offset < last:
            end, count = self._ends[position], self.counts[position]
            skip = offset - (end - count)
            take = min(end, last) - offset
            yield Share(name=self.names[position], skip=skip, take=take, count=count)
            offset += take
            position += 1


async def count_matches(place: Place, query: Query, selection: Selection) -> Counts:
    """Every matching file and how often it matches.

    Raises InvalidArguments for a pattern, glob or type that ripgrep does not take.
    """
    counting = ["--null", "--with-filename", "--count-matches" if query.multiline else "--count", *matching(query)]
    if place.kind == "file":
        name = descriptor_name(place.descriptor)
        # A file named by the caller is searched even where it looks binary.
        ended = await collect(Run(options=[*counting, "--text", *named([name])], inherits=[place.descriptor]))
        records, allowed = _records(ended.output), None
    else:
        run = Run(options=[*counting, *selecting(selection), *HERE], folder=place.descriptor)
        ended, allowed = await _with_listing(run, place, selection)
        records = [(name[_PREFIX:], count) for name, count in _records(ended.output)]
    if ended.code == ERROR_CODE:
        await refuse_bad_arguments(query, selection)
    kept = [record for record in records if allowed is None or record[0] in allowed]
    return Counts(
        names=[name for name, _ in kept],
        counts=[count for _, count in kept],
        unreadable=unreadable(ended.complaints if ended.code == ERROR_CODE else ""),
    )


def _records(output: bytes) -> list[tuple[bytes, int]]:
    """`path NUL count LF` (CRLF with `--crlf`), sorted by path. Names that hold line feeds take the slower way."""
    lines = output.split(b"\n")
    lines.pop()
    if len(lines) != output.count(b"\0"):
        return sorted((match[1], int(match[2])) for match in _RECORD.finditer(output))
    lines.sort()  # NUL is the least byte: whole records sort as their paths do
    return [(name, int(count)) for name, _, count in (line.partition(b"\0") for line in lines)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The files of a selection, unsorted, paths below the folder searched."""

    names: Sequence[bytes]
    unreadable: Unreadable


async def list_names(place: Place, selection: Selection) -> Names:
    """Every file of a selection. Raises InvalidArguments for a glob or type that ripgrep does not take."""
    ended, allowed = await _with_listing(_listing(place, selecting(selection)), place, selection)
    if ended.code == ERROR_CODE:
        await refuse_bad_arguments(None, selection, glob_name="pattern")
    names = [name for name in _names(ended) if allowed is None or name in allowed]
    return Names(names=names, unreadable=unreadable(ended.complaints if ended.code == ERROR_CODE else ""))


async def _with_listing(run: Run, place: Place, selection: Selection) -> tuple[Ended[bytes], frozenset[bytes] | None]:
    """A run, and beside it the files it should have kept to, where its glob overrode that."""
    if not overrides(selection):
        return await collect(run), None
    ended, listed = await side_by_side(partial(collect, run), partial(collect, _listing(place, listing(selection))))
    return ended, frozenset(_names(listed))


def _listing(place: Place, options: Sequence[str]) -> Run:
    return Run(options=["--files", "--null", *options, *HERE], folder=place.descriptor)


def _names(ended: Ended[bytes]) -> list[bytes]:
    names = ended.output.split(b"\0")
    names.pop()
    return [name[_PREFIX:] for name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far an empty search looked: files searched, and files of the selection left out as ignored or hidden.

    A figure of `MOST_COUNTED` means at least so many; None means that it was not counted.
    """

    searched: int
    left_out: int | None


async def reach(place: Place, selection: Selection) -> Reach:
    """Count what a selection covers and what it leaves out; to be told when nothing was found."""
    countings = [partial(_count_selected, place, selection)]
    if selection.glob is None or selection.file_type is None:  # a glob would override the type
        countings.append(partial(_count_files, place, unrestricted(selection)))
    searched, *everything = await side_by_side(*countings)
    return Reach(searched=searched, left_out=max(0, everything[0] - searched) if everything else None)


async def _count_selected(place: Place, selection: Selection) -> int:
    if overrides(selection):
        return len((await list_names(place, selection)).names)
    return await _count_files(place, selecting(selection))


async def _count_files(place: Place, options: Sequence[str]) -> int:
    counted = 0

    def feed(block: bytes) -> bool:
        nonlocal counted
        counted = min(MOST_COUNTED, counted + block.count(b"\0"))
        return counted < MOST_COUNTED

    await stream(_listing(place, options), feed)
    return counted
