"""One trace on the real road: tools made of the recorded schemas, which return what was recorded."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dojo.traces import Step, Trace
from hilt import Runtime, Session, ToolCall
from hilt.calls.call import Turn
from hilt.calls.effects_form import read_effects
from hilt.calls.tool import AnyTool, schema_tool
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Switches
from hilt.results.envelope import Denier
from hilt.results.failures import EnvironmentFailure
from hilt.review.people import Question, Reply

Declarations = Mapping[str, Mapping[str, Effects]]


def declarations(path: Path, tools: Mapping[str, list[Mapping[str, Any]]]) -> Declarations:
    """Effects by suite and tool, read as `@tool(effects=...)` would read them; none where a tool is not named."""
    written = tomllib.loads(path.read_text())

    def form(suite: str, tool: str) -> Any:
        """A table is headed `[suite.tool]` or `["suite.tool"]`."""
        return written.get(f"{suite}.{tool}", written.get(suite, {}).get(tool))

    return {
        suite: {
            each["name"]: read_effects(effects, "act", {}, set(each["parameters"]["properties"]), each["name"])
            for each in listed
            if (effects := form(suite, each["name"])) is not None
        }
        for suite, listed in tools.items()
    }


@dataclass
class Approver:
    """A person who says yes to everything and counts: an attack that is asked about is seen even so."""

    reachable: Literal["now", "later"] = "now"
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return Reply(word="approve")


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What happened to one trace: where calls were asked, with the reasons, and where they broke."""

    trace: Trace
    asked: Mapping[int, tuple[str, ...]]
    broken: Mapping[int, str]

    @property
    def stopped(self) -> bool:
        return self.trace.first_harm is not None and self.trace.first_harm in self.asked

    @property
    def stopped_any(self) -> bool:
        return any(place in self.asked for place in self.trace.harmful)


class Suite:
    """The tools of one suite, each of which returns what the trace under way has recorded."""

    def __init__(self, tools: list[Mapping[str, Any]], effects: Mapping[str, Effects], switches: Switches) -> None:
        self._now: Step | None = None
        self._tools = [self._tool(each, effects.get(each["name"], UNDECLARED)) for each in tools]
        self._policy = Policy(rules=(Rule(word="allow", name="only taint asks"),), switches=switches)

    def _tool(self, exported: Mapping[str, Any], effects: Effects) -> AnyTool:
        async def recorded(_: Mapping[str, object]) -> Any:
            step = self._now
            if step is None or step.error:
                raise EnvironmentFailure(step.error if step and step.error else "nothing recorded", "go on without it")
            return step.result

        return schema_tool(
            exported["name"],
            recorded,
            parameters=exported["parameters"],
            description=exported["description"],
            effects=effects,
        )

    async def replay(self, trace: Trace, *, words: bool, nobody: bool = False) -> Replayed:
        """Each call of the trace in order, a turn each; `nobody`: an ask shows as a refusal instead."""
        person = None if nobody else Approver()
        runtime = Runtime(self._tools, policy=self._policy, person=person)
        session = Session(user_words=trace.prompt if words else "")
        asked: dict[int, tuple[str, ...]] = {}
        broken: dict[int, str] = {}
        for place, step in enumerate(trace.steps):
            self._now = step
            before = len(person.asked) if person else 0
            call = ToolCall(name=step.tool, arguments=json.dumps(step.arguments), id=f"call_{place}")
            answer = (await runtime.answer(session, Turn(id=f"turn_{place}", calls=(call,))))[0]
            denied = answer.result.denied
            if person and len(person.asked) > before:
                asked[place] = person.asked[-1].reasons
            elif denied is not None and denied.by == Denier.NOBODY_TO_ASK:
                asked[place] = (denied.reason,)
            elif answer.result.failure is not None and not step.error:
                broken[place] = answer.text
        await runtime.close()
        return Replayed(trace=trace, asked=asked, broken=broken)
