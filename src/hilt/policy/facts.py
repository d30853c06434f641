"""What policy may know of one call: its tool, declared effects, and what its arguments really mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hilt.calls.resolver import CommandFact, PathFact, Property, SimpleCommand, Unproved, UrlFact
from hilt.declarations.effects import Action, Deed, Effects, Risk, actions_of, risk_of
from hilt.declarations.schema import is_object
from hilt.policy.hosts import hosts_shown, plain_host
from hilt.policy.patterns import argument_text

EMPTY: tuple[object, ...] = (None, "", [], {}, False)
"""Values of an argument that give nothing: an event without participants is sent to nobody."""
LONGEST_QUOTE = 40
"""Characters of a command that are quoted in a reason."""
ENDS_A_WORD = " \t\n;|&"
SERVER_MARK = "__"
"""What stands between a server's name and its tool's in the name of a gateway's tool."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of one call.

    `arguments` are the model's, decoded; `paths`, `commands` and `urls` what the resolver knows of
    those with such a role, also of elements of lists. `confinement` is what isolation gives to
    whatever this tool runs. `labels` is the session's state: `untrusted` and `private` once such
    content was seen. `session` and `principal` say whose call it is.
    """

    tool: str
    effects: Effects
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    paths: tuple[PathFact, ...] = ()
    commands: tuple[CommandFact, ...] = ()
    urls: tuple[UrlFact, ...] = ()
    confinement: frozenset[Property] = frozenset()
    labels: frozenset[str] = frozenset()
    session: str = ""
    principal: str = ""
    server: str = ""

    @cached_property
    def deeds(self) -> frozenset[Deed]:
        """What this very call does: the tool's declared deeds, and those that arguments given add."""
        also = self.effects.also
        if not also:
            return self.effects.does
        added: set[Deed] = {deed for name, deed in also.items() if self.arguments.get(name) not in EMPTY}
        return self.effects.does | added

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Every action policy judges in this call, least risky first; reading is always one of them."""
        return actions_of(self.deeds)

    @cached_property
    def risk(self) -> Risk:
        """How much can go wrong by this very call."""
        effects = self.effects
        return risk_of(self.actions, undoable=effects.undoable, irreversible=effects.irreversible)

    @cached_property
    def namespace(self) -> str:
        """The server of a gateway's tool, else the part of the name before its first underscore."""
        return self.server or namespace_of(self.tool)

    @cached_property
    def touched(self) -> tuple[PathFact, ...]:
        """Every path of the call: those given, and those that its commands provably read or write."""
        return (*self.paths, *self.read_by_commands, *self.written_by_commands)

    @cached_property
    def read_by_commands(self) -> tuple[PathFact, ...]:
        """What its commands provably read."""
        return tuple(each for command in self.commands for each in command.reads)

    @cached_property
    def written_by_commands(self) -> tuple[PathFact, ...]:
        """What its commands provably write."""
        return tuple(each for command in self.commands for each in command.writes)

    @cached_property
    def written(self) -> tuple[PathFact, ...]:
        """What the call writes: by its deeds the paths it was given, by its commands what they write."""
        given = self.paths if self.deeds & {"write", "destroy"} else ()
        return (*given, *self.written_by_commands)

    @cached_property
    def programs(self) -> tuple[SimpleCommand, ...]:
        """Every program that its commands would run."""
        return tuple(each for command in self.commands for each in command.commands)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The hosts it names, each once: of its addresses, and those its commands show."""
        shown = (host for each in self.programs for host in hosts_shown(each.words))
        return tuple(dict.fromkeys([*(plain_host(url.host) for url in self.urls), *shown]))

    @property
    def proved(self) -> bool:
        """Whether it runs commands, each of which is known to be harmless but for what it reads and writes."""
        return bool(self.commands) and all(each.proved for each in self.commands)

    @property
    def opaque(self) -> bool:
        """Whether it runs something of which not all is known, so that it may do what no fact shows."""
        return "run" in self.deeds and not self.proved

    @property
    def drivers(self) -> tuple[str, ...]:
        """The build and test drivers that its commands are, where that is all that is unproved; else none."""
        named = tuple(dict.fromkeys(each.driver for each in self.commands if not each.proved))
        return () if "" in named else named

    def text_of(self, name: str) -> str | None:
        """The text of an argument, which patterns are tried on; one within another has a dotted name."""
        texts = self._texts
        if name not in texts:
            value = self.value_of(name)
            texts[name] = None if value is None else argument_text(value)
        return texts[name]

    def value_of(self, name: str) -> object:
        """An argument, or one within another by its dotted name; None where it is not given."""
        value: object = self.arguments
        for step in (name,) if name in self.arguments else name.split("."):
            value = value.get(step) if is_object(value) else None
        return value

    @cached_property
    def _texts(self) -> dict[str, str | None]:
        return {}

    def unproved(self) -> Iterator[str]:
        """Why its commands are not proved, each with the construct and its place, for a model and for people."""
        for command in self.commands:
            for each in command.unproved:
                yield f"{construct(command.text, each)} cannot be proved: {each.reason}"


def construct(text: str, doubt: Unproved) -> str:
    """The part of a command a doubt is about, quoted as it is written, with its place."""
    lines = text.split("\n")
    rest = lines[doubt.line - 1][doubt.column - 1 :] if doubt.line <= len(lines) else ""
    quoted = _cut(rest) if rest.strip() else doubt.node
    line = f" of line {doubt.line}" if doubt.line > 1 else ""
    return f"`{quoted}` at column {doubt.column}{line}"


def _cut(rest: str) -> str:
    """The first construct of a text: to the bracket that closes it, or to the first blank."""
    depth = 0
    for place, letter in enumerate(rest):
        depth += (letter in "({") - (letter in ")}")
        closes = depth == 0 and letter in ")}`" and place > 0
        if closes or depth < 0 or (depth == 0 and place and letter in ENDS_A_WORD):
            rest = rest[: place + closes]
            break
    return rest if len(rest) <= LONGEST_QUOTE else f"{rest[: LONGEST_QUOTE - 3]}..."


def namespace_of(tool: str) -> str:
    """The namespace of a tool's name: `github__search` and `github_search` are both of `github`."""
    return tool.split(SERVER_MARK if SERVER_MARK in tool else "_", 1)[0]
