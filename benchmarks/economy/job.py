"""What a job is: what the model is told, what must reach it, and what must hold on disk afterwards."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

Fact = str | Callable[[str], bool]
"""A regular expression found in what the model read, or a test of it."""

State = Callable[[Path, str], str]
"""Given the workspace and what the model read: what is wrong, or nothing."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One job of the day.

    `inputs` is what the person's request holds, and all a script may know. `facts` must be in the
    texts the tools gave back. `writes` are the only paths that may change, with what they must hold
    (None: gone); `may_write` may change too. `before` prepares the workspace, and `meanwhile` is
    what another program does when the script says so.
    """

    name: str
    asks: str
    inputs: SimpleNamespace
    facts: Mapping[str, Fact] = field(default_factory=dict)
    writes: Mapping[str, bytes | None] = field(default_factory=dict)
    may_write: tuple[str, ...] = ()
    state: State | None = None
    before: Callable[[Path], None] | None = None
    meanwhile: Callable[[Path], None] | None = None
    keeps_history: bool = True


def missing(job: Job, text: str) -> list[str]:
    """The facts that did not reach the model."""
    return [
        name
        for name, fact in job.facts.items()
        if not (fact(text) if callable(fact) else re.search(fact, text, re.MULTILINE))
    ]


def number(value: int) -> str:
    """A whole number as a pattern, with or without separators of thousands."""
    return r"(?<!\d)" + f"{value:,}".replace(",", ",?") + r"(?!\d)"
