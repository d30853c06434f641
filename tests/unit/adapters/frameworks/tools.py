"""What the tests of all frameworks share: tools whose calls leave a mark, and a runtime that says what was asked."""

from collections.abc import Sequence
from typing import Annotated, Any

import anyio

from hilt import Description, EnvironmentFailure, Image, Param, Runtime, Session, Tool, ToolCall, ToolResult, tool
from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from tests.kit import EVERYTHING, WORDS, acting, perceiving

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


class Told(Runtime):
    """A runtime that remembers the calls it was asked to answer, as they came."""

    def __init__(self, *tools: Tool[..., Any], **options: Any) -> None:
        super().__init__(tools, **{"policy": EVERYTHING, "on_defect": lambda _: None, **options})
        self.calls: list[ToolCall] = []
        self.turns: list[str] = []

    async def answer(self, session: Session, turn: Turn) -> list[Answer]:
        self.calls += turn.calls
        self.turns.append(turn.id)
        return await super().answer(session, turn)


@tool(
    kind="perceive",
    limit=7,
    continues="first",
    noun="day",
    parallel=True,
    effects={"reads": "none", "brings": "own"},
    description=Description(use_for="the weather of the next days", returns="one line a day; no hours"),
)
async def forecast(
    city: Annotated[str, Param("name of the city")],
    days: Annotated[int, Param("days ahead")] = 1,
    first: Annotated[int, Param("the day to begin with", example=8)] = 1,
) -> list[str]:
    if city == "Atlantis":
        raise EnvironmentFailure("no weather station stands in Atlantis", "name a city that exists")
    return [f"{city}, day {day}: fine" for day in range(first, days + 1)]


@tool(**perceiving(effects={"reads": "none", "brings": "own"}))
async def chart() -> ToolResult[str]:
    return ToolResult(summary="1 chart", items=("rain by hour",), parts=(Image(content=PNG, media_type="image/png"),))


@tool(**acting())
async def write_note(text: Annotated[str, Param("what to keep")]) -> str:
    return f"kept {text}"


class Meeting:
    """Tools that see who runs beside them: `meet` needs company, `keep_alone` must have none, `wait` never ends."""

    def __init__(self, company: int = 2) -> None:
        self.company = company
        self.here = 0
        self.most_alone = 0
        self.alone = 0
        self.all_here = anyio.Event()
        self.started = anyio.Event()
        self.cancelled = False

    def tools(self) -> Sequence[Tool[..., Any]]:
        @tool(**perceiving(parallel=True))
        async def meet() -> str:
            self.here += 1
            if self.here == self.company:
                self.all_here.set()
            await self.all_here.wait()
            return f"{self.here} met"

        @tool(**perceiving(parallel=False))
        async def keep_alone() -> str:
            self.alone += 1
            self.most_alone = max(self.most_alone, self.alone)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            self.alone -= 1
            return "was alone"

        @tool(kind="perceive", limit=1, description=WORDS)
        async def wait() -> str:
            self.started.set()
            try:
                await anyio.sleep_forever()
            except BaseException:
                self.cancelled = True
                raise
            return "never"

        return meet, keep_alone, wait
