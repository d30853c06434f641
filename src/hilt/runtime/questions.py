"""A question to a person: covered by leave given before, put to one who is there, kept for one who comes later.

What a yes is bound to is the person, the tool, the digest of the arguments and the policy in force; see
`hilt.review.scopes` for how far it may reach.
"""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex

import anyio

from hilt.calls.arguments import Values
from hilt.calls.tool import AnyTool
from hilt.policy.claims import ApprovalClaim
from hilt.policy.decision import Decision
from hilt.policy.presets import TO_DECLARE, UNDECLARED
from hilt.results.envelope import Denier, Pending, Status, ToolResult
from hilt.results.failures import Refused
from hilt.review.asked import Asked, read_answer
from hilt.review.people import PENDING_HOURS, Person, Question, Reply
from hilt.review.scopes import scopes_of
from hilt.runtime.digests import text_digest, value_digest
from hilt.runtime.road import Road
from hilt.runtime.trip import Trip
from hilt.runtime.words import wait_for

FIRST_LOOK_S = 0.05
"""Seconds after which an answer through the store is first looked for; each look doubles them."""
LONGEST_LOOK_S = 1.0
"""Seconds between two looks at most."""
_HOUR_S = 3_600


class Waiting(Exception):
    """The call waits for a person who is reachable later; `result` is its pending answer."""

    def __init__(self, result: ToolResult[object]) -> None:
        super().__init__("waiting for a person")
        self.result = result


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a person is asked: policy's decision, what reviewers said beside it, and on whose account.

    `account` is "" where a preset or a rule asks, else what brought it up: `built-in`, `taint`, `review`,
    `breaker`. `by` is who refuses where no person does.
    """

    decision: Decision
    reasons: tuple[str, ...]
    account: str = ""
    by: Denier = Denier.NOBODY_TO_ASK
    rule: str = ""
    suggestion: str = ""


async def settle_doubt(trip: Trip, tool: AnyTool, values: Values, doubt: Doubt) -> ApprovalClaim | None:
    """Ask a person. Returns when they say yes, with the leave to take where theirs was kept in the store.

    Raises `Refused` for every other word, and `Waiting` when the answer comes later.
    """
    await trip.road.open(trip.state)
    asked = _asked(trip, tool, values, doubt)
    person = trip.road.person
    trip.tell("review", {"asked": person is not None})
    if person is None:
        trip.verdict = "nobody to ask"
        raise nobody(tool.name, doubt, trip.road.leave)
    reply = await _word(trip, person, asked)
    trip.tell("review", {"by": "person", "verdict": reply.word, "scope": reply.scope, "reason": reply.reason})
    trip.verdict = _VERDICTS[reply.word]
    if reply.word == "absent":
        raise _absent(trip.road, tool.name, doubt)
    if reply.word == "reject":
        raise said_no(tool.name, reply.reason, doubt.rule)
    if person.reachable == "inbox":  # the yes is kept in the store, for one use or more: this is one
        return leave_claim(trip, tool, values, doubt)
    await keep_leave(trip, asked, reply)
    return None


_VERDICTS = {"approve": "approved by a person", "reject": "rejected by a person", "absent": "nobody answered"}


def leave_claim(trip: Trip, tool: AnyTool, values: Values, doubt: Doubt) -> ApprovalClaim:
    """The claim on a leave given before, which would settle the doubt unasked."""
    return ApprovalClaim(
        principal=trip.state.session.principal,
        session=trip.state.session.id,
        tool=tool.name,
        digest=value_digest(values),
        shape=doubt.decision.shape,
        policy=_bound(trip.road, doubt),
    )


async def keep_leave(trip: Trip, asked: Asked, reply: Reply) -> None:
    """Keep a yes that reaches beyond this call; one that reaches further than was offered is for this call alone."""
    scope = reply.scope or asked.question.usual
    if scope == "once":
        return
    if scope not in asked.question.scopes:
        trip.notes += (f"the person's leave is for this call alone: {scope} was not offered for it",)
        return
    kept = asked.leave(f"leave_{token_hex(6)}", scope, now=time.time(), by=trip.state.session.principal)
    await trip.road.store.save_approval(kept)
    trip.notes += (f"the person's leave goes on for {kept.says}",)


def _asked(trip: Trip, tool: AnyTool, values: Values, doubt: Doubt) -> Asked:
    """The question, and what an answer is bound to."""
    facts, shape = trip.facts, doubt.decision.shape
    scopes = scopes_of(facts, shape, account=doubt.account) if facts is not None else ("once",)
    question = Question(
        handle=f"ask_{token_hex(8)}",
        session=trip.state.session.id,
        tool=tool.name,
        arguments=json.dumps(values, ensure_ascii=False),
        activity=trip.activity,
        reasons=doubt.reasons,
        preview=trip.preview or "",
        shape=shape,
        scopes=scopes,
        usual="session" if doubt.decision.asks_once and "session" in scopes else "once",
    )
    return Asked(
        question=question,
        principal=trip.state.session.principal,
        digest=value_digest(values),
        policy=_bound(trip.road, doubt),
    )


def _bound(road: Road, doubt: Doubt) -> str:
    """What a leave is bound to: the policy, and all who asked, on what account. It answers no other doubt."""
    decision = doubt.decision
    if len(decision.doubts) > 1:
        return f"{road.policy.version}+{doubt.account}:{text_digest(' '.join(sorted(decision.doubts)))}"
    return f"{road.policy.version}+{doubt.account or decision.layer}:{decision.rule}"


async def _word(trip: Trip, person: Person, asked: Asked) -> Reply:
    """The person's word. Raises `Waiting` where it comes later than the call can wait."""
    road, reachable = trip.road, person.reachable
    if reachable == "now":
        with anyio.move_on_after(road.wait_s):
            return await person.ask(asked.question)
        return Reply(word="absent")
    result = await _kept(trip, asked)
    if reachable == "inbox":
        with anyio.move_on_after(road.wait_s):
            return await _through_store(trip, asked.question.handle)
    await wait_for(road, trip.state, asked.question.handle)
    raise Waiting(result)


async def _through_store(trip: Trip, handle: str) -> Reply:
    """The answer that somebody gives with `hilt approvals`, looked for until it is there."""
    pause = FIRST_LOOK_S
    while True:
        kept = await trip.road.store.pending(handle)
        reply = read_answer(kept.answer) if kept is not None else Reply(word="absent")
        if reply is not None:
            return reply
        await anyio.sleep(pause)
        pause = min(2 * pause, LONGEST_LOOK_S)


async def _kept(trip: Trip, asked: Asked) -> ToolResult[object]:
    question = asked.question
    expires = time.time() + PENDING_HOURS * _HOUR_S
    await trip.road.store.save_pending(question.handle, question.session, asked.text(), expires)
    trip.verdict = f"waiting {question.handle}"
    waiting_for = f"a person's leave for {question.tool}"
    until = datetime.fromtimestamp(expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return ToolResult(
        status=Status.PENDING,
        summary=f"waiting for {waiting_for}",
        pending=Pending(handle=question.handle, waiting_for=waiting_for, expires=until),
    )


def nobody(tool: str, doubt: Doubt, leave: str) -> Refused:
    """The refusal where nobody can be asked, by whoever brought the doubt up; `leave` says how it may be given."""
    reasons = "; ".join(doubt.reasons)
    if doubt.by is Denier.NOBODY_TO_ASK:
        return Refused(
            f"{tool} needs a person's leave ({reasons}) and nobody can be asked",
            leave,
            _wider(tool, doubt.decision),
            by=doubt.by,
            rule=doubt.rule,
        )
    return Refused(
        f"{tool} was not let through, and nobody can be asked: {reasons}",
        doubt.suggestion or "take another way",
        leave,
        by=doubt.by,
        rule=doubt.rule,
    )


def _wider(tool: str, decision: Decision) -> str:
    """What a person can change for all such calls: an allow lifts the preset's word and no other."""
    if decision.rule.rpartition("/")[2] == UNDECLARED:
        return TO_DECLARE
    match decision.layer:
        case "preset":
            return f"the person can add a rule that allows {tool} to their own hilt.toml"
        case "taint":
            return "the person can name what they vouch for: known in [policy.taint] of their own hilt.toml"
        case "built-in":
            return "the person can do it themselves"
        case layer:
            return f"the person can narrow or remove the {layer}'s rule {decision.rule!r}"


def _absent(road: Road, tool: str, doubt: Doubt) -> Refused:
    return Refused(
        f"{tool} needs a person's leave and nobody answered within {road.wait_s:g} s",
        "go on without it, or ask again when the person is back",
        by=Denier.NOBODY_TO_ASK,
        rule=doubt.rule,
    )


def worn_out(tool: str) -> Refused:
    """The refusal of a call that was approved, where the leave does not cover it any more."""
    return Refused(
        f"the leave that was given for this call of {tool} does not cover it any more: it was used or revoked, has "
        "expired, or the policy has changed since",
        f"call {tool} again, and the person is asked anew",
        by=Denier.PERSON,
        rule="leave",
    )


def said_no(tool: str, reason: str = "", rule: str = "") -> Refused:
    """The refusal by a person."""
    why = f": {reason}" if reason else ""
    return Refused(
        f"the person refused {tool}{why}",
        "take another way, or ask the person what they want",
        by=Denier.PERSON,
        rule=rule or None,
    )
