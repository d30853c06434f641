"""What policy, taint and the ledger in memory add to calls that read and calls that send.

The same calls go round with a policy that allows all, taint off and outside a turn, so without a
ledger. What a turn costs beside its ledger stands with what is added, so the ratio is an upper bound.
"""

import asyncio
import statistics
import time
from typing import Annotated

from measuring import Options, Row, in_turns_async, options, report

from hilt import Description, Param, Runtime, Session, ToolCall, tool
from hilt.calls.call import Turn
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Switches

GOAL = 1.5
WORDS = Description(use_for="a benchmark", returns="a text")
ALLOWED = (Rule(word="allow"),)
LETTER = "The weather in Lisbon is fine, said the post of 3 May; write to ana@example.org for more. " * 20
CALLS = (
    ("read_letter", '{"id": 3}'),
    ("read_letter", '{"id": 4}'),
    ("read_letter", '{"id": 5}'),
    ("send_letter", '{"to": "bob@example.com", "text": "I come at noon to the station, see you there"}'),
)
"""An agent's usual: what it sends, it has read for."""


@tool(kind="perceive", limit=1, effects={"reads": "private", "brings": "third-party"}, description=WORDS)
async def read_letter(id: Annotated[int, Param("number of the letter")]) -> str:
    return LETTER


@tool(kind="act", idempotent=False, undo="none: it is sent", effects={"does": ["send"]}, description=WORDS)
async def send_letter(
    to: Annotated[str, Param("address", role="destination")], text: Annotated[str, Param("words", role="content")]
) -> str:
    return "sent"


def main(asked: Options) -> None:
    measured = asyncio.run(rounds(60 if asked.full else 20))
    for names, name in (((*CALLS,), "three reads and a send"), (CALLS[:1], "a read"), (CALLS[-1:], "a send")):
        bare, whole = (measured[f"{way} {name}"] for way in ("bare", "whole"))
        ratio = statistics.median(one / other for one, other in zip(whole, bare, strict=True))
        detail = f"{statistics.median(whole):.0f} us, {statistics.median(bare):.0f} us without; {len(names)} calls"
        goal = GOAL if len(names) > 1 else None
        report(Row(name=f"protection: {name}", goal=goal, value=ratio, detail=detail), asked)


async def rounds(count: int) -> dict[str, list[float]]:
    """Microseconds of each group of calls, both ways, in turns."""
    bare, whole = (
        Runtime([read_letter, send_letter], policy=policy)
        for policy in (Policy(rules=ALLOWED, switches=Switches(mode="off")), Policy(rules=ALLOWED))
    )
    groups = {"three reads and a send": CALLS, "a read": CALLS[:1], "a send": CALLS[-1:]}
    contenders = {
        f"{way} {name}": (lambda way=way, calls=calls: taken(bare if way == "bare" else whole, way, calls))
        for name, calls in groups.items()
        for way in ("bare", "whole")
    }
    await in_turns_async(contenders, 2)
    return await in_turns_async(contenders, count)


async def taken(runtime: Runtime, way: str, calls: tuple[tuple[str, str], ...], times: int = 100) -> float:
    """Microseconds for these calls, in a session that has read something already."""
    session = Session(user_words="write to bob@example.com that I come at noon")
    await runtime.answer_one(session, "read_letter", '{"id": 1}')
    started = time.perf_counter()
    for number in range(times):
        for place, (name, arguments) in enumerate(calls):
            if way == "bare":
                await runtime.answer_one(session, name, arguments)
                continue
            call = ToolCall(name=name, arguments=arguments, id="c")
            await runtime.answer(session, Turn(id=f"turn {number} {place}", calls=(call,)))
    return (time.perf_counter() - started) / times * 1e6


if __name__ == "__main__":
    main(options(__doc__))
