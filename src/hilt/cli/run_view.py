"""How a run looks to a person: each step on a few lines, results as a model reads them, cut to the screen."""

import json
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from hilt.agents.bill import Bill
from hilt.agents.steps import (
    Answered,
    Checked,
    Chosen,
    Ended,
    Executed,
    Offered,
    Progressed,
    Step,
    Understood,
    road_step,
)
from hilt.calls.call import ToolCall
from hilt.calls.events import Event
from hilt.cli.output import Out
from hilt.declarations.schema import is_object
from hilt.results.envelope import Status
from hilt.results.render import compact_json
from hilt.workspace.names import visible

LABEL = 10
WIDEST = 110
"""Columns that lines are laid out for, however wide the terminal is."""
SHOWN_LINES = 6
"""Lines of a result that a person sees; with -v all of them."""
LONGEST_CALL = 600
_PLAIN = str.maketrans({"·": "-", "│": "|", "…": "~"})
"""What is written where the terminal's encoding is not UTF-8."""
_TONES = {Status.SUCCESS: "good", Status.PARTIAL: "warn", Status.PENDING: "warn"}


@dataclass(slots=True)
class Screen:
    """Lines for a person, as wide as their terminal; control characters never reach it."""

    out: Out
    stream: TextIO = field(default_factory=lambda: sys.stderr)

    @property
    def width(self) -> int:
        """Columns a line may take."""
        return min(self.out.width, WIDEST)

    def line(self, text: str = "", tone: str = "") -> None:
        """One line, cut to the width."""
        shown = self._fit(visible(text.expandtabs(4)), self.width)
        self._write(self.out.paint(shown, tone, self.stream) if tone else shown)

    def field(self, label: str, text: str, tone: str = "", *, label_tone: str = "dim") -> None:
        """A label, and behind it a text wrapped under itself."""
        lines = [part for each in text.splitlines() or [""] for part in self._wrapped(each)]
        for place, each in enumerate(lines):
            head = self.out.paint(f"  {label:<{LABEL}}", label_tone, self.stream) if place == 0 else " " * (LABEL + 2)
            self._write(head + (self.out.paint(each, tone, self.stream) if tone else each))

    def quote(self, lines: Sequence[str]) -> None:
        """Text of a file or a result, each line behind a rule and cut to the width."""
        for each in lines:
            shown = self._fit(visible(each.expandtabs(4)), self.width - LABEL - 4)
            self._write(" " * (LABEL + 2) + self.out.paint(f"│ {shown}", "dim", self.stream))

    def _wrapped(self, text: str) -> list[str]:
        room = max(20, self.width - LABEL - 2)
        return textwrap.wrap(visible(text.expandtabs(4)), room, break_on_hyphens=False) or [""]

    def _fit(self, text: str, room: int) -> str:
        return text if len(text) <= room else text[: room - 1] + "…"

    def _write(self, line: str) -> None:
        if "utf" not in (self.stream.encoding or "").lower():
            line = line.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        self.stream.write(f"{line.rstrip()}\n")
        self.stream.flush()


@dataclass(slots=True)
class RunView:
    """Watches a run for one person: `watch` takes the steps in the order they happen."""

    screen: Screen
    _activities: dict[str, str] = field(default_factory=dict[str, str])
    _declared: int = 0

    def watch(self, step: Step) -> None:
        """Show one step."""
        match step:
            case Offered():
                self._offered(step)
            case Chosen():
                self._chosen(step)
            case Understood():
                self._activities[step.call] = step.activity
                self.screen.out.progress(f"  {visible(step.activity)} …")
            case Progressed():
                self.screen.out.progress(f"  {visible(step.message)} …")
            case Checked():
                self._checked(step)
            case Answered():
                self._answered(step)
            case Executed() | Ended():
                pass

    def _offered(self, step: Offered) -> None:
        self.screen.line()
        self.screen.line(f"turn {step.turn}", "strong")
        if step.tokens != self._declared:
            self._declared = step.tokens
            self.screen.field("offered", f"{', '.join(step.tools)} · {size_words(step.bytes, step.tokens)}")

    def _chosen(self, step: Chosen) -> None:
        if step.text and step.calls:
            self.screen.field("said", step.text)
        if not step.calls:
            self.screen.field("chosen", "no further call: it answers")
        for each in step.calls:
            self.screen.field("chosen", shown_call(each), "strong")
        if step.cut:
            self.screen.field("cut", "the output limit ended this turn", "warn")

    def _checked(self, step: Checked) -> None:
        self.screen.out.progress("")
        doing = self._activities.get(step.call, step.tool)
        tone = {"allow": "good", "ask": "warn"}.get(step.word, "bad")
        self.screen.field("checked", f"{doing} · {step.word}, {step.layer} rule {step.rule}", label_tone=tone)

    def _answered(self, step: Answered) -> None:
        self.screen.out.progress("")
        status = step.answer.result.status
        lines = step.answer.text.splitlines()
        words = f"{status.value} · {step.answer.call.name} · {size_words(step.bytes, step.tokens)}"
        self.screen.field("answered", words, label_tone=_TONES.get(status, "bad"))
        most = len(lines) if self.screen.out.verbose else SHOWN_LINES
        if step.answer.result.is_error:
            self.screen.field("", "\n".join(lines[:most]))
            return
        notice = lines.pop() if step.answer.result.truncated and len(lines) > 1 else ""
        most += 1 if len(lines) == most + 1 else 0  # one line takes no more room than the words that it is missing
        self.screen.quote(lines[:most])
        if len(lines) > most:
            self.screen.quote([f"… {len(lines) - most:,} more lines"])
        if notice:
            self.screen.field("", notice, "warn")


class Watched:
    """A run as it is shown and kept: every step in the order it happened, those of the road among the loop's.

    Where the steps are themselves the answer (`answers`), they go to stdout.
    """

    def __init__(self, out: Out, *, answers: bool = False) -> None:
        self.out = out
        self.shown = not (out.json or out.quiet or (answers and out.file))
        self.steps: list[Step] = []
        self.screen = Screen(out, sys.stdout if answers else sys.stderr)
        self.view = RunView(self.screen)

    def watch(self, step: Step) -> None:
        """Keep one step, and show it."""
        self.steps.append(step)
        if self.shown:
            self.view.watch(step)

    def hear(self, event: Event) -> None:
        """Keep what an event of the road says to a watcher."""
        step = road_step(event)
        if step is not None:
            self.watch(step)


def size_words(in_bytes: int, tokens: int) -> str:
    """A size for people; which counter counted stands once, at the bill."""
    return f"{in_bytes:,} bytes, {tokens:,} tokens"


def shown_call(call: ToolCall) -> str:
    """A call as `name argument=value ...`; arguments that are no JSON object as they are."""
    try:
        arguments: object = json.loads(call.arguments)
    except ValueError:
        arguments = None
    if is_object(arguments):
        text = " ".join(f"{name}={compact_json(value)}" for name, value in arguments.items())
    else:
        text = call.arguments
    return f"{call.name} {text}"[:LONGEST_CALL]


def show_bill(screen: Screen, bill: Bill) -> None:
    """The bill: a row for each turn, and the sums."""
    screen.line()
    screen.line(f"bill, in tokens by {bill.counter}", "strong")
    screen.line(f"  {'turn':<6}{'declared':>10}{'returned':>10}{'calls':>7}", "dim")
    for each in bill.turns:
        screen.line(f"  {each.turn:<6}{each.declared_tokens:>10,}{each.returned_tokens:>10,}{each.calls:>7}")
    screen.line(f"  {'all':<6}{bill.declared_tokens:>10,}{bill.returned_tokens:>10,}{bill.calls:>7}")
    reported = [each.reported for each in bill.turns if each.reported]
    if reported:
        prompt, answer = sum(each[0] for each in reported), sum(each[1] for each in reported)
        screen.line(f"  the endpoint counted {prompt:,} tokens of prompts and {answer:,} of answers")
