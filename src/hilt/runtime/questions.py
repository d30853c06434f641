"""An `ask`: put to a person who is there, kept for one who comes later, refused when nobody is."""

import json
from datetime import UTC, datetime, timedelta
from secrets import token_hex

import anyio

from hilt.calls.arguments import Values
from hilt.calls.tool import AnyTool
from hilt.policy.decision import Decision
from hilt.results.envelope import Denier, Pending, Status, ToolResult
from hilt.results.failures import Refused
from hilt.review.people import PENDING_HOURS, Question, Reply
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState


class Waiting(Exception):
    """The call waits for a person who is reachable later; `result` is its pending answer."""

    def __init__(self, result: ToolResult[object]) -> None:
        super().__init__("waiting for a person")
        self.result = result


async def ask_person(road: Road, state: SessionState, tool: AnyTool, values: Values, decision: Decision) -> None:
    """Return when a person approved. Raises `Refused` when not, `Waiting` when the answer comes later."""
    person = road.person
    if person is None:
        raise _nobody(tool, decision)
    question = Question(
        handle=f"ask_{token_hex(8)}",
        session=state.session.id,
        tool=tool.name,
        arguments=json.dumps(values, ensure_ascii=False),
        activity=road.activity(tool, values),
        reasons=decision.reasons,
    )
    if person.reachable == "later":
        raise Waiting(await _kept(road, state, question))
    reply = Reply(word="absent")
    with anyio.move_on_after(road.wait_s):
        reply = await person.ask(question)
    if reply.word == "absent":
        raise Refused(
            f"{tool.name} needs a person's leave and nobody answered within {road.wait_s:g} s",
            "go on without it, or ask again when the person is back",
            by=Denier.NOBODY_TO_ASK,
            rule=decision.rule,
        )
    if reply.word == "reject":
        reason = f": {reply.reason}" if reply.reason else ""
        raise Refused(
            f"the person refused {tool.name}{reason}",
            "take another way, or ask the person what they want",
            by=Denier.PERSON,
            rule=decision.rule,
        )


def _nobody(tool: AnyTool, decision: Decision) -> Refused:
    return Refused(
        f"{tool.name} needs a person's leave ({'; '.join(decision.reasons)}) and nobody can be asked",
        "the person can allow this one call: hilt call --approve",
        f"the person can add a rule that allows {tool.name} to their own hilt.toml",
        by=Denier.NOBODY_TO_ASK,
        rule=decision.rule,
    )


async def _kept(road: Road, state: SessionState, question: Question) -> ToolResult[object]:
    expires = datetime.now(UTC) + timedelta(hours=PENDING_HOURS)
    document = json.dumps({"tool": question.tool, "arguments": question.arguments, "reasons": list(question.reasons)})
    await road.store.save_pending(question.handle, state.session.id, document, expires.timestamp())
    waiting_for = f"a person's leave for {question.tool}"
    return ToolResult(
        status=Status.PENDING,
        summary=f"waiting for {waiting_for}",
        pending=Pending(
            handle=question.handle, waiting_for=waiting_for, expires=expires.strftime("%Y-%m-%dT%H:%M:%SZ")
        ),
    )
