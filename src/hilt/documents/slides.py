"""A PowerPoint presentation as blocks, slide by slide: title, text, tables, charts, notes."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from hilt.documents import media
from hilt.documents.charts import chart_text
from hilt.documents.numbered import Numbered, Title
from hilt.documents.office_math import math_text
from hilt.documents.package import Package, attribute, child, local, whole_number
from hilt.documents.pieces import Block, Reading, blocks
from hilt.documents.raising import DOWN, STRUCK, UP, marked
from hilt.documents.source import Source
from hilt.documents.tables import table_text

DEEPEST_GROUP = 20
"""Groups of shapes inside one another."""

INDENT = "  "
_PRESENTATION = "ppt/presentation.xml"
_SHAPES = ("sp", "pic", "graphicFrame", "cxnSp")
_TITLES = ("title", "ctrTitle")
_FIELDS = ("sldNum", "dt", "ftr", "hdr", "sldImg")
Relations = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """The text of one slide's shapes in their order, the title first."""

    package: Package
    relations: Relations

    def blocks(self, root: Element, place: str) -> Iterator[Block]:
        tree = child(root, "cSld", "spTree")
        shapes = list(_shapes(tree)) if tree is not None else []
        titles = [each for each in shapes if _placeholder(each) in _TITLES]
        for title in titles:
            text = " ".join(" ".join(_paragraphs(title)).split())
            yield from blocks(text, place=place, level=1)
        for each in shapes:
            if _placeholder(each) not in (*_TITLES, *_FIELDS):
                yield from blocks(self.text(each), place=place)

    def text(self, shape: Element) -> str:
        """What one shape says."""
        match local(shape):
            case "sp" | "cxnSp":
                return "\n".join(_paragraphs(shape))
            case "pic":
                return f"[image {self._target(shape, 'blip', 'embed')}{_described(shape)}]"
            case _:
                return self._framed(shape)

    def _framed(self, frame: Element) -> str:
        table = child(frame, "graphic", "graphicData", "tbl")
        if table is not None:
            rows = [each for each in table if local(each) == "tr"]
            return table_text([["\n".join(_paragraphs(cell)) for cell in row if local(cell) == "tc"] for row in rows])
        chart = self._target(frame, "chart", "id")
        if chart and self.package.has(chart):
            return chart_text(self.package.tree(chart))
        return f"[a diagram or embedded object{_described(frame)}, not read]"

    def _target(self, shape: Element, name: str, link: str) -> str:
        for each in shape.iter():
            if local(each) == name:
                return self.relations.get(attribute(each, link), ("", ""))[1]
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Show:
    """A presentation: its slides' parts in order, read one at a time."""

    package: Package
    slides: Sequence[str]

    def slide(self, number: int) -> Iterator[Block]:
        part = self.slides[number - 1]
        root = self.package.tree(part)
        relations = self.package.relations(part)
        place = f"slide {number}" + (", hidden" if attribute(root, "show", "1") in ("0", "false") else "")
        yield from Shapes(package=self.package, relations=relations).blocks(root, place)
        for kind, target in relations.values():
            if kind == "notesSlide" and self.package.has(target):
                yield from blocks(self._notes(target), place=place)
            elif kind == "comments" and self.package.has(target):
                texts = [each for each in self.package.tree(target).iter() if local(each) in ("text", "t")]
                yield from blocks("comments: " + " | ".join(each.text or "" for each in texts), place=place)

    def titles(self) -> list[Title]:
        """The titles of the slides that have one."""
        texts = ((number, self._title(part)) for number, part in enumerate(self.slides, 1))
        return [Title(text=text, first=number, last=number) for number, text in texts if text]

    def _title(self, part: str) -> str:
        tree = child(self.package.tree(part), "cSld", "spTree")
        titles = (each for each in (_shapes(tree) if tree is not None else ()) if _placeholder(each) in _TITLES)
        return next((" ".join(" ".join(_paragraphs(each)).split()) for each in titles), "")

    def facts(self) -> Iterator[str]:
        found = (each for part in self.slides for each in self.package.relations(part).values())
        yield from media.listed(self.package, [target for kind, target in found if kind == "image"])

    def _notes(self, part: str) -> str:
        tree = child(self.package.tree(part), "cSld", "spTree")
        shapes = [each for each in _shapes(tree) if _placeholder(each) == "body"] if tree is not None else []
        text = "\n".join(line for each in shapes for line in _paragraphs(each)).strip()
        return f"notes: {text}" if text else ""


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Slides: `part` is "3", "2-5" or the title of one."""
    with Package(source, "a PowerPoint presentation") as package:
        yield media.shown(package, part) or _reading(package, part)


def _reading(package: Package, part: str | None) -> Reading:
    main = package.main_part(_PRESENTATION)
    relations = package.relations(main)
    listed = child(package.tree(main), "sldIdLst")
    targets = [relations.get(_relation(each), ("", ""))[1] for each in listed or ()]
    show = _Show(package=package, slides=[target for target in targets if package.has(target)])
    numbered = Numbered(noun="slide", count=len(show.slides), blocks=show.slide, titles=show.titles, facts=show.facts)
    return numbered.reading(part, package.name)


def _relation(slide: Element) -> str:
    """The id of the relation, which stands beside a number of the slide's own."""
    return next((value for key, value in slide.attrib.items() if key.endswith("}id")), "")


def _shapes(parent: Element, depth: int = 0) -> Iterator[Element]:
    """The shapes in their order, those of groups where the group stands."""
    for each in parent:
        match local(each):
            case "grpSp" if depth < DEEPEST_GROUP:
                yield from _shapes(each, depth + 1)
            case "grpSp":
                yield from (inner for inner in each.iter() if local(inner) in _SHAPES)
            case "AlternateContent":
                choice = child(each, "Choice")
                yield from _shapes(choice, depth + 1) if choice is not None and depth < DEEPEST_GROUP else ()
            case name if name in _SHAPES:
                yield each
            case _:
                continue


def _placeholder(shape: Element) -> str:
    """What a shape is the place of: title, body; empty for a shape of its own."""
    found = child(shape, f"nv{local(shape)[0].upper()}{local(shape)[1:]}Pr", "nvPr", "ph")
    return attribute(found, "type", "body") if found is not None else ""


def _paragraphs(shape: Element) -> Iterator[str]:
    """The lines of a shape's or cell's text, indented by their level."""
    body = child(shape, "txBody")
    for paragraph in body if body is not None else ():
        if local(paragraph) != "p":
            continue
        properties = child(paragraph, "pPr")
        depth = min(whole_number(attribute(properties, "lvl")), 8) if properties is not None else 0
        line = marked(_runs(paragraph))
        if line.strip():
            yield f"{INDENT * depth}{'- ' if depth else ''}{line}"


def _runs(parent: Element, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The text of a paragraph in runs, each with how it looks; of two forms of one thing the first."""
    for each in parent:
        match local(each):
            case "br":
                yield "", "\n"
            case "r" | "fld":
                yield _look(each), "".join(part.text or "" for part in each.iter() if local(part) == "t")
            case "oMath":
                yield "", math_text(each)
            case "AlternateContent" | "Choice" | "m" | "oMathPara" if depth < DEEPEST_GROUP:
                yield from _runs(each, depth + 1)
            case _:
                continue


def _look(run: Element) -> str:
    properties = child(run, "rPr")
    if properties is None:
        return ""
    height = attribute(properties, "baseline", "0").rstrip("%")
    look = DOWN if height.startswith("-") else UP if height.strip("0.") else ""
    return look + (STRUCK if attribute(properties, "strike", "noStrike") != "noStrike" else "")


def _described(shape: Element) -> str:
    for each in shape.iter():
        if local(each) == "cNvPr" and attribute(each, "descr"):
            return f": {' '.join(attribute(each, 'descr').split())}"
    return ""
