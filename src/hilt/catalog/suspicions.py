"""What in a declaration deceives, or gives orders to the model that reads it.

A declaration is read whole: names, titles, descriptions, parameters with their texts, values and defaults. What
nobody can see, and a name that is taken for another's, is grave alone; a way of speaking to the model
is a warning, and two different ways in one declaration are grave.
"""

import binascii
import re
import unicodedata
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from hilt.catalog.look_alikes import Names as Looks
from hilt.catalog.look_alikes import unmixed
from hilt.catalog.pins import Declared, Finding, Form, Names, Pin, Pinned, form_of
from hilt.catalog.suspicion_words import signs_in
from hilt.declarations.characters import mixed, named_points, shown, unseen
from hilt.declarations.schema import is_array, is_object

QUOTED, QUOTED_BEFORE = 160, 40
"""Characters of a server's text that a finding quotes, and how many of them stand before what was found."""
ENOUGH_WAYS = 2
"""Different ways of speaking to the model that are grave together."""
WIDEST_BLANK, MOST_EMPTY_LINES = 120, 20
"""Blanks in a row, and empty lines, behind which more text is out of sight of whoever reads."""
SHORTEST_CODE = 40
"""Characters of a text in Base64 from which it is decoded to see whether it is words."""
MOST_CODES = 20
"""Texts in Base64 of one declaration that are decoded."""
NEAR_BY = 80
"""Characters around another tool's name in which an order concerns it."""

_GRAVE = ("hidden", "alike", "server alike", "override", "encoded", "out of sight")
"""Kinds that are grave alone: none of them is in any of the 783 real declarations that were looked at."""
_NO_WORDS = ("hidden", "stray", "mixed", "near", "alike", "server alike", "secrets", "pressure")
"""Kinds that are no way of speaking to the model, or none alone."""
_MEETING = ("alike", "near", "server alike", "others")
"""Kinds that need the names of others."""
_ESCAPE = "\x1b"
"""The first of the control characters that hide what stands behind them; those before it are strays of other texts."""
_BLANK = re.compile(rf"\s{{{min(WIDEST_BLANK, MOST_EMPTY_LINES)},}}")
_BLANKS = re.compile(r"\s+")
_CODE = re.compile(rf"(?<![\w+/=-])[A-Za-z0-9+/_-]{{{SHORTEST_CODE},}}={{0,2}}")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .*_-]){5,}\w(?!\w)")
_IDENTIFIER = re.compile(r"\w+(?:[.-]\w+)*")
_COMPOUND = re.compile(r"[a-z0-9][_-][a-z0-9]|[a-z][A-Z]")
_ORDER = re.compile(
    r"\b(?:call|invoke|use|using|run|avoid|instead|never|always|must|before|after|when|whenever|don't|do not|first|then"
    r"|redirect|replace|send|prefer|deprecated|only)\b"
)
_WORD_BOUNDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a declaration: where it stands, what it is, how it is compared, and whether it `names` something."""

    where: str
    whole: str
    plain: str
    names: bool = False


def suspected(each: Declared, seen: Pin | None) -> Declared:
    """The declaration with what is found in it alone; what was found before in the same one is not looked for again."""
    if seen is not None:
        return replace(each, findings=seen.findings)
    return replace(each, findings=tuple(found_in(form_of(each.document))))


def meetings(server: str, listing: Sequence[Declared], before: Pinned, others: Names) -> list[Declared]:
    """The listing, each with what is found when it meets the tools of others, and all of it weighed."""
    accepted = {(pin.tool, pin.accepted) for pin in before.pins}
    new = [each.tool for each in listing if (each.tool, each.digest) not in accepted]
    alike = _alike(server, new, others) if new else {}
    foreign = _foreign(server, [each.tool for each in listing], others)
    met: list[Declared] = []
    for each in listing:
        alone = [found for found in each.findings if found.kind not in _MEETING]
        met.append(replace(each, findings=_weighed([*alone, *_others(each, foreign), *alike.get(each.tool, ())])))
    return met


def _alike(server: str, tools: Iterable[str], others: Names) -> dict[str, list[Finding]]:
    """Names of tools that are taken for another's."""
    looks, servers = Looks(tool for _, tool in others), Looks({owner for owner, _ in others})
    return {tool: list(_looks(server, tool, looks, servers)) for tool in tools}


def _foreign(server: str, own: Sequence[str], others: Names) -> frozenset[str]:
    """Names of others' tools and of the others that no common word is; not the end of an own tool's name."""
    names = {name for pair in others for name in pair if _COMPOUND.search(name)} - {server}
    ends = {name[place:] for name in own for place in range(len(name))}
    return frozenset(names - ends)


def found_in(form: Form) -> Iterator[Finding]:
    """What speaks against a declaration, taken alone."""
    texts = list(_texts(form))
    loud = {found.kind: found for text in texts for found in (*_unseen(text), *_out_of_sight(text), *_encoded(text))}
    faint: dict[str, Finding] = {}
    # Looked through in one piece: a search for each text of each sign took eight times as long.
    whole, ends = "\n".join(text.plain for text in texts), [*accumulate(len(text.plain) + 1 for text in texts)]
    for sign, place in signs_in(whole):
        at = bisect_right(ends, place)
        text, start = texts[at], ends[at] - len(texts[at].plain) - 1
        finding = _finding(sign.kind, text, sign.says, place - start, of=text.plain)
        (faint if sign.faint else loud).setdefault(sign.kind, finding)
    yield from loud.values()
    if loud:
        yield from faint.values()


def _weighed(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The same, each with its grade: several ways of speaking to the model are grave together."""
    ways = {each.kind for each in found} - set(_NO_WORDS)
    grave = {*_GRAVE, *(ways if len(ways) >= ENOUGH_WAYS else ())}
    return tuple(replace(each, grade="grave" if each.kind in grave else "warning") for each in found)


def _texts(form: Form) -> Iterator[_Text]:
    """Every text of a declaration, names of parameters too."""
    waiting: list[tuple[str, object]] = list(form.items())[::-1]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            yield _Text(where, value, plain(value), names=where == "name")
        elif is_object(value):
            for key, each in value.items():
                yield _Text(where, key, plain(" ".join(_WORD_BOUNDS.split(key))), names=True)
                waiting.append((f"{where}.{shown(key)}", each))
        elif is_array(value):
            waiting += [(where, each) for each in value]


def plain(text: str) -> str:
    """A text as it is compared: small letters, one blank between words, what hides among its letters taken out.

    >>> plain("I\\u200bgnore  ALL")
    'ignore all'
    """
    if not text.isascii():
        places = set(unseen(text))
        text = "".join(each for place, each in enumerate(text) if place not in places)
        text = unmixed(unicodedata.normalize("NFKC", text).translate(_QUOTES))
    text = _SPACED.sub(lambda found: found[0][::2], text)
    return _BLANKS.sub(" ", text).strip().lower()


def _finding(kind: str, text: _Text, says: str, place: int = 0, *, of: str | None = None) -> Finding:
    """`place` is in `of`, the whole text where it is not given."""
    around = text.whole if of is None or len(text.whole) <= QUOTED else of
    start = max(place - QUOTED_BEFORE, 0) if len(around) > QUOTED else 0
    return Finding(kind=kind, grade="warning", where=text.where, says=says, quote=shown(around[start : start + QUOTED]))


def _unseen(text: _Text) -> Iterator[Finding]:
    """Characters that nobody sees, and letters of two scripts in one word."""
    if text.whole.isascii() and text.whole.isprintable():
        return
    places = list(unseen(text.whole))
    stray = [place for place in places if text.whole[place] < _ESCAPE and text.where != "name"]
    alike = list(mixed(text.whole))
    for kind, says, found in (
        ("hidden", "it holds characters that nobody sees", sorted(set(places) - set(stray))),
        ("stray", "it holds characters that print nothing", stray),
        ("hidden" if text.names else "mixed", "a word in it has letters of two scripts", alike),
    ):
        if found:
            yield _finding(kind, text, f"{says}: {', '.join(named_points(text.whole, found))}", found[0])


def _out_of_sight(text: _Text) -> Iterator[Finding]:
    # Without the blanks at its end each run is followed by text: looked ahead for, it took a time squared.
    for found in _BLANK.finditer(text.whole.rstrip()):
        lines = found[0].split("\n")
        if len(lines) > MOST_EMPTY_LINES or len(lines[-1]) >= WIDEST_BLANK:
            says = "it goes on behind more blanks than a screen is wide or high"
            yield _finding("out of sight", text, says, found.end())
            return


def _encoded(text: _Text) -> Iterator[Finding]:
    """Words in Base64."""
    for found, _ in zip(_CODE.finditer(text.whole), range(MOST_CODES), strict=False):
        code = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            decoded = b64decode(code + "=" * (-len(code) % 4), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if decoded.isprintable() and " " in decoded:
            yield _finding("encoded", text, "it holds words in Base64", found.start())


def _looks(server: str, tool: str, looks: Looks, servers: Looks) -> Iterator[Finding]:
    """A name that is taken for another's."""
    name = _Text("name", tool, tool)
    if looks.alike(tool):
        yield _finding("alike", name, f"its name looks like {looks.alike(tool)}, which another server has")
    elif looks.near(tool):
        yield _finding("near", name, f"its name is nearly {looks.near(tool)}, which another server has")
    if servers.alike(server):
        yield _finding("server alike", name, f"its server's name looks like {servers.alike(server)}, another server's")


def _others(each: Declared, foreign: frozenset[str]) -> Iterator[Finding]:
    """An order about another server's tool, or about the server."""
    if not any(found[0] in foreign for found in _IDENTIFIER.finditer(each.document)):
        return
    for text in _texts(form_of(each.document)):
        for found in _IDENTIFIER.finditer(text.whole):
            around = text.whole[max(found.start() - NEAR_BY, 0) : found.end() + NEAR_BY].lower()
            if found[0] in foreign and text.where != "name" and _ORDER.search(around):
                says = f"it gives orders about {shown(found[0])}, which is another server's"
                yield _finding("others", text, says)
                return
