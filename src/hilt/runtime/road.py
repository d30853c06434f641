"""What the road is built of: the catalog, policy, store, trace and parts that its steps use."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hilt.calls.arguments import Values
from hilt.calls.context import Parts
from hilt.calls.events import Event, Listener, Trace
from hilt.calls.memos import Memos
from hilt.calls.resolver import Resolver
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Catalog
from hilt.declarations.checks import Check
from hilt.declarations.description import Environment
from hilt.declarations.effects import Effects
from hilt.declarations.names import LONGEST_NAME
from hilt.declarations.schema import is_object
from hilt.declarations.shapes import properties
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.policy.policy import Policy
from hilt.results.counting import QUARTER_BYTES, Counter
from hilt.results.cutting import Budget
from hilt.results.failures import InvalidArguments, Violation
from hilt.results.render import compact_json
from hilt.review.people import DEFAULT_WAIT_S, Person
from hilt.review.review import Review
from hilt.runtime.deadlines import Deadlines
from hilt.runtime.defects import Defect, Report, log_defect, logged
from hilt.runtime.facts import texts_of
from hilt.runtime.sessions import SessionState
from hilt.runtime.threads import Threads
from hilt.runtime.trail import Trail
from hilt.runtime.violations import received
from hilt.store.protocol import Store

LONGEST_WAIT_S = 30.0
"""Seconds the runtime itself waits before it repeats a retryable failure."""
TURN_TOKENS = 25_000
"""Tokens the results of one turn may cost together; the largest are cut first."""
TURN_BUDGET = Budget(tokens=TURN_TOKENS)
MOST_NAMES = 12
"""Tool names listed to a model that asked for an unknown one."""
THREADS = 40
"""Sync functions that run at once; further ones wait for a thread."""

LEAVE_OF_HOST = "ask whoever runs this to let a person be asked, or to allow it"
"""How a person may give leave where nobody says what stands around the runtime."""

Form = Literal["text", "json"]


@dataclass(slots=True, kw_only=True)
class Road:
    """The live parts behind every call of one runtime."""

    catalog: Catalog
    policy: Policy
    store: Store
    trace: Trace
    parts: Parts
    resolver: Resolver | None = None
    trail: Trail | None = None
    person: Person | None = None
    leave: str = LEAVE_OF_HOST
    review: Review = field(default_factory=Review)
    wait_s: float = DEFAULT_WAIT_S
    counter: Counter = QUARTER_BYTES
    form: Form = "text"
    turn_budget: Budget = TURN_BUDGET
    environment: Environment = field(default_factory=Environment)
    longest_wait_s: float = LONGEST_WAIT_S
    listeners: list[Listener] = field(default_factory=list[Listener])
    on_defect: Report = log_defect
    deadlines: Deadlines | None = None
    threads: Threads = field(default_factory=lambda: Threads(THREADS))
    _decisions: dict[str, tuple[Effects, Decision]] = field(default_factory=dict[str, tuple[Effects, Decision]])

    def record(self, event: Event) -> None:
        """Keep one event, and tell it to who listens."""
        self.trace.record(event)
        if self.listeners:
            self.hear(event)

    def hear(self, event: Event) -> None:
        """Tell one event to who listens. A listener that raises loses the event, never the call its answer."""
        for listener in self.listeners:
            with logged("a listener"):
                listener(event)

    def report(self, defect: Defect) -> None:
        """Hand a fault of a host's tool to the host."""
        with logged("on_defect"):
            self.on_defect(defect)

    async def open(self, state: SessionState) -> None:
        """Open the session in the store, once. Raises `Refused` for another principal's."""
        if not state.opened:
            await self.store.open_session(state.session.id, state.session.principal)
            state.opened = True

    async def command_folder(self, state: SessionState) -> str | None:
        """Where the session's next command starts; None where nobody knows."""
        memos = self.parts.get(Memos)
        if self.resolver is None or not isinstance(memos, Memos):
            return None
        return await self.resolver.folder(state.session, memos)

    def standing(self, tool: AnyTool) -> Decision | None:
        """Policy's yes to every call of a tool that does nothing and names nothing; None where the call counts."""
        effects = tool.declaration.effects
        known = self._decisions.get(tool.name)
        if known is not None and known[0] is effects:
            return known[1]
        if effects.does or effects.also or effects.roles or effects.isolated or effects.irreversible:
            return None
        if not self.policy.static:
            return None
        decision = self.policy.decide(Facts(tool=tool.name, effects=effects, server=tool.declaration.server))
        if decision.word != "allow":
            return None
        self._decisions[tool.name] = (effects, decision)
        return decision

    def misshapen_paths(self, tool: AnyTool, values: Values) -> Iterator[Violation]:
        """Path arguments that are no absolute path: a fault of shape, so that policy need not deny them.

        What a server of others takes a path to be relative to, only it knows: there policy alone has its word.
        """
        if tool.declaration.server:
            return
        for path, asked in texts_of("path", tool, values):
            if self.resolver is None or (asked.startswith("/") and "\0" not in asked):
                continue
            if instead := self.resolver.path(asked).instead:
                yield Violation(
                    path=path,
                    received=received(asked),
                    expected="a path without NUL characters" if "\0" in asked else "an absolute path",
                    next_step=f"give an absolute path, for example {compact_json(instead)}",
                )

    def ways_out(self, decision: Decision) -> tuple[str, ...]:
        """What may help after a deny, for the model and the person behind it."""
        if decision.ways:
            return decision.ways
        return (f"take a way that needs no {decision.rule.rsplit('/', 1)[-1]}", "ask the person to change the policy")

    def unknown_tool(self, name: str) -> InvalidArguments:
        """The failure for a name that is not in the catalog."""
        if self.catalog.was_removed(name):
            listed = _listed(self.catalog.by_name)
            return InvalidArguments(f"the tool {name!r} is no longer offered", f"take another way; offered: {listed}")
        near = self.catalog.nearest(name)
        name = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
        if near:
            return InvalidArguments(f"there is no tool {name!r}", f"did you mean {' or '.join(near)}?")
        listed = _listed(self.catalog.by_name)
        return InvalidArguments(f"there is no tool {name!r}; offered: {listed}", "call one that is offered")

    def broken_checks(
        self, tool: AnyTool, parsed: Values, broken: Sequence[tuple[Check, str]], paths: Sequence[Violation] = ()
    ) -> InvalidArguments:
        """The failure for arguments that are each of their type, but no paths or not valid together."""
        violations = list(paths) + [
            Violation(
                path=check.path,
                received=received(parsed.get(check.path)),
                expected=expected,
                next_step=check.next_step,
            )
            for check, expected in broken
        ]
        problem = "; ".join(f"expected {each.expected}" for each in violations)
        return InvalidArguments(f"{tool.name}: {problem}", violations[0].next_step, violations=violations)

    def activity(self, tool: AnyTool, values: Mapping[str, object]) -> str:
        """What people see while the call runs: `activity` with each argument filled in, or its default, or left out."""
        declaration = tool.declaration
        if "{" not in declaration.activity:
            return declaration.activity or tool.name
        parameters = properties(declaration.parameters)

        def filled(match: re.Match[str]) -> str:
            space, name = match.groups()
            if name not in parameters:
                return match[0]
            parameter = parameters[name]
            value = values.get(name, parameter.get("default") if is_object(parameter) else None)
            if value is None:
                return ""
            return space + (value if isinstance(value, str) else compact_json(value))

        return _PLACEHOLDER.sub(filled, declaration.activity) or tool.name


_PLACEHOLDER = re.compile(r"( ?)\{(\w+)\}")


def _listed(tools: Iterable[str]) -> str:
    """Names of tools, for a model that asked for another; the first few of many."""
    names = sorted(tools)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more or "none"
