"""One call in process, against the peers' bare calls: async, sync in a thread, and 1,000 at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from contenders import Call, agents_call, functions, hilt_call, mcp_call
from measuring import Options, Row, in_turns_async, medians, options, ratio, report

MAKERS = {"hilt": hilt_call, "mcp": mcp_call, "openai-agents": agents_call}
AT_ONCE = 1_000


async def main(asked: Options) -> None:
    rounds = 101 if asked.full else 41
    await one_by_one("async call", asked, rounds, calls=300, sync=False, goals={"mcp": 1.0, "openai-agents": 2.0})
    await one_by_one("sync call, in a thread", asked, rounds, calls=60, sync=True, goals={"mcp": 1.0})
    await at_once(asked, 41 if asked.full else 15)


async def one_by_one(
    name: str, asked: Options, rounds: int, *, calls: int, sync: bool, goals: dict[str, float]
) -> None:
    contenders = {
        each: in_sequence(make(functions(20, sync=sync)), calls) for each, make in MAKERS.items() if keep(each, goals)
    }
    await in_turns_async(contenders, 3)  # warm
    measured = await in_turns_async(contenders, rounds)
    for peer, goal in goals.items():
        detail = medians(measured, "us", "hilt", peer)
        report(Row(name=f"{name} / {peer}", goal=goal, value=ratio(measured, "hilt", peer), detail=detail), asked)


def keep(contender: str, goals: dict[str, float]) -> bool:
    return contender == "hilt" or contender in goals


def in_sequence(call: Call, calls: int) -> Callable[[], Awaitable[float]]:
    async def microseconds() -> float:
        started = time.perf_counter()
        for _ in range(calls):
            await call()
        return (time.perf_counter() - started) / calls * 1e6

    return microseconds


async def at_once(asked: Options, rounds: int) -> None:
    contenders = {name: gathered(make(functions(20))) for name, make in MAKERS.items()}
    await in_turns_async(contenders, 2)  # warm
    measured = await in_turns_async(contenders, rounds)
    for peer, goal in (("mcp", 0.8), ("openai-agents", None)):
        detail = medians(measured, "ms", "hilt", peer)
        value = ratio(measured, "hilt", peer)
        report(Row(name=f"{AT_ONCE:,} calls at once / {peer}", goal=goal, value=value, detail=detail), asked)


def gathered(call: Call) -> Callable[[], Awaitable[float]]:
    async def milliseconds() -> float:
        started = time.perf_counter()
        await asyncio.gather(*[call() for _ in range(AT_ONCE)])
        return (time.perf_counter() - started) * 1e3

    return milliseconds


if __name__ == "__main__":
    asyncio.run(main(options(__doc__)))
