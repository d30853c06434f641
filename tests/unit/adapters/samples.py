"""Tools and answers that the tests of all wire forms share."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.declaring import tool
from hilt.calls.tool import AnyTool, schema_tool
from hilt.declarations.description import Description, Environment
from hilt.declarations.parameters import Param
from hilt.results.envelope import Status, ToolResult
from hilt.results.parts import Part

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)


@tool(
    kind="perceive",
    limit=50,
    continues="offset",
    noun="ticket",
    effects={"reads": "private"},
    description=Description(use_for="finding tickets by state", returns="one item a ticket; no message bodies"),
    examples=[{"state": "open"}],
)
async def ticket_search(
    state: Annotated[Literal["open", "closed"] | None, Param("state to look for")] = None,
    offset: Annotated[int, Param("tickets to skip", example=50)] = 0,
) -> list[str]:
    return [f"{state} ticket {number}" for number in range(offset, 2)]


@tool(
    kind="perceive",
    limit=1,
    effects={"reads": "public"},
    description=Description(use_for="the weather of a city", returns="one sentence; no forecast"),
)
async def weather(
    city: Annotated[str, Param("name of the city")],
    unit: Annotated[Literal["C", "F"] | None, Param("unit; the city's own without")] = None,
) -> str:
    return f"fine in {city}, 20 {unit or 'C'}"


def offered(*tools: AnyTool, deferred: Sequence[str] = ()) -> list[Offer]:
    return [
        Offer(
            declaration=each.declaration,
            description=each.declaration.text(Environment()),
            deferred=each.name in deferred,
        )
        for each in tools
    ]


def foreign(name: str, parameters: Mapping[str, object]) -> AnyTool:
    """A tool with somebody else's schema."""

    async def function(arguments: Mapping[str, object]) -> Any:
        return dict(arguments)

    return schema_tool(name, function, parameters=parameters, description=f"The tool {name}.")


def properties(schema: Any) -> Any:
    return schema["properties"]


def answer(
    text: str = "done",
    *,
    id: str = "c1",
    name: str = "weather",
    position: int = 0,
    parts: tuple[Part, ...] = (),
    error: bool = False,
) -> Answer:
    result: ToolResult[object] = ToolResult(summary=text, parts=parts, status=Status.ERROR if error else Status.SUCCESS)
    return Answer(call=ToolCall(name=name, id=id, position=position), result=result, text=text, produced=result)
