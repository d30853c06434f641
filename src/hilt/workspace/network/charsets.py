"""The text of a page's bytes: by its mark, by what is declared where that is true, else by looking."""

import codecs
import re
from dataclasses import dataclass

from hilt.workspace.encodings import SAMPLE_BYTES, decodes, detect
from hilt.workspace.network.pages import Page

DECLARED_BYTES = 4_096
"""How far into a page its own declaration of a character set is looked for."""

_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE
)
# PDF, PNG, GIF, JPEG, gzip, zip, ELF: what these begin is no text, whatever it is called.
_NO_TEXT = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"PK\x03\x04", b"\x7fELF")
# What browsers take for names that once meant less.
_WIDER = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}
# Nearly any bytes decode as this, and hardly any text in it as UTF-8: what does is UTF-8 under a wrong name.
_TAKES_ALL = "cp1252"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page's text, its character set, and what is to be said about that, if anything."""

    text: str
    charset: str
    note: str = ""


def page_text(page: Page) -> PageText | None:
    """The page as text; None for what is no text."""
    if page.body.startswith(_NO_TEXT):
        return None
    found = detect(page.body[:SAMPLE_BYTES], complete=len(page.body) <= SAMPLE_BYTES)
    if found is not None and found.known == "mark":
        return PageText(text=page.body.decode(found.name, "replace").removeprefix("\ufeff"), charset=found.name)
    named = page.charset or _declared(page.body)
    codec = _codec(named)
    if codec == _TAKES_ALL and not page.body.isascii() and decodes(page.body, "utf-8", complete=page.complete):
        return _looked(page, "utf-8", named)
    if codec and decodes(page.body, codec, complete=page.complete):
        return PageText(text=page.body.decode(codec, "ignore"), charset=codec)
    if found is None:
        return None if b"\0" in page.body[:SAMPLE_BYTES] and not page.media_type.startswith("text/") else _forced(page)
    return _looked(page, found.name, named)


def _looked(page: Page, found: str, named: str) -> PageText:
    text = page.body.decode(found, "replace" if page.complete else "ignore")
    wrong = text.count("\N{REPLACEMENT CHARACTER}")
    notes = [f"the page says its text is {named}, which it is not; read as {found}"] if named else []
    if wrong:
        notes.append(f"{wrong:,} characters could not be read and stand as \N{REPLACEMENT CHARACTER}")
    return PageText(text=text, charset=found, note="; ".join(notes))


def _forced(page: Page) -> PageText:
    """What is sent as text although it hardly is."""
    text = page.body.decode("utf-8", "replace")
    return PageText(text=text, charset="utf-8", note="the page is called text and is mostly not: what is none is lost")


def _declared(body: bytes) -> str:
    match = _DECLARED.search(body[:DECLARED_BYTES])
    return match[1].decode("ascii") if match else ""


def _codec(name: str) -> str:
    """Python's name of a declared character set; empty for none, or for one that is not of text."""
    try:
        codec = codecs.lookup(name).name if name else ""
        "".encode(codec or "utf-8")
    except (LookupError, TypeError, ValueError):
        return ""
    return _WIDER.get(codec, codec)
