"""HTML as Markdown: headings, lists, tables, code and links as they stand, controls and hidden parts left out.

Characters are not escaped: the reader is a model, for which `a_b` is plainer than `a\\_b`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from hilt.documents.main_text_anchors import anchors_of
from hilt.documents.main_text_blocks import Block, plain
from hilt.documents.main_text_tables import is_layout, table_rows, table_text
from hilt.documents.raising import DOWN, UP, raised

Element = Any  # lxml's elements: the library has no types

DEEPEST = 60
"""Elements inside one another that are told apart; what lies deeper is its text alone."""

LONGEST_LINKED = 200
"""Characters of a block that a link around it is put on."""

_SPACES = re.compile(r"[ \t\r\n\f]+")
# fmt: off
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td",
        "tfoot", "th", "thead", "tr", "ul",
    )
)
_LEFT_OUT = frozenset(
    (
        "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "embed", "head", "input",
        "select", "textarea", "button", "datalist", "map", "audio", "video", "source", "track", "link", "meta",
    )
)
# fmt: on
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight(?:-source)?|brush:)[-\s]([\w+#.-]{1,20})")
_GUTTER = re.compile(r"(?:^|[\s_-])(?:linenos?|line-numbers?|gutter)(?:$|[\s_-])", re.I)
_SYMBOLS = frozenset("\u00b6\u00a7#\U0001f517")
_LINES = frozenset(("li", "p", "label", "td", "dd"))
_MARKED = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~"}


class Writer:
    """Writes what lies below elements. `base` is the address that links are relative to; `skip` leaves elements out."""

    def __init__(self, base: str, skip: Callable[[Element], bool] = lambda element: False) -> None:
        self._base = base
        self._skip = skip
        self._writers: dict[str, Callable[[Element, int], Iterator[Block]]] = {
            **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), self._heading),
            **dict.fromkeys(("ul", "ol", "menu"), self._list),
            "a": self._linked,
            "pre": self._code,
            "dl": self._terms,
            "blockquote": self._quote,
            "table": self._table,
            "hr": self._rule,
        }

    def blocks(self, element: Element, depth: int = 0) -> Iterator[Block]:
        """The blocks of an element, in order."""
        if depth > DEEPEST:
            yield from _paragraph(" ".join(element.itertext()))
            return
        run = element.text or ""
        for child in element:
            if self._block(child):
                yield from _paragraph(run)
                run = ""
                yield from self._one(child, depth + 1)
            else:
                run += self._inline(child, depth + 1)
            run += child.tail or ""
        yield from _paragraph(run)

    def inline(self, element: Element, depth: int = 0) -> str:
        """The text below an element, marked where it is linked, code or stressed."""
        if depth > DEEPEST:
            return " ".join(element.itertext())
        parts = [element.text or ""]
        for child in element:
            parts += [self._inline(child, depth + 1), child.tail or ""]
        return "".join(parts)

    def _block(self, child: Element) -> bool:
        """Whether an element stands by itself, or holds one that does, such as a link around a heading."""
        if not _shown(child) or self._skip(child):
            return False
        return child.tag in _BLOCKS or (child.tag not in ("code", "kbd") and any(each.tag in _BLOCKS for each in child))

    def _one(self, element: Element, depth: int) -> Iterator[Block]:
        yield from self._writers.get(element.tag, self.blocks)(element, depth)

    def _linked(self, element: Element, depth: int) -> Iterator[Block]:
        """A link around blocks: on the words of the first, if it is short."""
        target = self._address(element.get("href") or "")
        for number, block in enumerate(self.blocks(element, depth)):
            words = block.text.strip("# \n")
            if number == 0 and target and len(words) <= LONGEST_LINKED and words[:1] not in ("", "[", "!", "`", "|"):
                yield replace(block, text=block.text.replace(words, f"[{words}]({target})", 1))
            else:
                yield block

    def _rule(self, element: Element, depth: int) -> Iterator[Block]:
        del element, depth
        yield Block("---\n")

    def _heading(self, element: Element, depth: int) -> Iterator[Block]:
        text = _tidy(self.inline(element, depth)).replace("\n", " ")
        if text:
            level = int(element.tag[1])
            yield Block(f"{'#' * level} {text}\n", level, plain(text), anchors_of(element))

    def _code(self, element: Element, depth: int) -> Iterator[Block]:
        del depth
        text = "".join(_verbatim(element)).strip("\r\n")
        longest = max((len(each) for each in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        if text.strip():
            yield Block(f"{fence}{_language(element)}\n{text}\n{fence}\n")

    def _list(self, element: Element, depth: int) -> Iterator[Block]:
        start = element.get("start") or "1"
        number = int(start) if start.isascii() and start.isdecimal() and len(start) < 10 else 1
        rows: list[str] = []
        for item in element:
            if not isinstance(item.tag, str) or not _shown(item) or self._skip(item):
                continue
            mark = f"{number}. " if element.tag == "ol" else "- "
            text = "".join(block.text for block in self.blocks(item, depth + 1)).strip("\n")
            if text:
                rows.append(mark + text.replace("\n", "\n" + " " * len(mark)))
                number += 1
        if rows:
            yield Block("\n".join(rows) + "\n")

    def _terms(self, element: Element, depth: int) -> Iterator[Block]:
        for item in element:
            if not isinstance(item.tag, str) or not _shown(item) or self._skip(item):
                continue
            if item.tag == "dd":
                text = "".join(block.text for block in self.blocks(item, depth + 1)).strip("\n")
                if text:
                    yield Block(": " + text.replace("\n", "\n  ") + "\n")
            else:
                yield from self.blocks(item, depth + 1)

    def _quote(self, element: Element, depth: int) -> Iterator[Block]:
        text = "\n".join(block.text for block in self.blocks(element, depth)).strip("\n")
        if text:
            yield Block("".join(f"> {line}\n" if line else ">\n" for line in text.split("\n")))

    def _table(self, element: Element, depth: int) -> Iterator[Block]:
        if is_layout(element):
            yield from self.blocks(element, depth)
            return
        for caption in element.findall("caption"):
            yield from _paragraph(self.inline(caption, depth))
        text = table_text(table_rows(element, lambda cell: self._cell(cell, depth + 1)))
        if text:
            yield Block(text)

    def _cell(self, cell: Element, depth: int) -> str:
        return "\n".join(block.text.strip("\n") for block in self.blocks(cell, depth))

    def _inline(self, element: Element, depth: int) -> str:
        if not _shown(element) or self._skip(element):
            return _ticked(element)
        match element.tag:
            case "br":
                return "\x00"
            case "code" | "kbd" | "samp" | "tt":
                return _code_span("".join(_verbatim(element)))
            case "img":
                return self._image(element)
            case "a":
                return self._link(element, depth)
            case "math":
                return str(element.get("alttext") or " ".join(element.itertext()))
            case "sup" | "sub":
                return raised(UP if element.tag == "sup" else DOWN, self.inline(element, depth))
            case tag:
                return _around(_MARKED.get(tag, ""), self.inline(element, depth))

    def _link(self, element: Element, depth: int) -> str:
        text = self.inline(element, depth)
        if text.strip() in _SYMBOLS:
            return ""
        target = self._address(element.get("href") or "")
        words = text.strip()
        return text.replace(words, f"[{words}]({target})", 1) if target and words else text

    def _image(self, element: Element) -> str:
        words = _SPACES.sub(" ", element.get("alt") or "").strip()
        target = self._address(element.get("src") or "")
        return f"![{words}]({target})" if words and target else words

    def _address(self, reference: str) -> str:
        """Where a link leads, in full; empty for what leads nowhere else, or is no page."""
        text = re.sub(r"[\t\r\n]", "", reference.strip())
        if not text or text.startswith("#"):
            return ""
        try:
            whole = urljoin(self._base, text)
        except ValueError:
            return ""
        if not whole.lower().startswith(("http://", "https://", "mailto:")):
            return ""
        return whole.replace(" ", "%20").replace("(", "%28").replace(")", "%29")


def _shown(element: Element) -> bool:
    """Whether an element is one that a reader of the page sees."""
    if not isinstance(element.tag, str) or element.tag in _LEFT_OUT:
        return False
    if element.get("role") == "tabpanel" or (element.get("hidden") or "").lower() == "until-found":
        return True  # a click away, as the other operating system's command often is
    return "hidden" not in element.attrib and not _HIDDEN.search(element.get("style") or "")


def _ticked(box: Element) -> str:
    """A box in a line of text, whose tick is what it says; nothing for all else, such as a switch of a menu."""
    if box.tag != "input" or (box.get("type") or "").lower() != "checkbox" or "hidden" in box.attrib:
        return ""
    if box.getparent().tag not in _LINES:
        return ""
    return "[x]" if "checked" in box.attrib else "[ ]"


def _paragraph(run: str) -> Iterator[Block]:
    text = _tidy(run)
    if text:
        yield Block(text + "\n")


def _tidy(run: str) -> str:
    """A run of text as HTML shows it: spaces as one, breaks as line ends."""
    lines = [_SPACES.sub(" ", line).strip(" ") for line in run.split("\x00")]
    return "\n".join(lines).strip("\n")


def _around(mark: str, text: str) -> str:
    words = text.strip()
    return text.replace(words, f"{mark}{words}{mark}", 1) if mark and words else text


def _code_span(text: str) -> str:
    words = _SPACES.sub(" ", text).strip()
    if not words:
        return ""
    return f"`{words}`" if "`" not in words else f"`` {words} ``"


def _verbatim(element: Element) -> Iterator[str]:
    """The text of code as it stands, without the line numbers beside it."""
    waiting: list[Element | str] = [element]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
            continue
        if each.tag == "br":
            yield "\n"
        if not isinstance(each.tag, str) or _GUTTER.search(each.get("class") or ""):
            continue
        for child in reversed(each):
            waiting += [child.tail or "", child]
        yield each.text or ""


def _language(element: Element) -> str:
    """The language that the classes around a piece of code name."""
    parent = element.getparent()
    outer = parent.getparent() if parent is not None else None
    for each in (*element.findall("code"), element, parent, outer):
        match = _LANGUAGE.search(each.get("class") or "") if each is not None else None
        if match and match[1] not in ("default", "none", "text", "plaintext"):
            return match[1]
    return ""
