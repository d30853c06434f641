"""200 typed tools: registered, and their declarations written again for each provider.

Each contender registers in fresh processes, in turns; the goal is against the fastest peer of the run.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import contenders
from measuring import Options, Row, in_turns, medians, options, ratio, report

TOOLS = 200
REGISTER = {
    "hilt": contenders.hilt_tools,
    "mcp": contenders.mcp_server,
    "openai-agents": contenders.agents_tools,
    "pydantic-ai": contenders.pydantic_ai_tools,
    "fastmcp": contenders.fastmcp_server,
    "langchain-core": contenders.langchain_tools,
}


def main(asked: Options) -> None:
    rounds = 9 if asked.full else 3
    against_the_fastest(f"register {TOOLS} tools", "shared", 0.5, rounds, asked)
    against_the_fastest(f"register {TOOLS} tools that share no type", "own", None, rounds, asked)
    for name, milliseconds in serialised().items():
        report(Row(name=f"serialise {TOOLS} again, {name}", goal=2.0, value=milliseconds, unit="ms"), asked)


def against_the_fastest(name: str, types: str, goal: float | None, rounds: int, asked: Options) -> None:
    measured = in_turns({each: in_fresh_process(each, types) for each in REGISTER}, rounds)
    peers = [each for each in REGISTER if each != "hilt"]
    fastest = min(peers, key=lambda peer: statistics.median(measured[peer]))
    value, detail = ratio(measured, "hilt", fastest), medians(measured, "ms")
    report(Row(name=f"{name} / {fastest}", goal=goal, value=value, detail=detail), asked)


def in_fresh_process(name: str, types: str) -> Callable[[], float]:
    command = [sys.executable, __file__, "--register", name, types]

    def milliseconds() -> float:
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return milliseconds


def register_once(name: str, types: str) -> float:
    """Milliseconds to register the tools, everything imported and one tool registered before."""
    register: Callable[[Any], Any] = REGISTER[name]
    register(contenders.functions(1))
    made = contenders.functions(TOOLS)
    made = contenders.with_own_types(made) if types == "own" else made
    started = time.perf_counter()
    register(made)
    return (time.perf_counter() - started) * 1e3


def serialised() -> dict[str, float]:
    """Milliseconds to write every declaration to JSON a second time, by provider."""
    from hilt import Runtime, Session
    from hilt.adapters import anthropic, gemini, openai_chat, openai_responses

    runtime, session = Runtime(tools=contenders.hilt_tools(contenders.functions(TOOLS))), Session()
    providers = {
        "anthropic": anthropic.offer,
        "openai chat": openai_chat.offer,
        "openai responses": openai_responses.offer,
        "gemini": gemini.offer,
    }
    return {name: again(lambda offer=offer: offer(runtime, session)) for name, offer in providers.items()}


def again(offer: Callable[[], object]) -> float:
    json.dumps(offer())
    times: list[float] = []
    for _ in range(15):
        started = time.perf_counter()
        json.dumps(offer(), separators=(",", ":"), ensure_ascii=False)
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--register"]:
        print(register_once(*sys.argv[2:4]))
    else:
        main(options(__doc__))
