"""A person at the terminal, asked before what policy leaves to a person."""

import sys
from typing import Literal

import anyio

from hilt.cli.output import Out
from hilt.cli.run_view import Screen
from hilt.review.people import Question, Reply

_WORDS: dict[str, Literal["approve", "reject"]] = {"y": "approve", "yes": "approve", "n": "reject", "no": "reject"}


class TerminalPerson:
    """Asks y or n on stderr, one question at a time. The end of input counts as nobody being there."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._one = anyio.Lock()

    @property
    def reachable(self) -> Literal["now", "later"]:
        """`now`: the call waits."""
        return "now"

    async def ask(self, question: Question) -> Reply:
        """Show the whole call and wait for a word."""
        async with self._one:
            self._out.progress("")
            screen = Screen(self._out)
            screen.field("asks", f"{question.tool} {question.arguments}", "strong", label_tone="warn")
            screen.field("", "; ".join(question.reasons))
            while True:
                sys.stderr.write("  allow it? y/n ")
                sys.stderr.flush()
                # Not a thread: one that waits for a line cannot be ended when the wait is over.
                await anyio.wait_readable(sys.stdin)
                line = sys.stdin.readline()
                if not line:
                    return Reply(word="absent")
                if (word := _WORDS.get(line.strip().lower())) is not None:
                    return Reply(word=word)
