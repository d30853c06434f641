"""`task_update`: what became of tasks, several at once, and only the fields that changed."""

from collections.abc import Sequence
from typing import Annotated

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.kept_tasks import change_board
from hilt.calls.tasks import Board, Change, Task, ids_line, line, ready_line, updated
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult


@tool(
    kind="act",
    effects={"reads": "none", "does": ()},
    idempotent=True,
    undo="task_update with the earlier values",
    activity="updating tasks",
    description=Description(
        use_for="changing tasks, all of a call or none",
        not_for={"reading them": "task_list"},
        returns="what changed and what is ready",
        traps="starting waits for after",
    ),
)
async def task_update(
    ctx: Context,
    updates: Annotated[list[Change], Param("a stale revision is refused")],
) -> ToolResult[str]:
    board, touched = await change_board(ctx, lambda board: updated(board, updates))
    changes = ", ".join(f"{task.id} {line(task)}" for task in touched)
    return ToolResult(summary=f"{changes}; {ready_line(board)}", notes=_overtaken(board, touched))


def _overtaken(board: Board, touched: Sequence[Task]) -> tuple[str, ...]:
    """Tasks under way whose forerunners were opened again."""
    ids = {each.id for each in touched}
    early = [
        each
        for each in board.tasks.values()
        if each.state == "active" and ids & set(each.after) and board.open_before(each)
    ]
    return (f"{ids_line(early)} is active although what it stands after is open again",) if early else ()
