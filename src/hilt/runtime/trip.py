"""One call under way: what each step of the road found, for the steps behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import time_ns
from typing import cast

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.events import Event, Step
from hilt.calls.tool import AnyTool
from hilt.policy.claims import LedgerClaim
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.results.envelope import ToolResult
from hilt.runtime.answering import Shown
from hilt.runtime.decoding import Decoded
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState

# As `Event(...)`, without the function in Python that a named tuple comes with: seven are made on every call.
_event: Callable[[type[Event], tuple[object, ...]], Event] = tuple.__new__  # type: ignore[reportUnknownMemberType]


# No slots: what the steps find out starts as the class's own default, and a call pays only for what it sets.
@dataclass(kw_only=True)
class Trip:
    """A call on its way. `claims` are held in the ledger until the answer is kept under each.

    `tokens` is a budget of this call alone; `approved` a person's leave for it;
    `late`: it was approved through the store and runs by that leave, or not at all. `at_work` names the
    part of the tool itself that works now: what it raises is the tool's fault. `verdict` says what
    review came to, `refused` how many refusals came before it in a row, `preview` what it would do.
    """

    road: Road
    state: SessionState
    call: ToolCall
    turn: str
    approved: bool = False
    late: bool = False
    tokens: int | None = None
    key: str = field(default="", init=False)
    session: str = field(default="", init=False)
    name: str = field(default="", init=False)
    record: Callable[[Event], None] = field(init=False)
    tool: AnyTool | None = field(default=None, init=False)
    decoded: Decoded | None = field(default=None, init=False)
    facts: Facts | None = field(default=None, init=False)
    decision: Decision | None = field(default=None, init=False)
    recorded: bool = field(default=False, init=False)
    activity: str = field(default="", init=False)
    at_work: str = field(default="", init=False)
    claims: tuple[LedgerClaim, ...] = field(default=(), init=False)
    produced: ToolResult[object] | None = field(default=None, init=False)
    shown: Shown | None = field(default=None, init=False)
    ran: bool = field(default=False, init=False)
    verdict: str = field(default="", init=False)
    refused: int = field(default=0, init=False)
    preview: str | None = field(default=None, init=False)
    notes: tuple[str, ...] = field(default=(), init=False)

    def begin(self) -> None:
        """Take a key, and what every step will ask for."""
        road, state = self.road, self.state
        self.key, self.session, self.name = state.next_key(), state.session.id, self.call.name
        self.record = road.record if road.listeners else road.trace.record

    def tell(self, step: Step, facts: Mapping[str, object]) -> None:
        """Record one step in the trace."""
        self.record(_event(Event, (time_ns(), self.session, self.key, self.name, step, facts)))

    def answer(self, call: ToolCall) -> Answer:
        """The answer to `call`, which is this one or one that says the same, once the road is travelled."""
        produced, shown = cast("ToolResult[object]", self.produced), cast("Shown", self.shown)
        return Answer(call=call, result=shown.result, text=shown.text, produced=produced)

    async def original(self, reference: str) -> str | None:
        """The id that a short name of this session stands for."""
        return await self.road.store.original(self.state.session.id, reference)
