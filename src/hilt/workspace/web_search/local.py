"""The pages that were read from here, as an index to search: what there is without any provider."""

import re
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from anyio import CapacityLimiter, to_thread

from hilt.results.failures import EnvironmentFailure, Retryable
from hilt.workspace.web_search.hits import LONGEST_SNIPPET, Hit, Hits, hit

KEPT_PAGES = 1_000
"""Pages of one person that are kept; those read longest ago leave first."""

KEPT_CHARACTERS = 100_000
"""Characters of a page that are indexed."""

WAIT_S = 5.0
MOST_WORDS = 32

_SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
  id INTEGER PRIMARY KEY, principal TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
  seen REAL NOT NULL, UNIQUE (principal, url)
);
CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 (title, body, tokenize = "unicode61 remove_diacritics 2");
"""
_SELECT = """
SELECT page.title, page.url, page.body FROM word JOIN page ON page.id = word.rowid
WHERE word MATCH ? AND page.principal = ? ORDER BY bm25(word, 5.0, 1.0), page.id LIMIT ?
"""
# Scripts written without spaces: each character is a word, and what is asked for is a row of them.
_UNSPACED = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff])")
_WORD = re.compile(r"\w+")


class LocalIndex:
    """An index in one SQLite file, or in memory. Each person finds only the pages read for them.

    `place` names the file when it is first needed; nothing is made before.
    """

    def __init__(self, place: Callable[[], Path] | None = None) -> None:
        self._place = place
        self._memory: sqlite3.Connection | None = None
        self._one = CapacityLimiter(1)

    async def add(self, principal: str, url: str, title: str, text: str) -> None:
        """Keep a page that was read, in place of what it said before. Raises as `search`."""
        await to_thread.run_sync(self._add, principal, url, title, text[:KEPT_CHARACTERS], limiter=self._one)

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The pages with every word of `query`; where none has, those with any. Raises ToolFailure."""
        return await to_thread.run_sync(self._search, principal, query, most, limiter=self._one)

    def _add(self, principal: str, url: str, title: str, text: str) -> None:
        with self._opened() as base:
            old = base.execute("SELECT id FROM page WHERE principal = ? AND url = ?", (principal, url)).fetchone()
            if old is not None:
                _remove(base, old[0])
            row = base.execute(
                "INSERT INTO page (principal, url, title, body, seen) VALUES (?, ?, ?, ?, ?)",
                (principal, url, title, text, time.time()),
            )
            base.execute(
                "INSERT INTO word (rowid, title, body) VALUES (?, ?, ?)", (row.lastrowid, _spaced(title), _spaced(text))
            )
            surplus = base.execute(
                "SELECT id FROM page WHERE principal = ? ORDER BY seen DESC LIMIT -1 OFFSET ?", (principal, KEPT_PAGES)
            ).fetchall()
            for (number,) in surplus:
                _remove(base, number)

    def _search(self, principal: str, query: str, most: int) -> Hits:
        words = [f'"{" ".join(_WORD.findall(_spaced(word)))}"' for word in _WORD.findall(query)[:MOST_WORDS]]
        with self._opened() as base:
            count = base.execute("SELECT count(*) FROM page WHERE principal = ?", (principal,)).fetchone()[0]
            rows = self._found(base, words, principal, most + 1) if words else []
        hits = [each for title, url, body in rows if (each := _hit(title, url, body, query))]
        searched = f"the {count:,} {'page' if count == 1 else 'pages'} read from here before, and not the web"
        return Hits(hits=tuple(hits[:most]), more=len(hits) > most, searched=searched)

    @staticmethod
    def _found(base: sqlite3.Connection, words: list[str], principal: str, most: int) -> list[tuple[str, str, str]]:
        every = base.execute(_SELECT, (" ".join(words), principal, most)).fetchall()
        return every or base.execute(_SELECT, (" OR ".join(words), principal, most)).fetchall()

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """The index, with what is done in the block kept whole or not at all."""
        try:
            base = self._connection()
            try:
                with base:
                    yield base
            finally:
                if base is not self._memory:
                    base.close()
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise Retryable("the index of pages read before is in use", "call again") from None
            raise _broken(error) from None
        except sqlite3.DatabaseError as error:
            raise _broken(error) from None

    def _connection(self) -> sqlite3.Connection:
        if self._memory is not None:
            return self._memory
        file = self._place() if self._place else None
        base = sqlite3.connect(file or ":memory:", timeout=WAIT_S, check_same_thread=False)
        base.executescript(_SCHEMA)
        if file is None:
            self._memory = base
        else:
            file.chmod(0o600)
        return base


def _remove(base: sqlite3.Connection, number: int) -> None:
    base.execute("DELETE FROM word WHERE rowid = ?", (number,))
    base.execute("DELETE FROM page WHERE id = ?", (number,))


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", text)


def _hit(title: str, url: str, body: str, query: str) -> Hit | None:
    """A hit whose snippet begins shortly before the first word that was asked for."""
    folded = body.lower()
    places = [place for word in _WORD.findall(query.lower()) if (place := folded.find(word)) >= 0]
    start = max(0, min(places, default=0) - LONGEST_SNIPPET // 4)
    border = body.find(" ", start, start + 30) + 1 if start else 0
    return hit(title, url, body[border or start :])


def _broken(error: sqlite3.Error) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"the index of pages read before cannot be used: {error}",
        "tell the person to move pages.db in HILT_HOME away; it is made anew",
    )
