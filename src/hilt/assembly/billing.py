"""What bills need beside declarations: counts kept from the last time, and what it would cost if everything waited.

To load the vocabulary takes a third of a second and to count seven hundred declarations a tenth, so that a count
is kept by the content it is of: a bill of tools that were counted before loads no vocabulary.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

import platformdirs

from hilt.assembly.kept_files import write_whole
from hilt.assembly.shelf import SERVER, shelf
from hilt.assembly.targets import Listing
from hilt.catalog.bill import Bill, declared_text
from hilt.catalog.residence import BUILT_IN, FIND
from hilt.declarations.description import Environment
from hilt.results.counting import QUARTER_BYTES, Counter

DIGEST, COUNT = 16, 4
"""Bytes of a record: whose count it is, and the count."""
MOST_KEPT = 50_000
"""Counts kept, one megabyte; with more the file is begun again."""


@contextmanager
def kept_counts(counter: Counter, folder: Path | None = None) -> Generator[Counter]:
    """The same counter, which knows what it counted before; a cache that cannot be read or written is left alone."""
    if counter.name == QUARTER_BYTES.name:
        yield counter
        return
    file = (folder or platformdirs.user_cache_path("hilt") / "counts") / f"{counter.name.replace('/', '_')}.bin"
    known = _read(file)
    fresh: dict[bytes, int] = {}

    def count(text: str) -> int:
        digest = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=DIGEST).digest()
        found = known.get(digest)
        if found is None:
            found = known[digest] = fresh[digest] = counter.count(text)
        return found

    yield Counter(name=counter.name, count=count)
    if fresh:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, _written(known if len(known) <= MOST_KEPT else fresh))


def _read(file: Path) -> dict[bytes, int]:
    try:
        content = file.read_bytes()
    except OSError:
        return {}
    size = DIGEST + COUNT
    if len(content) % size:
        return {}
    return {
        content[at : at + DIGEST]: int.from_bytes(content[at + DIGEST : at + size], "little")
        for at in range(0, len(content), size)
    }


def _written(counts: dict[bytes, int]) -> bytes:
    return b"".join(digest + count.to_bytes(COUNT, "little") for digest, count in counts.items())


def all_waiting(listing: Listing, whole: Bill, counter: Counter) -> int:
    """Tokens of every turn if each tool waited that can: the built-in residents, and the tool that finds the others."""
    if not whole.rows:
        return 0
    kept = [row for row in whole.rows if row.server == SERVER and row.name in BUILT_IN]
    tokens = whole.preamble + sum(row.tokens for row in kept)
    if any(row.name == FIND for row in kept):
        return tokens
    (finder,) = shelf([FIND]).tools
    waiting: dict[str, list[str]] = {}
    for each in listing.tools:
        waiting.setdefault(each.server, []).append(each.original)
    text = finder.declaration.text(Environment(offered=listing.offered, waiting=waiting))
    return tokens + counter.count(declared_text(FIND, text, finder.declaration.parameters))
