"""Markdown as a row of blocks with headings: the whole, or one section of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

PATH = " > "
"""Between the headings of a path."""

LONGEST_BLOCK = 2_000
"""Characters of a block; a longer one is parted, at a line's end where there is one."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_MARKS = re.compile(r"[*`\\\u00b6\u00a7]|!?\[|\]\([^)]*\)|\]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of Markdown; `level` is 1 to 6 and `title` the words where it is a heading.

    `anchors` are the names by which an address leads to it.
    """

    text: str
    level: int = 0
    title: str = ""
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading, the headings above it, and the blocks that are its section: from `first` to before `end`."""

    title: str
    level: int
    path: tuple[str, ...]
    first: int
    end: int
    size: int
    anchors: tuple[str, ...] = ()


def parted(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same text in blocks none of which is longer than `LONGEST_BLOCK`; each ends in its own blank line."""
    return tuple(piece for block in blocks for piece in _pieces(block))


def markdown_blocks(text: str) -> Iterator[Block]:
    """Blocks of a Markdown text as it stands, fenced code whole."""
    held: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.fullmatch(line.rstrip("\r\n"))
        if heading:
            yield from _joined(held)
            held = []
            yield Block(line, len(heading[1]), plain(heading[2]))
            continue
        held.append(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" \t\r\n`~"))):
            fence = "" if fence else mark[1]
        elif not fence and not line.strip():
            yield from _joined(held)
            held = []
    yield from _joined(held)


def headings(blocks: Sequence[Block]) -> tuple[Heading, ...]:
    """Every heading with its section, which ends before the next heading of its level or above."""
    sizes = [0]
    for block in blocks:
        sizes.append(sizes[-1] + len(block.text))
    found: dict[int, Heading] = {}
    above: list[int] = []
    for place, block in enumerate((*blocks, Block("", 1))):
        while block.level and above and blocks[above[-1]].level >= block.level:
            first = above.pop()
            found[first] = Heading(
                title=blocks[first].title,
                level=blocks[first].level,
                path=tuple(blocks[each].title for each in above),
                first=first,
                end=place,
                size=sizes[place] - sizes[first],
                anchors=blocks[first].anchors,
            )
        if block.level:
            above.append(place)
    return tuple(found[first] for first in sorted(found))


def sections(found: Sequence[Heading], asked: str) -> tuple[Heading, ...]:
    """The sections that `asked` may mean: by the whole heading, else by a part of it; a path narrows it down."""
    steps = [folded(step) for step in asked.split(PATH)]
    wanted = steps[-1]
    tests: tuple[Callable[[str], bool], ...] = (
        lambda title: title == wanted,
        lambda title: title.startswith(wanted),
        lambda title: wanted in title,
    )
    for fits in tests:
        some = tuple(each for each in found if fits(folded(each.title)) and _below(each, steps[:-1]))
        if some:
            return tuple(each for each in some if _just_below(each, steps[:-1])) or some
    whole = folded(asked)
    return tuple(each for each in found if folded(each.title) == whole)


def folded(title: str) -> str:
    """What of a heading counts when two are compared."""
    return _SPACES.sub(" ", _MARKS.sub("", title)).strip().casefold()


def plain(title: str) -> str:
    """A heading's words without marks of Markdown."""
    return _SPACES.sub(" ", _MARKS.sub("", title)).strip()


def _below(heading: Heading, steps: Sequence[str]) -> bool:
    above = iter([folded(each) for each in heading.path])
    return all(any(step in each for each in above) for step in steps)


def _just_below(heading: Heading, steps: Sequence[str]) -> bool:
    """Whether the path names whole headings: "Part 1" above is not "Part 10"."""
    above = iter([folded(each) for each in heading.path])
    return all(step in above for step in steps)


def _joined(lines: Sequence[str]) -> Iterator[Block]:
    text = "".join(lines)
    if text.strip():
        yield Block(text)


def _pieces(block: Block) -> Iterator[Block]:
    text = block.text.rstrip("\n") + "\n\n"
    level, title, anchors, start = block.level, block.title, block.anchors, 0
    while len(text) - start > LONGEST_BLOCK + 1:
        border = text.rfind("\n", start, start + LONGEST_BLOCK) + 1
        cut = border if border > start + LONGEST_BLOCK // 2 else start + LONGEST_BLOCK
        yield Block(text[start:cut], level, title, anchors)
        level, title, anchors, start = 0, "", (), cut
    yield Block(text[start:], level, title, anchors)
