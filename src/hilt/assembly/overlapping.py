"""Everything that `hilt overlap` reports: what declarations tell, what the trace does, what a shell does as well."""

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hilt.assembly.history import Called, calls
from hilt.assembly.shelf import SERVER
from hilt.assembly.targets import Listing
from hilt.catalog.finding import document
from hilt.catalog.nearness import Meaning
from hilt.catalog.overlap import Overlap, families, pairs, path, together
from hilt.catalog.overlap_words import COMMANDS
from hilt.catalog.search_document import Document
from hilt.catalog.search_words import words
from hilt.results.counting import Counter
from hilt.store.protocol import Store

SHELL = "run_command"
MOST_CALLS = 100_000
LEAST_TIMES = 5
"""How often one call must have followed another before anything is said of it."""
ALWAYS = 0.9
"""The share of all calls of either tool that "nearly always" is."""


def overlaps(listing: Listing, meaning: Meaning, counter: Counter, made: Sequence[Called]) -> tuple[Overlap, ...]:
    """What overlaps among these tools, what saves most first."""
    documents = documents_of(listing)
    alike = families(documents, counter)
    known = together(alike)
    near = pairs(documents, meaning, lambda one, other: frozenset((one, other)) in known)
    shell = by_shell(documents) if SHELL in listing.offered else ()
    return (*alike, *near, *chains(made), *shell)


def documents_of(listing: Listing) -> list[Document]:
    """The tools of a listing as they are compared."""
    environment = listing.environment
    return [
        document(each.declaration, server=each.server, description=each.declaration.text(environment))
        for each in listing.tools
    ]


def by_shell(documents: Iterable[Document]) -> tuple[Overlap, ...]:
    """Tools of others that a plain command does as well, where commands can be run."""
    return tuple(
        Overlap(kind="shell", tools=(path(each),), reason=f"{SHELL} does it: {command}")
        for each in documents
        if each.server != SERVER and (command := COMMANDS.get(" ".join(words(each.name))))
    )


def chains(made: Sequence[Called]) -> tuple[Overlap, ...]:
    """Tools of which one nearly always follows the other; `made` are calls in order, session by session.

    Arguments are digests in the trace: whether a result is what the next call asks with, only a person sees.
    """
    times = Tally(each.tool for each in made)
    following = Tally(
        (before.tool, after.tool)
        for before, after in pairwise(made)
        if before.session == after.session and before.tool != after.tool
    )
    return tuple(
        Overlap(
            kind="chain",
            tools=(first, then),
            reason=f"{then} followed {first} {count} times, of {times[first]} and {times[then]} calls: could be one",
        )
        for (first, then), count in following.most_common()
        if count >= LEAST_TIMES and count >= ALWAYS * max(times[first], times[then])
    )


async def calls_made(store: Store) -> list[Called]:
    """All calls kept, session by session, in order."""
    found = await calls(store, session=None, wanted=lambda _: True, most=MOST_CALLS)
    return sorted(found, key=lambda each: (each.session, each.at))
