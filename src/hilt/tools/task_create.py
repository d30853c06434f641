"""`task_create`: put what is to be done on the session's list, several tasks at once.

What a file or a shell cannot carry: the order is held, a stale change is refused, and nothing that
another process writes is lost.
"""

from typing import Annotated

from pydantic import BeforeValidator

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.kept_tasks import change_board
from hilt.calls.tasks import NewTask, created, ids_line, ready_line, told_titles
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.declarations.schema import is_array
from hilt.results.envelope import ToolResult

_JSON_OPENINGS = ("[", "{")


def _titles(given: object) -> object:
    """A lone title, or titles among the tasks, as tasks of that title: the only field a task must have."""
    if isinstance(given, str):
        return given if given.lstrip().startswith(_JSON_OPENINGS) else [{"title": given}]
    return [{"title": each} if isinstance(each, str) else each for each in given] if is_array(given) else given


@tool(
    kind="act",
    effects={"reads": "none", "does": ()},
    idempotent=False,
    undo="task_update with state dropped",
    activity="planning",
    description=Description(
        use_for="noting the steps of long work in one call",
        not_for="a step or two",
        returns="ids (t1, ...) and what is ready",
    ),
)
async def task_create(
    ctx: Context,
    tasks: Annotated[
        list[NewTask],
        BeforeValidator(_titles),
        Param("after: ids or titles"),
    ],
) -> ToolResult[str]:
    board, made = await change_board(ctx, lambda board: created(board, tasks))
    count = "1 task" if len(made) == 1 else f"{len(made):,} tasks"
    return ToolResult(
        summary=f"{count} created: {ids_line(made)}; {ready_line(board)}",
        notes=told_titles(each["title"] for each in tasks),
    )
