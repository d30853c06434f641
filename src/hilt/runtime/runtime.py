"""What a host holds: tools, policy and state behind one door."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.calls.artifacts import Artifacts
from hilt.calls.call import ToolCall, Turn, call
from hilt.calls.context import Parts
from hilt.calls.events import Listener, MemoryTrace, Trace
from hilt.calls.memos import Memos
from hilt.calls.resolver import Resolver
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool, Tool
from hilt.catalog.catalog import Catalog
from hilt.catalog.finding import Finding
from hilt.catalog.residence import server_of
from hilt.declarations.description import Environment
from hilt.errors import DeclarationError, HiltError, StoreError
from hilt.policy.claims import Scope
from hilt.policy.policy import Policy
from hilt.policy.presets import DEFAULT_PRESET, Preset
from hilt.results.counting import QUARTER_BYTES, Counter
from hilt.results.cutting import Budget
from hilt.results.envelope import ToolResult
from hilt.review.answering import answer_question
from hilt.review.people import DEFAULT_WAIT_S, Person, Reply
from hilt.review.review import Review
from hilt.runtime.defects import Defect, Report, log_defect
from hilt.runtime.late import hear_late, keep_answering, late_answer
from hilt.runtime.loading import (
    callable_names,
    declared,
    declared_natively,
    denied_always,
    environment_of,
    load,
    remember_loaded,
)
from hilt.runtime.pipeline import travel
from hilt.runtime.recovery import recover_turn
from hilt.runtime.road import LEAVE_OF_HOST, TURN_BUDGET, Form, Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.trail import Trail
from hilt.runtime.trip import Trip
from hilt.runtime.turns import answer_turn
from hilt.runtime.words import claim, look, wait_for
from hilt.store import MemoryStore
from hilt.store.protocol import Store

KEPT_SESSIONS = 10_000
"""Sessions whose live half is remembered at once; the longest unused is dropped first."""


class Runtime:
    """Tools on the road: offered, checked, executed, answered.

    State is kept in memory unless `store` is given; what holds across a crash or a second
    process holds with a stored session only. `policy` is a `Policy` or a preset's name. `parts`
    maps a class to the live part tools ask their Context for. `person` is who can be asked,
    `review` who else looks at calls, `trail` the audit trail; `form` is `text` (fewest tokens) or
    `json` (the envelope). `on_defect` hears of faults of the host's own tools, which are otherwise
    logged. Raises `DeclarationError` for two tools of one name, and `ConfigError` for a judge of the
    family of the model that calls.
    """

    def __init__(  # each is an independent part a host may replace
        self,
        tools: Iterable[Tool[..., Any]] = (),
        *,
        policy: Policy | Preset = DEFAULT_PRESET,
        store: Store | None = None,
        trace: Trace | None = None,
        trail: Trail | None = None,
        parts: Parts | None = None,
        resolver: Resolver | None = None,
        person: Person | None = None,
        leave: str = LEAVE_OF_HOST,
        review: Review | None = None,
        wait_s: float = DEFAULT_WAIT_S,
        counter: Counter = QUARTER_BYTES,
        form: Form = "text",
        turn_budget: Budget = TURN_BUDGET,
        environment: Environment | None = None,
        on_defect: Report = log_defect,
    ) -> None:
        kept = store if store is not None else MemoryStore()
        catalog = Catalog(_checked(tools))
        self.finding = Finding(catalog, self)
        self.trace: Trace = trace if trace is not None else MemoryTrace()
        self.store: Store = kept
        self._road = Road(
            catalog=catalog,
            policy=policy if isinstance(policy, Policy) else Policy(preset=policy),
            store=kept,
            trace=self.trace,
            trail=trail,
            parts={Artifacts: Artifacts(kept), Memos: Memos(kept), Finding: self.finding, **(parts or {})},
            resolver=resolver,
            person=person,
            leave=leave,
            review=review or Review(),
            wait_s=wait_s,
            counter=counter,
            form=form,
            turn_budget=turn_budget,
            environment=environment or Environment(),
            on_defect=on_defect,
        )
        self._states: dict[str, SessionState] = {}
        self._mark = ""
        for warning in self._road.review.warnings():
            self._road.report(Defect(tool="", problem=f"(review): {warning}"))

    @property
    def catalog(self) -> Catalog:
        """The tools, by name; add and remove here."""
        return self._road.catalog

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._road.policy

    def tell(self, note: str) -> None:
        """Let every session of this process read a note beside its next answer, once: a server restarted, say."""
        for state in self._states.values():
            if note not in state.late:
                state.late.append(note)

    def mark_calls(self, mark: str) -> None:
        """Put a mark into the keys of calls, for processes that serve one session at the same moment."""
        self._mark = mark

    def listen(self, listener: Listener) -> None:
        """Hear every event as it happens: progress for people, steps for a console."""
        self._road.listeners.append(listener)

    def offer(self, session: Session, *, deferred: bool = False, compact: bool = False) -> list[Offer]:
        """The declarations of this session now; what it loads is only ever appended.

        With `deferred` all of them, those that wait marked: for a provider that searches them itself, so that from
        then on calls of any go through, and nothing moves when one is found.
        """
        state, catalog = self._state(session), self._road.catalog
        offered, later = (
            declared_natively(catalog, state) if deferred else (declared(catalog, state), tuple[AnyTool, ...]())
        )
        environment = self.environment(session)
        return [
            Offer(
                declaration=each.declaration,
                description=each.declaration.text(environment, compact=compact),
                deferred=place >= len(offered),
                server=server_of(each),
            )
            for place, each in enumerate((*offered, *later))
        ]

    def environment(self, session: Session) -> Environment:
        """What this session's descriptions depend on; the date is today's, unless the host gave one."""
        return environment_of(self._road, self._state(session))

    def offered_names(self, session: Session) -> frozenset[str]:
        """Names of the tools whose declaration the session has."""
        return callable_names(self._road.catalog, self._state(session))

    async def ready(self, session: Session) -> None:
        """Read what the session loaded before and waits for, here or in another process: before an offer or a call."""
        await look(self._road, self._state(session))
        if self._road.catalog.waiting:
            await remember_loaded(self._road, self._state(session))

    def waits(self, session: Session) -> bool:
        """Whether calls of this session wait for a person's word."""
        return bool(self._state(session).waiting)

    async def load(self, session: Session, names: Sequence[str]) -> None:
        """Append tools that wait to what the session is offered, in the order of `names`; every process reads it."""
        await load(self._road, self._state(session), names)

    def declare(self, session: Session, names: Iterable[str]) -> None:
        """Count tools as declared to a session, in this process: for a program that knows them by itself."""
        self._state(session).declared |= dict.fromkeys(names)

    def denied(self, tool: AnyTool) -> str:
        """Why policy denies every call of a tool; empty where a call might pass."""
        return denied_always(self._road, tool)

    async def call(
        self,
        session: Session,
        name: str | ToolCall,
        arguments: Mapping[str, object] | str | None = None,
        *,
        approved: bool = False,
        tokens: int | None = None,
    ) -> ToolResult[object]:
        """One call outside any model turn.

        `approved` is a person's leave for this call alone; `tokens` a budget for it, else its tool's.
        """
        made = name if isinstance(name, ToolCall) else call(name, arguments)
        return (await travel(self._trip(session, made, approved=approved, tokens=tokens))).result

    async def answer_one(
        self,
        session: Session,
        name: str | ToolCall,
        arguments: Mapping[str, object] | str | None = None,
        *,
        approved: bool = False,
        tokens: int | None = None,
    ) -> Answer:
        """As `call`, with the text a model would read."""
        made = name if isinstance(name, ToolCall) else call(name, arguments)
        trip = self._trip(session, made, approved=approved, tokens=tokens)
        await travel(trip)
        return trip.answer(made)

    async def answer(self, session: Session, turn: Turn) -> list[Answer]:
        """Every call of one turn, answered once each, in call order. The same turn again runs nothing twice."""
        state = self._state(session)
        await hear_late(self._road, state)
        return await answer_turn(self._road, state, turn)

    async def recover(self, session: Session, turn: Turn) -> list[Answer]:
        """Answers for calls whose results were lost, from the ledger; nothing is run."""
        return await recover_turn(self._road, self._state(session), turn)

    def cancel(self, session: Session, key: str, by: str = "the person") -> bool:
        """End a running call by Hilt's key (the events carry it); False when it is not running."""
        state = self._state(session)
        running = state.running.get(key)
        if running is None:
            return False
        state.cancelled[key] = by
        running.cancel()
        return True

    def running(self, session: Session) -> tuple[str, ...]:
        """Keys of the calls of this session that run now."""
        return tuple(self._state(session).running)

    async def decide_pending(
        self, session: Session, handle: str, *, approve: bool, scope: Scope | None = None, reason: str = ""
    ) -> Answer:
        """A person's late word on a pending call. Approved, the call runs now, once; the answer counts once.

        `scope` is how far a yes reaches, of those that the question offered; else as is usual for
        it. The answer is also an event of the step `answer` with the facts `handle` and `text`: a
        second result of the call it can never be, so that is the message to hand to the model.

        Raises `HiltError` when nothing waits under `handle`, or it was answered or expired.
        """
        waiting = await self.store.pending(handle)
        if waiting is None or waiting.session != session.id:
            raise HiltError(
                f"nothing waits under {handle!r} in this session",
                "each is answered once, before it expires; the pending result of a call names its own",
            )
        reply = Reply(word="approve" if approve else "reject", scope=scope, reason=reason)
        state = self._state(session)
        claimed = await claim(self._road, state, handle)  # first, lest another process that waits acts on the word too
        try:
            asked = await answer_question(self.store, handle, reply, by=session.principal)
        except HiltError:
            if claimed:
                await wait_for(self._road, state, handle)
            raise
        return await late_answer(self._road, state, asked, reply)

    async def keep_answering(self, session: Session) -> None:
        """Run what a person approves through the store (`hilt approvals`), until cancelled: for a host's task group.

        The model reads what came of it in the notes of its next answer.
        """
        await keep_answering(self._road, partial(self._state, session))

    async def close(self) -> None:
        """Let go of judges and the store, once what waits for the trail is written; what cannot be is reported."""
        await self._road.review.close()
        try:
            if self._road.trail is not None:
                await self._road.trail.flush(self.store)
        except StoreError as error:
            self._road.report(
                Defect(tool="", problem=f"(trail): outcomes of calls are not in it: {error}", error=error)
            )
        finally:
            await self.store.close()

    def _trip(self, session: Session, made: ToolCall, *, approved: bool, tokens: int | None) -> Trip:
        state = self._state(session)
        return Trip(road=self._road, state=state, call=made, turn="", approved=approved, tokens=tokens)

    def _state(self, session: Session) -> SessionState:
        state = self._states.get(session.id)
        if state is None:
            self._forget_idle()
            state = SessionState(session=session, mark=self._mark)
        elif state.session is not session and state.session != session:
            if state.session.principal != session.principal:
                raise HiltError(f"the session {session.id} belongs to another principal", "open a session of your own")
            state.session = session
        self._states.pop(session.id, None)
        self._states[session.id] = state  # the last in order is the last used
        return state

    def _forget_idle(self) -> None:
        """Make room for a session: the longest unused goes, but none whose calls run."""
        if len(self._states) >= KEPT_SESSIONS:
            idle = next((id for id, state in self._states.items() if not state.running), "")
            self._states.pop(idle, None)


def _checked(tools: Iterable[object]) -> list[AnyTool]:
    checked: list[AnyTool] = []
    for each in tools:
        if not isinstance(each, Tool):
            name = getattr(each, "__name__", repr(each))
            raise DeclarationError(f"{name} is no tool", "decorate it with @tool(kind=...)")
        checked.append(cast("AnyTool", each))
    return checked
