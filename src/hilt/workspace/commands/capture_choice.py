"""Which lines of a long output are shown: its start, its first errors and its last, its end; and what each gap holds.

Where something failed, the many lines of one form that say that nothing did (`test_x ... ok`) are
worth one line: they make way, and a gap of nothing but such lines says so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from hilt.workspace.commands.capture_errors import looks_wrong
from hilt.workspace.commands.capture_text import Line

HEAD_BYTES, HEAD_LINES = 400, 6
ERROR_BYTES, MOST_ERRORS = 1_100, 4
LAST_ERROR_BYTES = 400
"""What is shown of the last error before the end, whose room the first errors cannot take."""
TAIL_BYTES, TAIL_LINES = 1_400, 12
REACH = 30
"""Lines from the start and from the end, among which these are chosen."""
BEFORE_ERROR, BEHIND_ERROR = 1, 4
LONGEST_LINE, HALF_LINE = 480, 200
"""Characters from which on a line is shown by its two ends, and of each of these."""
PLAIN_FROM = 8
"""Lines of one form and without an error, from which on they are plain: worth one line."""

_NAME = re.compile(r"\S*(?:[\d_/\\]|\w[.:]\w|[a-z][A-Z])\S*")
_FINE = re.compile(
    r"^\s*(?:ok\b|[\u2713\u2714\u221a]|PASS(?:ED)?\b|--- PASS|\[\s*(?:OK|PASSED)\s*\])"
    r"|(?:\bok|\bPASS(?:ED)?|[\u2713\u2714])\s*(?:\[\s*\d+%\])?\s*$"
)


class Choice:
    """What is shown of `lines`, which may be only parts of a log of `total` lines."""

    def __init__(self, lines: Sequence[Line], total: int) -> None:
        self._lines = lines
        self._total = total
        self._wrong = [place for place, line in enumerate(lines) if looks_wrong(line.text)]
        self._plain = _plain(lines, frozenset(self._wrong)) if self._wrong else {}
        self._picked: set[int] = set()
        self._choose()
        self.shown = [lines[place] for place in sorted(self._picked)]
        self._examples = self._counted_lines()

    def text(self) -> str:
        """What is shown, and in each gap what is missing there."""
        said: list[str] = []
        at, behind = 1, 0
        for place in sorted(self._picked):
            line = self._lines[place]
            if line.number > at:
                said.append(self._gap(behind, place, line.number - at))
            said.append(shortened(line.text))
            at, behind = line.number + line.stands_for, place + 1
        if at <= self._total:
            said.append(self._gap(behind, len(self._lines), self._total + 1 - at))
        return "\n".join(said)

    def _choose(self) -> None:
        count = len(self._lines)
        self._pick(self._telling(range(min(REACH, count))), HEAD_BYTES, HEAD_LINES)
        begun = max(self._picked, default=-1) + 1
        end = self._telling(range(count - 1, max(begun, count - REACH) - 1, -1))
        ending = _within(end, self._lines, TAIL_BYTES, TAIL_LINES)
        self._pick_errors([place for place in self._wrong if place < min(ending, default=count)])
        self._picked.update(ending)

    def _telling(self, places: Iterable[int]) -> Iterable[int]:
        """These places without the plain ones, save the first of each form."""
        met: set[str] = set()
        for place in places:
            form = self._plain.get(place)
            if form not in met:
                yield place
            if form is not None:
                met.add(form)

    def _pick_errors(self, wrong: Sequence[int]) -> None:
        if wrong:
            self._pick(self._around(wrong[-1]), LAST_ERROR_BYTES, len(self._lines))
        errors, room = 0, ERROR_BYTES
        for place in wrong:
            if errors == MOST_ERRORS or room <= 0:
                return
            if place not in self._picked:
                errors += 1
                room -= self._pick(self._around(place), room, len(self._lines))

    def _around(self, error: int) -> list[int]:
        """An error, and what stands around it that is neither plain nor the same error again."""
        near = range(max(0, error - BEFORE_ERROR), min(len(self._lines), error + BEHIND_ERROR + 1))
        form = _form(self._lines[error].text)
        return [
            error,
            *(place for place in near if place not in self._plain and _form(self._lines[place].text) != form),
        ]

    def _pick(self, places: Iterable[int], most_bytes: int, most_lines: int) -> int:
        """Show the first of these places that have room; the characters that this adds."""
        new = set(_within(places, self._lines, most_bytes, most_lines)) - self._picked
        self._picked |= new
        return sum(len(shortened(self._lines[place].text)) for place in new)

    def _counted_lines(self) -> dict[str, int]:
        """Of each plain form the number of a line that a reader can count to, for nothing before it is left out."""
        found: dict[str, int] = {}
        for number, place in enumerate(sorted(self._picked), 1):
            if self._lines[place].number != number:
                break
            if place in self._plain:
                found.setdefault(self._plain[place], number)
        return found

    def _gap(self, first: int, behind: int, count: int) -> str:
        inside = self._lines[first:behind]
        forms = {self._plain.get(place) for place in range(first, behind)}
        form = forms.pop() if len(forms) == 1 and sum(line.stands_for for line in inside) == count else None
        if form is not None and form in self._examples:
            return f"[... {_lines(count)} like line {self._examples[form]} ...]"
        wrong = [place for place in self._wrong if first <= place < behind]
        errors = sum(at == 0 or wrong[at - 1] != place - 1 for at, place in enumerate(wrong))  # lines in a row are one
        return f"[... {_lines(count)} left out{_with_errors(errors)} ...]"


def _with_errors(count: int) -> str:
    return f" with {count:,} {'error' if count == 1 else 'errors'}" if count else ""


def _lines(count: int) -> str:
    return f"{count:,} {'line' if count == 1 else 'lines'}"


def _plain(lines: Sequence[Line], wrong: frozenset[int]) -> dict[int, str]:
    """The form of each line that has many of its form beside it and tells of no error."""
    forms = {place: form for place, line in enumerate(lines) if place not in wrong and (form := _form(line.text))}
    many = {form for form, count in Counter(forms.values()).items() if count >= PLAIN_FROM}
    return {place: form for place, form in forms.items() if form in many}


def _form(text: str) -> str:
    """What lines have in common that differ by names and numbers, or that say alike that all is well."""
    short = text[:LONGEST_LINE]
    fine = _FINE.search(short)
    return _NAME.sub("#", fine[0] if fine else short).strip()


def _within(places: Iterable[int], lines: Sequence[Line], most_bytes: int, most_lines: int) -> list[int]:
    """The first of these places that keep within both bounds, at least one."""
    found: list[int] = []
    for place in places:
        most_bytes -= len(shortened(lines[place].text)) + 1
        if found and (most_bytes < 0 or len(found) == most_lines):
            break
        found.append(place)
    return found


def shortened(text: str) -> str:
    """A line that is too long without its middle, which is told."""
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:HALF_LINE]} [... {len(text) - 2 * HALF_LINE:,} characters ...] {text[-HALF_LINE:]}"
