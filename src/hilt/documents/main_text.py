"""What a web page says: its main text as Markdown, and what it tells about itself.

A page that marks its main part is taken at its word. On others trafilatura says which text is the
main one, and the element that holds it is written whole: its own Markdown loses the languages of
code and resolves relative links against the wrong folder.
"""

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from hilt.documents.main_text_blocks import Block, parted
from hilt.documents.main_text_choice import Choice, boilerplate, main_part
from hilt.documents.main_text_guard import tamed
from hilt.documents.main_text_writer import Writer
from hilt.results.failures import EnvironmentFailure

Element = Any  # lxml's elements: the library has no types

DEEP = "Excessive depth"
"""In the parser's log where a page nests deeper than it follows."""

WHOLE = "no main part could be told apart: this is the text of the whole page"
SHORT = 1_000
"""Characters of a page that is too short to have parts."""

LONGEST_FACT = 500
"""Characters of a title or description that are told."""

_SPACES = re.compile(r"\s+")
_DATES = (
    ("property", "article:published_time"),
    ("property", "article:modified_time"),
    ("name", "date"),
    ("name", "dc.date"),
    ("itemprop", "datePublished"),
)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]\s*(?:url\s*=)?\s*['\"]?(.+?)['\"]?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a page tells about itself; empty where it does not. `canonical` and `onward` are whole addresses."""

    title: str = ""
    description: str = ""
    language: str = ""
    date: str = ""
    canonical: str = ""
    onward: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MainText:
    """A page's main text in blocks; `notes` say what had to be done to find it."""

    facts: Facts
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()


def read_html(text: str, address: str) -> MainText:
    """The main text of a page found at `address`. Raises EnvironmentFailure without the extra `web`."""
    text = tamed(text)
    tree, deep = _tree(text)
    if tree is None:
        return MainText(facts=Facts(), blocks=())
    base = _base(tree, address)
    facts = _facts(tree, base)
    if deep:
        return MainText(facts=facts, blocks=_plain(text), notes=("its elements nest too deep: only its text is shown",))
    choice = main_part(tree, text)
    blocks = _written(choice, base)
    if not blocks:
        blocks = parted(tuple(Writer(base).blocks(choice.body))) or _plain(text)
        return MainText(facts=facts, blocks=blocks, notes=(WHOLE if blocks else _silent(tree),))
    told = not choice.found and sum(len(block.text) for block in blocks) > SHORT
    return MainText(facts=facts, blocks=blocks, notes=(WHOLE,) if told else ())


def _written(choice: Choice, base: str) -> tuple[Block, ...]:
    return parted(tuple(Writer(base, lambda element: boilerplate(element, choice)).blocks(choice.element)))


def _tree(text: str) -> tuple[Element | None, bool]:
    """The page's root element, and whether it nests deeper than the parser follows."""
    try:
        etree = importlib.import_module("lxml.etree")
    except ImportError:
        raise EnvironmentFailure(
            "reading web pages needs the extra hilt[web], which is not installed",
            "tell the person: uv pip install 'hilt[web]'",
        ) from None
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    content = text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
    try:
        tree = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return None, False
    return tree, any(DEEP in entry.message for entry in parser.error_log)


def _plain(text: str) -> tuple[Block, ...]:
    """All text of a page, by a parser that minds no depth."""
    extract = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    found = str(extract(text.replace("\x00", ""), preserve_formatting=True)).strip()
    return parted((Block(found + "\n"),)) if found else ()


def _silent(tree: Element) -> str:
    if next(tree.iter("script"), None) is not None:
        return "it has no text without running its scripts, which are not run"
    return "it has no text"


def _base(tree: Element, address: str) -> str:
    """What relative links are relative to: the page, unless it says otherwise."""
    for each in tree.iter("base"):
        if each.get("href"):
            return _joined(address, each.get("href")) or address
    return address


def _joined(base: str, reference: str) -> str:
    try:
        whole = urljoin(base, reference.strip()) if reference.strip() else ""
    except ValueError:
        return ""
    return whole if whole.startswith(("http://", "https://")) else ""


def _facts(tree: Element, base: str) -> Facts:
    metas = list(tree.iter("meta"))
    titles = (_flat(" ".join(each.itertext())) for each in tree.iter("title") if _is_head_title(each))
    canonical = (
        each.get("href") or "" for each in tree.iter("link") if "canonical" in (each.get("rel") or "").lower().split()
    )
    return Facts(
        title=next(titles, "") or _said(metas, "property", "og:title"),
        description=_said(metas, "name", "description") or _said(metas, "property", "og:description"),
        language=_flat(tree.get("lang") or "")[:40],
        date=next(_dates(tree, metas), "")[:40],
        canonical=_joined(base, next(canonical, "")),
        onward=next((_joined(base, url) for url in _onward(metas)), ""),
    )


def _is_head_title(title: Element) -> bool:
    parent = title.getparent()
    return parent is None or parent.tag != "svg"


def _dates(tree: Element, metas: list[Element]) -> Iterator[str]:
    for attribute, name in _DATES:
        if found := _said(metas, attribute, name):
            yield found
    for each in tree.iter("time"):
        if each.get("datetime"):
            yield _flat(each.get("datetime"))


def _said(metas: list[Element], attribute: str, name: str) -> str:
    for each in metas:
        if (each.get(attribute) or "").lower() == name.lower() and (each.get("content") or "").strip():
            return _flat(each.get("content"))
    return ""


def _onward(metas: list[Element]) -> Iterator[str]:
    for each in metas:
        if (each.get("http-equiv") or "").lower() == "refresh" and (match := _REFRESH.match(each.get("content") or "")):
            yield match[1]


def _flat(text: str) -> str:
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= LONGEST_FACT else f"{line[:LONGEST_FACT]}..."
