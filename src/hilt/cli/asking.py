"""A person at the terminal, asked before what policy or a reviewer leaves to a person."""

import json
import sys
from collections.abc import Iterator

import anyio

from hilt.cli.output import Out
from hilt.cli.run_view import Screen
from hilt.declarations.schema import is_object
from hilt.policy.claims import Scope
from hilt.results.render import compact_json
from hilt.review.people import Question, Reachable, Reply
from hilt.review.scopes import covers

SHOWN_CHARACTERS = 2_000
"""Characters of one argument that are shown at first; v shows the rest."""
SHOWN_PREVIEW = 60
"""Lines of a preview that are shown at first."""
KEYS: dict[Scope, str] = {"once": "o", "session": "s", "shape": "t", "always": "a"}
"""The key for each scope; y is the usual one of the question."""
_DIFF_TONES = {"+": "good", "-": "bad"}


class TerminalPerson:
    """Asks on stderr, one question at a time. The end of input counts as nobody being there.

    Everything is shown with its control characters visible, so that no argument can rewrite the question.
    """

    def __init__(self, out: Out) -> None:
        self._out = out
        self._one = anyio.Lock()

    @property
    def reachable(self) -> Reachable:
        """`now`: the call waits."""
        return "now"

    async def ask(self, question: Question) -> Reply:
        """Show the whole call and wait for a word."""
        async with self._one:
            self._out.progress("")
            screen = Screen(self._out)
            shown_question(screen, question)
            keys = answers(question)
            screen.field("keys", "\n".join(f"{key}  {says}" for key, says in key_lines(question)))
            while True:
                line = await self._line(f"  allow it? {'/'.join(('y', 'n', 'r', *keys))} ")
                if line is None:
                    return Reply(word="absent")
                word = line.strip().lower()
                if word == "v":
                    shown_question(screen, question, whole=True)
                elif word == "r":
                    return Reply(word="reject", reason=(await self._line("  why not? ") or "").strip())
                elif word in ("n", "no"):
                    return Reply(word="reject")
                elif word in ("y", "yes"):
                    return Reply(word="approve")
                elif word in keys:
                    return Reply(word="approve", scope=keys[word])

    async def _line(self, prompt: str) -> str | None:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        # Not a thread: one that waits for a line cannot be ended when the wait is over.
        await anyio.wait_readable(sys.stdin)
        return sys.stdin.readline() or None


def answers(question: Question) -> dict[str, Scope]:
    """The keys for a yes that reaches further, or less far, than the usual one."""
    return {KEYS[scope]: scope for scope in question.scopes if scope != question.usual}


def key_lines(question: Question) -> Iterator[tuple[str, str]]:
    """Each key with what it means for this question."""
    yield "y", f"yes, {covers(question.usual, question.tool, question.shape)}"
    for key, scope in answers(question).items():
        yield key, f"yes, {covers(scope, question.tool, question.shape)}"
    yield "n", "no"
    yield "r", "no, with a reason that the model reads"
    if any(_long(question)):
        yield "v", "show everything that was cut"


def _long(question: Question) -> Iterator[bool]:
    yield from (len(text) > SHOWN_CHARACTERS for _, text in arguments_of(question))
    yield len(question.preview.splitlines()) > SHOWN_PREVIEW


def arguments_of(question: Question) -> list[tuple[str, str]]:
    """Each argument with its value: a text as it is, anything else as JSON."""
    found: object = json.loads(question.arguments)
    if not is_object(found):
        return [("", question.arguments)]
    return [(name, value if isinstance(value, str) else compact_json(value)) for name, value in found.items()]


def shown_question(screen: Screen, question: Question, *, whole: bool = False) -> None:
    """The question on a screen: what is asked, with which arguments, what it would do, and why it is asked."""
    screen.field("asks", question.tool, "strong", label_tone="warn")
    if question.activity and question.activity != question.tool:
        screen.field("", question.activity)
    for name, text in arguments_of(question):
        kept = text if whole or len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS]
        screen.field(name[:9], kept)
        if len(kept) < len(text):
            screen.field("", f"... {len(text) - len(kept):,} more characters: v", "warn")
    lines = question.preview.splitlines()
    for place, line in enumerate(lines if whole else lines[:SHOWN_PREVIEW]):
        screen.field("would" if place == 0 else "", line, _DIFF_TONES.get(line[:1], ""))
    if len(lines) > SHOWN_PREVIEW and not whole:
        screen.field("", f"... {len(lines) - SHOWN_PREVIEW:,} more lines: v", "warn")
    for place, reason in enumerate(question.reasons):
        screen.field("because" if place == 0 else "", reason)
