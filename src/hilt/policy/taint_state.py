"""What a session has seen, folded: labels, values that are vouched for, and where text came from.

Monotone: labels are only raised. Values stay; where very many have been seen the oldest that vouch
are forgotten, and so is old text: both can only lead to more questions, never to fewer. What takes
leave away is not forgotten: when a session has written very much nothing new vouches for anything.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hilt.calls.session import Grant
from hilt.policy.taint_text import SHORTEST_MATCH, fold, holds, opaque

MOST_VALUES = 100_000
"""Values of one kind that one session remembers."""
MOST_TEXT = 50_000
"""Characters of one text that are kept to say, later, where a value came from."""
MOST_TEXT_IN_ALL = 400_000
"""Characters of all texts that one session keeps; the oldest text goes first."""
MOST_SOURCES = 50
"""Sources of untrusted text that are remembered by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """How strict taint is.

    `mode`: what is said where taint objects, or `off`: nothing. `fetch`: an address that stands
    unchanged in what was read may be fetched (`verbatim`: it was written before its writer knew
    anything), or only one the person or a trusted field gave (`ask`). `unseen`: where the person's
    words are not known, a value that stands nowhere in what was read counts as theirs (`given`), for
    the model can have it from nobody else unless it was spelled out or encoded, or it does not
    (`ask`). `destroy`: what is deleted
    must be vouched for (`vouched`), or be named by the person (`named`). `identity`: whether who
    others say they are (sender, guest, payer) vouches for a destination. `known`: values the host
    vouches for, such as the person's own addresses and accounts.
    """

    mode: Literal["ask", "deny", "off"] = "ask"
    fetch: Literal["verbatim", "ask"] = "verbatim"
    unseen: Literal["given", "ask"] = "given"
    destroy: Literal["vouched", "named"] = "vouched"
    identity: Literal["strict", "trusted"] = "strict"
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one call showed or did, as far as it is news: its source for people, the labels it raises, and values.

    `trusted` are the marks of what the service or the person made, `identities` of who others say
    they are, `links` of addresses in the text, `written` of what this session itself wrote after it
    was tainted, `secrets` of what may not leave. `ran`: after it was tainted it ran code, which may
    have put anything into the files of the workspace.
    """

    source: str
    untrusted: bool = False
    private: bool = False
    ran: bool = False
    trusted: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether there is anything in it to remember."""
        raised = self.untrusted or self.private or self.ran
        return raised or bool(self.trusted or self.identities or self.links or self.written or self.secrets)


@dataclass(slots=True)
class Text:
    """What third parties wrote, and where it was read; folded when it is first searched."""

    source: str
    text: str
    _folded: str | None = None
    _opaque: bool | None = None

    @property
    def folded(self) -> str:
        """The text in the form in which values are compared."""
        if self._folded is None:
            self._folded = fold(self.text)
        return self._folded

    @property
    def is_opaque(self) -> bool:
        """Whether a value may stand in it that cannot be found by looking."""
        if self._opaque is None:
            self._opaque = opaque(self.text)
        return self._opaque


@dataclass(slots=True, kw_only=True)
class Taint:
    """The folded state of one session; with the person's words, grants and facts, as far as the way in carries them."""

    writer: str = ""
    words: str = ""
    pasted: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    untrusted: bool = False
    private: bool = False
    ran: bool = False
    trusted: dict[str, str] = field(default_factory=dict[str, str])
    identities: dict[str, str] = field(default_factory=dict[str, str])
    links: dict[str, str] = field(default_factory=dict[str, str])
    written: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    texts: deque[Text] = field(default_factory=deque[Text])
    kept: int = 0
    forgotten: bool = False
    sources: dict[str, None] = field(default_factory=dict[str, None])

    @property
    def labels(self) -> frozenset[str]:
        """The labels that rules may ask for."""
        return frozenset(name for name, on in (("untrusted", self.untrusted), ("private", self.private)) if on)

    def add(self, sighting: Sighting) -> None:
        """Fold in what one more call showed; the same again changes nothing."""
        self.untrusted |= sighting.untrusted
        self.private |= sighting.private
        self.ran |= sighting.ran
        if sighting.untrusted and len(self.sources) < MOST_SOURCES:
            self.sources[sighting.source] = None
        _keep(self.trusted, sighting.trusted, sighting.source, forgets=True)
        _keep(self.identities, sighting.identities, sighting.source, forgets=True)
        _keep(self.links, sighting.links, sighting.source, forgets=True)
        _keep(self.written, sighting.written, sighting.source, forgets=False)
        _keep(self.secrets, sighting.secrets, sighting.source, forgets=False)

    def read(self, source: str, text: str) -> None:
        """Keep what third parties wrote, as long as there is room."""
        if len(text) > MOST_TEXT:
            text, self.forgotten = text[:MOST_TEXT], True
        self.texts.append(Text(source, text))
        self.kept += len(text)
        while self.kept > MOST_TEXT_IN_ALL:
            self.kept -= len(self.texts.popleft().text)
            self.forgotten = True

    def unseen(self, value: str) -> bool:
        """Whether a value stands nowhere in what was read: never said once a text was forgotten or is in a code."""
        folded = fold(value)
        if self.forgotten or len(folded) < SHORTEST_MATCH or any(each.is_opaque for each in self.texts):
            return False
        parts = {folded, _site(folded)}
        return not any(part in each.folded for each in self.texts for part in parts)

    def vouched(self, value: str, *, identity: bool) -> bool:
        """Whether a value's mark came from a trusted maker, and not by this session's own writing."""
        seen = value in self.trusted or (identity and value in self.identities)
        return seen and value not in self.written

    def source_of(self, value: str, marked: str) -> str:
        """Where a value was seen, as far as that is still known; "" where it was not."""
        for held in (self.links, self.identities, self.written):
            if marked in held:
                return held[marked]
        folded = fold(value)
        return next((each.source for each in reversed(self.texts) if holds(each.folded, folded)), "")


def _site(folded: str) -> str:
    """The site of a web address, for whoever owns it reads what is added to the address; any other value as it is."""
    host = re.split(r"[/?#:]", folded, maxsplit=1)[0]
    if "." not in host or " " in host or "@" in host:
        return folded
    return ".".join(host.split(".")[-2:])


def _keep(held: dict[str, str], values: Iterable[str], source: str, *, forgets: bool) -> None:
    """Add values. Where there is no room the oldest goes, or, of what takes leave away, the new one is left out."""
    for value in values:
        if forgets or len(held) < MOST_VALUES:
            held.setdefault(value, source)
    while len(held) > MOST_VALUES:
        del held[next(iter(held))]


def news(held: Mapping[str, str], values: Iterable[str]) -> tuple[str, ...]:
    """Those values that are not held yet, once each."""
    return tuple(value for value in dict.fromkeys(values) if value and value not in held)
