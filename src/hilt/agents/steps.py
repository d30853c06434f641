"""What happens in a run, one step at a time, for whoever watches.

    Offered -> Chosen -> (Understood -> Checked -> Executed -> Progressed*)* -> Answered* -> Offered ... -> Ended

The loop tells what passes between it and the model. What happens on the road in between comes
from the runtime's own events: `road_step` makes steps of them, for `Runtime.listen`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from hilt.agents.bill import Bill
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.events import Event
from hilt.results.form import to_json as envelope

Ending = Literal["answered", "most_turns", "output_limit", "no_words"]
ENDINGS: Mapping[Ending, str] = {
    "answered": "the model answered",
    "most_turns": "stopped at the most turns allowed; the model still asked for calls",
    "output_limit": "the output limit cut the model's turn before it called or finished",
    "no_words": "the model's turn held neither a call nor words",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """The tools written into the request of one turn."""

    turn: int
    tools: tuple[str, ...]
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the model said and asked for. `cut` says that the output limit ended its turn."""

    turn: int
    text: str
    calls: tuple[ToolCall, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A call's arguments were read; `call` is Hilt's key of it. `activity` is what people read from here on."""

    call: str
    tool: str
    activity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Policy's word on one call."""

    call: str
    tool: str
    word: str
    layer: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A call's function starts."""

    call: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A running call says how far it is."""

    call: str
    tool: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One call's answer, as the model reads it, and its size in tokens."""

    turn: int
    answer: Answer
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How the run ended. `text` is the answer, or as much of one as there is."""

    reason: Ending
    text: str
    bill: Bill


Step = Offered | Chosen | Understood | Checked | Executed | Progressed | Answered | Ended
Watcher = Callable[[Step], None]


def road_step(event: Event) -> Step | None:
    """The step of one event of the road; None for those that say nothing to a watcher."""
    facts = {name: str(value) for name, value in event.facts.items()}
    if event.step == "decide":
        named = {name: facts[name] for name in ("word", "layer", "rule")}
        return Checked(call=event.call, tool=event.tool, **named)
    if event.step == "decode":
        return Understood(call=event.call, tool=event.tool, activity=facts.get("activity", event.tool))
    if event.step == "execute":
        return Executed(call=event.call, tool=event.tool)
    if event.step == "progress":
        return Progressed(call=event.call, tool=event.tool, message=facts["message"])
    return None


def to_json(step: Step) -> dict[str, object]:
    """A step as a JSON object, its kind under `step`."""
    kind: dict[str, object] = {"step": type(step).__name__.lower()}
    match step:
        case Chosen():
            calls = [{"id": each.id, "name": each.name, "arguments": each.arguments} for each in step.calls]
            return {**kind, "turn": step.turn, "text": step.text, "calls": calls, "cut": step.cut}
        case Answered():
            call, result = step.answer.call, envelope(step.answer.result)
            size = {"bytes": step.bytes, "tokens": step.tokens}
            return {**kind, "turn": step.turn, "id": call.id, "tool": call.name, "result": result, **size}
        case Ended():
            return {**kind, "reason": step.reason, "text": step.text}
        case _:
            return {**kind, **asdict(step)}
