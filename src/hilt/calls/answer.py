"""The one answer a call gets: the result, and the text the model reads."""

from dataclasses import dataclass

from hilt.calls.call import ToolCall
from hilt.results.envelope import ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One call answered. `result` is as shown, cut to the budget; `produced` as the tool gave it."""

    call: ToolCall
    result: ToolResult[object]
    text: str
    produced: ToolResult[object]
