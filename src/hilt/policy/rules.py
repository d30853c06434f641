"""A rule: a word for the calls it speaks about. Pure text and numbers, as a file or a host writes them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from hilt.declarations.effects import Action, Deed, Risk
from hilt.policy.decision import Word
from hilt.policy.hosts import is_host_pattern
from hilt.policy.patterns import path_fault, value_expression

RuleWord = Literal["allow", "ask", "deny", "limit"]
RuleLayer = Literal["organisation", "user", "project", "host", "session"]
Label = Literal["untrusted", "private"]
Per = Literal["tool", "host", "session", "principal"]
LAYERS: tuple[RuleLayer, ...] = get_args(RuleLayer)
_SHELL = re.compile(r"[\"'`\\$;|&<>()\u200b-\u200f]")
SHOWN_CONDITIONS = 2
"""Conditions by which a rule without a name is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call by which a rule proves itself. `text` is a command, path, address or tool, by what the rule sees."""

    text: str = ""
    tool: str = ""
    command: str = ""
    path: str = ""
    url: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    does: tuple[Deed, ...] = ()
    after: tuple[Label, ...] = ()

    def __str__(self) -> str:
        named = [(name, getattr(self, name)) for name in ("tool", "command", "path", "url", "arguments")]
        return self.text or ", ".join(f"{name} {value}" for name, value in named if value) or "any call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: `word` for every call that all its conditions fit; a condition that is not given fits every call.

    `tools` and `namespace` look at the tool's name, `actions`, `risk` (at least) and `irreversible` at what
    the call does, `paths`, `hosts` and `commands` at what it touches, `arguments` at values by name (wildcards, or a
    regular expression between slashes), `after` at what the session has seen, all of it.

    `allow` lifts the preset's word alone, and only where the conditions cover everything the call touches;
    `ask` and `deny` speak where any of it fits, and ask where something runs of which that is not known.
    `limit` allows nothing: with `most`, at most so many calls in any `window_s` seconds, counted `per`
    tool, host, session or principal; the further ones have to wait. An `allow` may have a limit too.
    `match` and `not_match` are calls it must and must not speak about, tried when it is loaded.
    """

    word: RuleWord
    layer: RuleLayer = "host"
    tools: str = "*"
    namespace: str = ""
    actions: tuple[Action, ...] = ()
    risk: Risk | None = None
    irreversible: bool = False
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    after: tuple[Label, ...] = ()
    most: int = 0
    window_s: float = 0
    per: Per = "session"
    name: str = ""
    reason: str = ""
    match: tuple[Example, ...] = ()
    not_match: tuple[Example, ...] = ()

    @property
    def label(self) -> str:
        """How people are told which rule this is."""
        if self.name:
            return self.name
        told = [what for what, _ in self.conditions()][:SHOWN_CONDITIONS]
        return " ".join([self.word, self.tools, *told])

    @property
    def static(self) -> bool:
        """Whether it looks at the tool alone, so that its word is known before any argument."""
        return not (self.paths or self.hosts or self.commands or self.arguments or self.after or self.most)

    @property
    def speech(self) -> Word | None:
        """Its word as a decision; None for a limit."""
        return None if self.word == "limit" else self.word

    def conditions(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each condition beside the tool's name, as people read it, with its patterns."""
        if self.namespace:
            yield f"in {self.namespace}", (self.namespace,)
        for what, patterns in (
            ("that", self.actions),
            ("on", self.paths),
            ("at", self.hosts),
            ("running", self.commands),
            ("with", tuple(f"{name}={pattern}" for name, pattern in self.arguments.items())),
            ("after", self.after),
        ):
            if patterns:
                yield f"{what} {', '.join(patterns)}", patterns
        if self.risk:
            yield f"of {self.risk} risk", (self.risk,)
        if self.irreversible:
            yield "that cannot be taken back", ("irreversible",)

    def fault(self) -> str:
        """What makes this no rule, for people; empty for a sound one."""
        if self.word == "limit" and not self.most:
            return "a limit says how many: most, and window_s"
        if self.most and self.word in ("ask", "deny"):
            return f"most belongs to a limit or an allow, and this is {self.word}"
        if self.most < 0 or (self.most and self.window_s <= 0):
            return "most and window_s are above 0"
        for name, pattern in self.arguments.items():
            try:
                value_expression(pattern)
            except re.error as error:
                return f"arguments.{name}: {pattern} is no regular expression: {error}"
        return next(self._unfit(), "")

    def _unfit(self) -> Iterator[str]:
        """Patterns that would never fit anything, so that the rule would protect less than it seems to."""
        for each in self.commands:
            words = each.split()
            if not words or words[0].endswith("/"):
                yield "a command is a program and the words that follow it, such as git push"
            elif "=" in words[0] or _SHELL.search(each):
                yield f"{each}: write the program and its words alone, without quotes, variables or operators"
        for each in self.hosts:
            if not is_host_pattern(each):
                yield f"{each} is no host; write example.org, or *.example.org for those below it"
        for each in self.paths:
            if why := path_fault(each):
                yield f"{each}: {why}"
