"""The chain of the audit trail: each entry's text names the hash of the one before. Pure.

An entry is one line of canonical JSON, its keys sorted: what the caller said, and `n`, `at`,
`session` and `previous`. Its hash is the SHA-256 of that line. So nobody changes, moves or takes
out an entry without breaking the chain behind it; but who owns the file can write the whole chain
anew, or cut its end. Only a hash kept elsewhere tells that.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from hilt.store.records import TrailEntry

GENESIS = ""
"""What the first entry names as the hash before."""
PURGED = "purged"
"""The entry that accounts for entries removed by age: all up to `through`, which had `hash`."""
OWN = frozenset({"n", "at", "session", "previous"})
"""Keys that the chain itself fills in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last entry: its number and hash."""

    number: int = 0
    hash: str = GENESIS


def linked(head: Head, session: str, at: float, entries: Iterable[str]) -> list[TrailEntry]:
    """The entries as the chain keeps them, behind `head`."""
    made: list[TrailEntry] = []
    for entry in entries:
        document = {key: value for key, value in _read(entry).items() if key not in OWN}
        document |= {"n": head.number + 1, "at": clock(at), "session": session, "previous": head.hash}
        text = canonical(document)
        head = Head(number=head.number + 1, hash=digest(text))
        made.append(TrailEntry(number=head.number, session=session, at=at, text=text, hash=head.hash))
    return made


def purged(first: TrailEntry, last: TrailEntry) -> str:
    """The entry that accounts for those removed, `first` to `last`."""
    return canonical(
        {"event": PURGED, "from": first.number, "through": last.number, "hash": last.hash, "until": clock(last.at)}
    )


@dataclass(slots=True, kw_only=True)
class Check:
    """A walk along the chain: give every entry in order, then ask `finish`.

    `broken` says in words where the first break is, empty while there is none.
    """

    head: Head = Head()
    count: int = 0
    broken: str = ""
    broken_at: int = 0
    missing: Head | None = None
    accounted: bool = False

    def add(self, entry: TrailEntry) -> None:
        """Hold one entry to the one before."""
        self.count += 1
        if not self.broken:
            self.broken = self._fault(entry)
            self.broken_at = entry.number if self.broken else 0
        self.head = Head(number=entry.number, hash=entry.hash)

    def finish(self) -> None:
        """After the last entry: what is missing in front must be accounted for."""
        if self.missing is not None and not self.accounted and not self.broken:
            self.broken_at = self.missing.number
            self.broken = f"entries up to {self.missing.number} are gone, and no purge accounts for them"

    def _fault(self, entry: TrailEntry) -> str:
        try:
            document = _read(entry.text)
        except ValueError:
            return "its text is no JSON object"
        if digest(entry.text) != entry.hash:
            return "its text is not what was hashed"
        if (document.get("n"), document.get("session"), document.get("at")) != (
            entry.number,
            entry.session,
            clock(entry.at),
        ):
            return "its number, session or time beside the text is not what the text says"
        previous = str(document.get("previous"))
        if self.count == 1 and entry.number > 1:
            self.missing = Head(number=entry.number - 1, hash=previous)
        elif entry.number != self.head.number + 1:
            return f"entry {self.head.number + 1} is missing before it"
        elif previous != self.head.hash:
            return "the entry before it is not the one it was written after"
        self._account(document)
        return ""

    def _account(self, document: Mapping[str, object]) -> None:
        gone = self.missing
        if gone and document.get("event") == PURGED and document.get("through") == gone.number:
            self.accounted = self.accounted or document.get("hash") == gone.hash


def canonical(document: Mapping[str, object]) -> str:
    """One line of JSON, the same for the same value: sorted keys, no spaces, ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> str:
    """The hash of one line."""
    return hashlib.sha256(text.encode()).hexdigest()


def clock(at: float) -> str:
    """The time as the chain writes it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _read(text: str) -> Mapping[str, object]:
    document: object = json.loads(text)
    if not isinstance(document, dict):
        raise ValueError("an entry is one JSON object")
    return cast("Mapping[str, object]", document)
