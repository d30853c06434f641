"""OpenDocument texts and presentations as blocks; `open_sheet.py` reads their spreadsheets."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from hilt.documents import media, sections, trouble
from hilt.documents.numbered import Numbered, Title
from hilt.documents.package import Package, attribute, child, children, local, whole_number
from hilt.documents.pieces import Block, Reading, blocks
from hilt.documents.raising import DOWN, STRUCK, UP, marked
from hilt.documents.source import Source
from hilt.documents.tables import nested_text, table_text

DEEPEST = 50
"""Elements inside one another that are told apart; what lies deeper is its text alone."""

MOST_REPEATED = 100
"""So often a cell or a space that says it is repeated is written."""

INDENT = "  "
CONTENT = "content.xml"
_SILENT = frozenset(
    ("tracked-changes", "sequence-decls", "forms", "table-of-content-source", "bookmark-start", "settings")
)


@dataclass(slots=True, kw_only=True)
class OpenText:
    """The text of one document as it is read; notes are collected on the way."""

    looks: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: list[str] = field(default_factory=list[str])
    tracked: int = 0

    def flow(self, parent: Element, depth: int = 0) -> Iterator[Block]:
        """The headings, paragraphs, lists and tables below an element, in order."""
        for each in parent:
            yield from self._one(each, depth) if depth <= DEEPEST else blocks("".join(each.itertext()))

    def _one(self, each: Element, depth: int) -> Iterator[Block]:
        match local(each):
            case "h":
                level = min(max(whole_number(attribute(each, "outline-level"), 1), 1), 9)
                yield from blocks(" ".join(self.text(each, depth).split()), level=level)
            case "p":
                yield from blocks(self.text(each, depth).strip("\n"))
            case "table":
                yield from blocks(table_text(list(self.rows(each, depth + 1))))
            case "list":
                yield from blocks("\n".join(self._list(each, depth + 1)))
            case "tracked-changes":
                self.tracked += len(each)
            case name if name not in _SILENT:
                yield from self.flow(each, depth + 1)
            case _:
                return

    def text(self, parent: Element, depth: int = 0) -> str:
        """The text of a paragraph, its notes as marks."""
        if depth > DEEPEST:
            return "".join(parent.itertext())
        parts = [("", parent.text or "")]
        for each in parent:
            look = self.looks.get(attribute(each, "style-name"), "") if local(each) == "span" else ""
            parts += [(look, self._inline(each, depth + 1)), ("", each.tail or "")]
        return marked(parts)

    def rows(self, table: Element, depth: int) -> Iterator[list[str]]:
        """The rows of a table of a text."""
        for each in table:
            if local(each) == "table-row":
                yield [text for cell in each for text in self._cell(cell, depth)]
            elif local(each) in ("table-header-rows", "table-row-group", "table-rows"):
                yield from self.rows(each, depth + 1) if depth < DEEPEST else iter((["".join(each.itertext())],))

    def facts(self) -> Iterator[str]:
        if self.tracked:
            yield f"tracked changes, {self.tracked:,} of them: insertions shown, deletions left out"

    def _cell(self, cell: Element, depth: int) -> Iterator[str]:
        if local(cell) == "table-cell":
            text = "\n".join(
                nested_text(list(self.rows(each, depth + 1)))
                if local(each) == "table" and depth < DEEPEST
                else self.text(each, depth)
                for each in cell
            )
            yield from [text] * min(whole_number(attribute(cell, "number-columns-repeated"), 1), MOST_REPEATED)
        elif local(cell) == "covered-table-cell":
            yield ""

    def _list(self, each: Element, depth: int) -> Iterator[str]:
        """A list a line an item; how its items are numbered stands in styles and is not read."""
        if depth > DEEPEST:
            yield "- " + "".join(each.itertext())
            return
        for item in each:
            if local(item) not in ("list-item", "list-header"):
                continue
            mark = "- "
            for inner in item:
                if local(inner) == "list":
                    yield from (f"{INDENT}{line}" for line in self._list(inner, depth + 1))
                    continue
                text = self.text(inner, depth + 1)
                if text.strip():
                    yield f"{mark}{text}"
                    mark = INDENT

    def _inline(self, each: Element, depth: int) -> str:
        match local(each):
            case "s":
                return " " * min(whole_number(attribute(each, "c"), 1), MOST_REPEATED)
            case "tab":
                return "\t"
            case "line-break":
                return "\n"
            case "note" | "annotation":
                return self._note(each, depth)
            case "a":
                text, target = self.text(each, depth), attribute(each, "href")
                return f"[{text}]({target})" if text.strip() and not target.startswith("#") else text
            case "image":
                return f"[image {attribute(each, 'href')}]"
            case "text-box":
                return "\n".join(block.text for block in self.flow(each, depth))
            case _:
                return self.text(each, depth)

    def _note(self, each: Element, depth: int) -> str:
        """The mark of a footnote or comment, whose text is kept for the end."""
        body = child(each, "note-body")
        mark = f"[^{len(self.notes) + 1}]"
        kept = body if body is not None else each
        self.notes.append("")
        place = len(self.notes) - 1
        lines = [self.text(line, depth) for line in kept if local(line) in ("p", "h", "list")]
        author = next((line.text or "" for line in each if local(line) == "creator"), "")
        said = f" comment by {author}:" if author else ""
        self.notes[place] = f"{mark}:{said} {' '.join(lines)}"
        return mark


def opened(source: Source, kind: str) -> Package:
    """The package of a document. Raises EnvironmentFailure for one that is encrypted."""
    package = Package(source, kind)
    manifest = package.optional_tree("META-INF/manifest.xml")
    if any(local(each) == "encryption-data" for each in manifest.iter()):
        raise trouble.encrypted(source.name)
    return package


@contextmanager
def read_text(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """All of a text, or the section under the heading that `part` names."""
    with opened(source, "an OpenDocument text") as package:
        yield media.shown(package, part) or _text(package, part)


@contextmanager
def read_slides(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Slides: `part` is "3", "2-5" or the title of one."""
    with opened(source, "an OpenDocument presentation") as package:
        yield media.shown(package, part) or _slides(package, part)


def _text(package: Package, part: str | None) -> Reading:
    root = package.tree(CONTENT)
    body = child(root, "body", "text")
    if body is None:
        raise package.broken("it has no text in it")
    reader = OpenText(looks=_looks(root))
    found = list(reader.flow(body))

    def facts() -> Iterator[str]:
        yield from reader.facts()
        yield from pictures(package)

    return sections.reading(found, part, package.name, notes=reader.notes, facts=facts)


def _slides(package: Package, part: str | None) -> Reading:
    root = package.tree(CONTENT)
    looks = _looks(root)
    pages = [each for each in children(root, "body", "presentation") if local(each) == "page"]
    titles = [_title(page) for page in pages]

    def slide(number: int) -> Iterator[Block]:
        place, reader = f"slide {number}", OpenText(looks=looks)
        yield from blocks(titles[number - 1], place=place, level=1)
        for shape in pages[number - 1]:
            if attribute(shape, "class") == "title":
                continue
            text = "\n".join(block.text for block in reader.flow(shape))
            yield from blocks(f"notes: {text}" if local(shape) == "notes" and text else text, place=place)

    numbered = Numbered(
        noun="slide",
        count=len(pages),
        blocks=slide,
        titles=lambda: [Title(text=text, first=at, last=at) for at, text in enumerate(titles, 1) if text],
        facts=lambda: pictures(package),
    )
    return numbered.reading(part, package.name)


def _looks(root: Element) -> Mapping[str, str]:
    """The styles of runs that change what is said: raised, lowered, struck through."""
    found: dict[str, str] = {}
    for each in children(root, "automatic-styles"):
        properties = child(each, "text-properties")
        if properties is None:
            continue
        place = attribute(properties, "text-position").partition(" ")[0]
        look = DOWN if place.startswith(("sub", "-")) else UP if place.strip("0%") else ""
        line = attribute(properties, "text-line-through-style", "none")
        found[attribute(each, "name")] = look + (STRUCK if line != "none" else "")
    return found


def pictures(package: Package) -> Iterator[str]:
    """The pictures of a package that its text may show."""
    return media.listed(package, [name for name in package.names if name.startswith("Pictures/")])


def _title(page: Element) -> str:
    reader = OpenText()
    titles = (shape for shape in page if attribute(shape, "class") == "title")
    return next((" ".join(block.text for block in reader.flow(shape)) for shape in titles), "")
