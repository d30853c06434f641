"""A document of numbered parts, such as pages: all of them, a range, or the ones under a title."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hilt.declarations.names import nearest
from hilt.documents.pieces import Block, Onward, Piece, Reading, outline
from hilt.documents.sections import folded
from hilt.results.failures import InvalidArguments

_RANGE = re.compile(r"([1-9][0-9]{0,8})(?:\s*-\s*([1-9][0-9]{0,8}))?")

MOST_OFFERED = 5
"""So many titles are named where the one asked for is not there, or is there several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A title and the parts it stands over, from `first` to `last`, from 1."""

    text: str
    first: int
    last: int
    level: int = 1


@dataclass(slots=True, kw_only=True)
class Numbered:
    """Parts from 1 to `count`, read as they are asked for; `starts` counts the pieces before each."""

    noun: str
    count: int
    blocks: Callable[[int], Iterator[Block]]
    titles: Callable[[], Sequence[Title]]
    facts: Callable[[], Iterable[str]] = tuple
    first: int = 1
    last: int = 0
    starts: list[int] = field(default_factory=list[int])

    def reading(self, part: str | None, name: str) -> Reading:
        """The parts that `part` names: "3", "2-5" or a title. Raises InvalidArguments."""
        self.first, self.last = self._range(part, name) if part is not None else (1, self.count)
        several = self.first < self.last
        span = f"{self.noun}s {self.first}-{self.last}" if several else f"{self.noun} {self.first}"
        titles = self.titles() if part is None else ()
        entries = [self._entry(each) for each in titles]
        return Reading(
            told=f"{span} of {self.count}" if part is not None else self.counted,
            pieces=self.pieces(),
            outline=outline(entries, "titles"),
            counted=False,
            facts=self.facts,
            onward=self.onward,
        )

    @property
    def counted(self) -> str:
        return f"{self.count} {self.noun if self.count == 1 else f'{self.noun}s'}"

    def pieces(self) -> Iterator[Piece]:
        count = 0
        for number in range(self.first, self.last + 1):
            self.starts.append(count)
            for piece in self.blocks(number):
                count += 1
                yield piece

    def onward(self, read: int) -> Onward:
        """The call behind the first `read` pieces: from the part that holds the next one."""
        behind = max(place for place, start in enumerate(self.starts) if start <= read)
        return Onward(
            part=f"{self.first + behind}-{self.last}",
            offset=read - self.starts[behind] + 1,
            shown=behind if self.starts[behind] == read else behind + 1,
            total=self.last - self.first + 1,
        )

    def _range(self, part: str, name: str) -> tuple[int, int]:
        match = _RANGE.fullmatch(without_noun(part, self.noun))
        if match is None:
            return self._titled(part, name)
        first, last = int(match[1]), int(match[2] or match[1])
        if first > self.count:
            raise InvalidArguments(
                f"{self.noun} {first} is past the end: {name} has {self.counted}",
                f"give {self.noun}s up to {self.count}",
            )
        if last < first:
            raise InvalidArguments(f"part {part!r} ends before it begins", f'give part "{last}-{first}"')
        return first, min(last, self.count)

    def _entry(self, title: Title) -> str:
        """Its line in the outline, which is taken as the name of a part as well."""
        return f"{'> ' * (title.level - 1)}{title.text} ({self.noun} {title.first})"

    def _titled(self, part: str, name: str) -> tuple[int, int]:
        titles = self.titles()
        exact = [each for each in titles if folded(part) in (folded(each.text), folded(self._entry(each)))]
        fitting = exact or [each for each in titles if folded(part) in folded(each.text)]
        if len(fitting) == 1:
            return fitting[0].first, fitting[0].last
        if fitting:
            found = ", ".join(f"{each.text} ({self.noun} {each.first})" for each in fitting[:MOST_OFFERED])
            raise InvalidArguments(
                f"part {part!r} fits {len(fitting)} titles of {name}: {found}", f'give part "{fitting[0].first}"'
            )
        near = nearest(part, [each.text for each in titles], most=MOST_OFFERED)
        steps = [
            f'give {self.noun}s such as "1" or "1-{self.count}"',
            *([f"give one of: {' | '.join(near)}"] if near else []),
        ]
        raise InvalidArguments(f"{name} has no {self.noun} or title {part!r}", *steps)


def without_noun(part: str, noun: str) -> str:
    """The numbers of "page 3" or "pages 2-5", as places are written in the text itself."""
    return re.sub(rf"^\s*{noun}s?\s+(?=[0-9])", "", part, flags=re.IGNORECASE).strip()
