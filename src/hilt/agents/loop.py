"""The loop: the model's turn, the road, the model's next turn, until it answers.

    run = await run_task(runtime, session, model, "where is Timeout raised?")
    print(run.text)

Nothing is swallowed: what an endpoint or the host did wrong is raised, what a call did wrong is an
answer the model reads, and a run that ended without an answer says so in `reason`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hilt.adapters.wire import Message
from hilt.agents.bill import Bill, TurnCost, size, text_size
from hilt.agents.model import Model
from hilt.agents.replies import counted, cut_by_limit, text_of
from hilt.agents.steps import Answered, Chosen, Ended, Ending, Offered, Step, Watcher
from hilt.calls.adapter import Road
from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from hilt.calls.session import Session
from hilt.errors import ConfigError
from hilt.results.counting import QUARTER_BYTES, Counter

MOST_TURNS = 20
"""Turns of a model before the loop stops, unless asked otherwise."""


def _ignore(step: Step) -> None:
    """The watcher of a run that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run came to: why it ended, the answer, every step, the conversation, the bill."""

    reason: Ending
    text: str
    steps: tuple[Step, ...]
    messages: tuple[Message, ...]
    bill: Bill

    @property
    def answered(self) -> bool:
        """Whether the model finished with an answer."""
        return self.reason == "answered"


async def run_task(
    runtime: Road,
    session: Session,
    model: Model,
    task: str,
    *,
    most_turns: int = MOST_TURNS,
    counter: Counter = QUARTER_BYTES,
    watch: Watcher = _ignore,
) -> Run:
    """Let the model work on the task with the session's tools.

    `watch` hears each step as it happens; those of the road come by `Runtime.listen` and
    `road_step`. The session's `user_words` should hold the task: the loop does not change them.
    Raises `EndpointError`, `WireError`, and `ConfigError` for fewer than one turn.
    """
    if most_turns < 1:
        raise ConfigError(f"most_turns is {most_turns}, and a run has at least one turn", "give 1 or more")
    going = _Going(counter=counter, watch=watch, messages=[{"role": "user", "content": task}])
    text = ""
    await runtime.ready(session)
    for number in range(1, most_turns + 1):
        tools = model.wire.offer(runtime, session)
        going.offered(number, tools, runtime, session)
        response = await model.turn(tuple(going.messages), tools)
        turn, text = model.wire.read(response), text_of(response)
        going.chose(number, response, turn)
        going.messages.append(model.wire.repaired(response))
        if not turn.calls:
            return going.end(_ending(response), text)
        answers = await runtime.answer(session, turn)
        going.answered(number, answers)
        going.messages += model.wire.results(answers)
    return going.end("most_turns", text)


def _ending(response: Message) -> Ending:
    if cut_by_limit(response):
        return "output_limit"
    return "answered" if text_of(response) else "no_words"


@dataclass(slots=True, kw_only=True)
class _Going:
    """A run under way: its conversation, its steps, its costs."""

    counter: Counter
    watch: Watcher
    messages: list[Message]
    steps: list[Step] = field(default_factory=list[Step])
    costs: list[TurnCost] = field(default_factory=list[TurnCost])

    def tell(self, step: Step) -> None:
        self.steps.append(step)
        self.watch(step)

    def offered(self, number: int, tools: Sequence[Message], runtime: Road, session: Session) -> None:
        in_bytes, in_tokens = size(tools, self.counter)
        self.costs.append(TurnCost(turn=number, declared_bytes=in_bytes, declared_tokens=in_tokens))
        names = tuple(each.declaration.name for each in runtime.offer(session))
        self.tell(Offered(turn=number, tools=names, bytes=in_bytes, tokens=in_tokens))

    def chose(self, number: int, response: Message, turn: Turn) -> None:
        self.costs[-1] = replace(self.costs[-1], reported=counted(response))
        self.tell(Chosen(turn=number, text=text_of(response), calls=turn.calls, cut=cut_by_limit(response)))

    def answered(self, number: int, answers: Sequence[Answer]) -> None:
        for each in answers:
            in_bytes, in_tokens = text_size([each.text], self.counter)
            self.tell(Answered(turn=number, answer=each, bytes=in_bytes, tokens=in_tokens))
        in_bytes, in_tokens = text_size([each.text for each in answers], self.counter)
        self.costs[-1] = replace(self.costs[-1], returned_bytes=in_bytes, returned_tokens=in_tokens, calls=len(answers))

    def end(self, reason: Ending, text: str) -> Run:
        bill = Bill(counter=self.counter.name, turns=tuple(self.costs))
        self.tell(Ended(reason=reason, text=text, bill=bill))
        return Run(reason=reason, text=text, steps=tuple(self.steps), messages=tuple(self.messages), bill=bill)
