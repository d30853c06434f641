"""Which part of a page is its main one, and what inside it only leads elsewhere."""

import importlib
import re
from dataclasses import dataclass
from typing import Any

Element = Any  # lxml's elements: the library has no types

LEAST_TEXT = 100
"""Characters below which a marked part is not believed to be the main one, unless the page has hardly more."""

LEAST_SHARE = 0.2
"""The part of a page's text that its marked main part must hold."""

HOLDS = 0.9
"""The share of the main text that an element must hold to stand for it."""

JUDGED_CHARACTERS = 400_000
"""The largest page that trafilatura is asked about: its time grows faster than the page."""

JUDGED_ELEMENTS = 8_000
LINKS_OF_MENU = 4
LINKED_SHARE = 0.8
"""A list of that many links, with this share of its text in them, leads elsewhere."""

LINKED_ASIDE = 0.5
"""The same share for what stands beside the text."""

_SPACES = re.compile(r"\s+")
_LEADING = frozenset(("nav", "menu"))
_ROLES = frozenset(("navigation", "search", "contentinfo", "banner"))
_CLASSES = re.compile(
    r"(?:^|[\s_-])(?:breadcrumbs?|sidebar|toc|table-of-contents|skip-?link|headerlink|mw-editsection|navbox|noprint|"
    r"cookie-?(?:banner|notice|consent)|share-?buttons?|site-?(?:header|footer|nav))(?:$|[\s_-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The element to write. `marked` where the page said so itself; `found` is false for want of any better."""

    element: Element
    body: Element
    marked: bool
    found: bool = True
    kept: frozenset[str] = frozenset()


def main_part(tree: Element, text: str) -> Choice:
    """The element that holds a page's main text; the whole body where none can be told apart."""
    body = tree.find("body")
    body = tree if body is None else body
    least = min(LEAST_TEXT, LEAST_SHARE * _length(body))
    for marked in (_only(tree, _is_main), _only(tree, _is_article)):
        if marked is not None and _length(marked) >= max(least, LEAST_SHARE * _length(body)):
            return Choice(element=marked, body=body, marked=True)
    lines = _judged(tree, text)
    if not lines:
        return Choice(element=body, body=body, marked=False, found=False)
    return Choice(element=_holder(body, lines), body=body, marked=False, kept=frozenset(lines))


def boilerplate(element: Element, choice: Choice) -> bool:
    """Whether an element inside the chosen one leads elsewhere instead of saying something."""
    if not isinstance(element.tag, str):
        return True
    role = (element.get("role") or "").lower()
    if element.tag in _LEADING or role in _ROLES:
        return True
    if element.tag == "footer":
        return element.getparent().tag not in ("blockquote", "figure")
    if element.tag == "aside" or role == "complementary":
        return _leads_away(element, choice)
    if element.tag == "header" and not choice.marked and next(element.iter("h1"), None) is None:
        return True
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    if element.tag not in ("body", "main", "article") and named.strip() and _CLASSES.search(named):
        return True
    return bool(choice.kept) and element.tag in ("ul", "ol", "div", "section") and _is_menu(element, choice.kept)


def _leads_away(aside: Element, choice: Choice) -> bool:
    """A note beside the text is part of it, in pages that mark their main part; a list of links is not."""
    linked = sum(_length(link) for link in aside.iter("a"))
    return not choice.marked or linked >= LINKED_ASIDE * max(1, _length(aside))


def _is_menu(element: Element, kept: frozenset[str]) -> bool:
    """A list of links, none of which the main text has."""
    links = element.findall(".//a")
    if len(links) < LINKS_OF_MENU:
        return False
    linked = sum(_length(link) for link in links)
    return linked >= LINKED_SHARE * _length(element) and not any(_line(_text(link)) in kept for link in links)


def _only(tree: Element, fits: Any) -> Element | None:
    """The one element of a kind; with several, none is the main one."""
    found = [each for each in tree.iter() if isinstance(each.tag, str) and fits(each)]
    return found[0] if len(found) == 1 else None


def _is_main(element: Element) -> bool:
    return element.tag == "main" or (element.get("role") or "").lower() == "main"


def _is_article(element: Element) -> bool:
    return element.tag == "article" or (element.get("itemprop") or "") == "articleBody"


def _judged(tree: Element, text: str) -> list[str]:
    """The lines of the main text, as trafilatura tells them apart."""
    if len(text) > JUDGED_CHARACTERS or sum(1 for _ in tree.iter()) > JUDGED_ELEMENTS:
        return []
    extract = importlib.import_module("trafilatura").extract
    try:
        found = extract(text, output_format="txt", include_comments=False, include_tables=True, favor_recall=True)
    except Exception:  # whatever a hostile page breaks in the library, the whole page is still there
        return []
    return [line for each in str(found or "").splitlines() if (line := _line(each))]


def _holder(body: Element, lines: list[str]) -> Element:
    """The deepest element that holds nearly all of the main text."""
    whole = sum(map(len, lines))
    element = body
    while True:
        for child in element:
            if not isinstance(child.tag, str):
                continue
            said = _line(_text(child))
            if len(said) >= HOLDS * whole and sum(len(line) for line in lines if line in said) >= HOLDS * whole:
                element = child
                break
        else:
            return element


def _text(element: Element) -> str:
    return "".join(element.itertext())


def _line(text: str) -> str:
    """Letters and digits alone, so that marks and spaces of either side do not count."""
    return "".join(character for character in text if character.isalnum())


def _length(element: Element) -> int:
    return sum(len(_SPACES.sub(" ", each)) for each in element.itertext() if not each.isspace())
