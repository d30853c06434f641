"""`task_update`: what became of tasks, several at once, and only the fields that changed."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BeforeValidator

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.kept_tasks import change_board
from hilt.calls.tasks import Board, Change, State, Task, ids_line, lines_of, ready_line, told_titles, updated
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.declarations.schema import is_array, is_object
from hilt.results.envelope import ToolResult

MEANT: Mapping[str, State] = {
    "todo": "pending",
    "in_progress": "active",
    "completed": "done",
    "cancelled": "dropped",
    "canceled": "dropped",
}
"""States as other task lists call them, each with one meaning here; taken, and told."""


def _ours(given: object) -> object:
    """Updates with each state in our word for it."""
    return [_update(each) for each in given] if is_array(given) else given


def _update(given: object) -> object:
    state = given.get("state") if is_object(given) else None
    return {**given, "state": MEANT[state]} if is_object(given) and isinstance(state, str) and state in MEANT else given


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
    updates: Annotated[list[Change], BeforeValidator(_ours), Param("a stale revision is refused")],
) -> ToolResult[str]:
    board, touched = await change_board(ctx, lambda board: updated(board, updates))
    retitled = told_titles(each["title"] for each in updates if "title" in each)
    return ToolResult(
        summary=f"{lines_of(touched)}; {ready_line(board)}", notes=(*_overtaken(board, touched), *retitled)
    )


def _overtaken(board: Board, touched: Sequence[Task]) -> tuple[str, ...]:
    """Tasks under way whose forerunners were opened again."""
    ids = {each.id for each in touched}
    early = [
        each
        for each in board.tasks.values()
        if each.state == "active" and ids & set(each.after) and board.open_before(each)
    ]
    return (f"{ids_line(early)} is active although what it stands after is open again",) if early else ()
