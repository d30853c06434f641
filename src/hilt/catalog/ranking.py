"""Finding a tool by words: BM25F over all that a declaration says, best first.

A word of the query counts through the best of what it may stand for, never through all of them. With a
`Meaning` the score by words is mixed with nearness in meaning. A tool's exact name always comes first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hilt.catalog.nearness import Meaning, Nearness
from hilt.catalog.search_document import Document, meaning_text
from hilt.catalog.search_postings import Postings
from hilt.catalog.search_query import Asked, Concept, read_query
from hilt.catalog.search_words import words

__all__ = ["Document", "Found", "Index", "find"]

NAME = 0.6
"""How much more a tool counts whose whole name is in what is asked; as much of it as the share that is."""
TIE = 1e-12
"""What a tool counts less for each whose id comes before its own: it decides between two that say the same."""
NAMED_SERVER = 3.0
"""How many times as much a tool of the server that is named counts: where it is the right one, as good as leaving out
all others; where it is the wrong one, nearly as good as naming none."""
NEAR, MOST_BY_MEANING = 0.3, 20
"""The cosine from which a tool is found by meaning alone, and how many are at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Places of the documents that match, best first, and the words of the query that none has.

    `elsewhere` says that a server was named and nothing of it matches: these are of other servers.
    """

    places: tuple[int, ...]
    unmatched: tuple[str, ...]
    elsewhere: bool = False


class Index:
    """Documents read once, to be searched many times. With a `meaning`, also by nearness in meaning."""

    def __init__(self, documents: Sequence[Document], meaning: Meaning | None = None) -> None:
        ids = [f"{each.server}/{each.name}" for each in documents]
        order = sorted(range(len(documents)), key=lambda place: (ids[place], place))
        later = [0.0] * len(documents)
        for number, place in enumerate(order):
            later[place] = number * TIE
        self._servers = [_plain(each.server) for each in documents]
        self._exact: dict[str, list[int]] = {}
        for place in order:
            called = (documents[place].name, ids[place], *documents[place].aliases)
            for name in {_plain(each) for each in called} - {""}:
                self._exact.setdefault(name, []).append(place)
        self._postings = Postings(documents, later)
        self._mix = _Mix(documents, meaning, later) if meaning is not None else None

    def find(self, query: str, *, server: str = "") -> Found:
        """The documents for a query, best first; those that match nothing are left out, equal ones go by their id.

        What is on the named `server` counts more; `+word` leaves only documents that have the word.
        """
        asked = read_query(query)
        scores, unmatched = self._by_words(asked.concepts)
        if self._mix is not None:
            scores = self._mix.mixed(scores, asked)
        exact = self._exact.get(asked.plain, ())
        for place in exact:
            scores.setdefault(place, 0.0)
        if asked.must:
            scores, missing = self._with_all(asked, scores)
            unmatched += missing
        named = self._on(server, scores) if server else frozenset[int]()
        scores |= {place: scores[place] * NAMED_SERVER for place in named}
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        if exact:
            unmatched = []
            ranked = [*(place for place in exact if place in scores), *(each for each in ranked if each not in exact)]
        return Found(
            places=tuple(ranked),
            unmatched=tuple(dict.fromkeys(unmatched)),
            elsewhere=bool(server and ranked and not named),
        )

    def _by_words(self, concepts: Sequence[Concept]) -> tuple[dict[int, float], list[str]]:
        found = [self._postings.best(each) for each in concepts]
        unmatched = [each.word for each, (best, _) in zip(concepts, found, strict=True) if each.word and not best[0]]
        # The longest list first, for a dict takes it whole; adding to one is what a query costs.
        found.sort(key=lambda each: len(each[0][0]), reverse=True)
        scores = dict(zip(*found[0][0], strict=True)) if found else {}
        shares: dict[int, float] = {}
        score_of, share_of = scores.get, shares.get
        for best, _ in found[1:]:
            for place, score in zip(*best, strict=True):
                scores[place] = score_of(place, 0.0) + score
        for _, named in found:
            for place, share in zip(*named, strict=True):
                shares[place] = share_of(place, 0.0) + share
        for place, share in shares.items():
            scores[place] *= 1 + NAME * share if share < 1 else 1 + NAME
        return scores, unmatched

    def _with_all(self, asked: Asked, scores: dict[int, float]) -> tuple[dict[int, float], list[str]]:
        """Only the documents that have every `+word`, and those of these words that none has."""
        missing: list[str] = []
        for word, stems in asked.must:
            having = {place for each in stems for place in self._postings.having(each)}
            scores = {place: score for place, score in scores.items() if place in having}
            missing += [] if having else [word]
        return scores, missing

    def _on(self, server: str, scores: Mapping[int, float]) -> frozenset[int]:
        """Places among the scored whose server is the one named, or else begins with its name."""
        wanted = _plain(server)
        same = frozenset(place for place in scores if self._servers[place] == wanted)
        return same or frozenset(place for place in scores if wanted and self._servers[place].startswith(wanted))


class _Mix:
    """Scores by words and nearness in meaning, in one sum: ranks alone would drag the better down to the other."""

    def __init__(self, documents: Sequence[Document], meaning: Meaning, later: Sequence[float]) -> None:
        self._meaning = meaning
        self._later = later
        self._near = Nearness(meaning.vectors([meaning_text(each) for each in documents]))

    def mixed(self, scores: Mapping[int, float], asked: Asked) -> dict[int, float]:
        """The tools found by words, and the nearest ones beside them."""
        cosines = self._near.cosines(self._meaning.vectors([asked.english])[0])
        near = [place for place, cosine in enumerate(cosines) if cosine >= NEAR]
        near.sort(key=lambda place: -cosines[place])
        most = max(scores.values(), default=0.0) or 1.0
        weight, later = self._meaning.weight, self._later
        return {
            place: scores.get(place, 0.0) / most + weight * max(cosines[place], 0.0) - later[place]
            for place in scores.keys() | set(near[:MOST_BY_MEANING])
        }


def find(query: str, documents: Sequence[Document], meaning: Meaning | None = None, *, server: str = "") -> Found:
    """The documents for one query; for many queries make an `Index`."""
    return Index(documents, meaning).find(query, server=server)


def _plain(name: str) -> str:
    """A name without what people leave out of it: case, and the signs between words."""
    return "".join(words(name))
