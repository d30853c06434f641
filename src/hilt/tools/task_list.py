"""`task_list`: the tasks of the session, as they stand."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.kept_tasks import board_of
from hilt.calls.tasks import Board, State, Task, ready_line
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import Limit, ToolResult, Truncation
from hilt.results.failures import InvalidArguments

LIMIT = 50
"""Tasks of one page, unless asked otherwise."""

Detail = Literal["concise", "full"]
"""`concise` leaves the notes out, which may be long, and keeps what task_update needs: ids and revisions."""


class TaskItem(TypedDict):
    """One task; what it does not have is left out."""

    id: str
    state: State
    title: str
    revision: int
    owner: NotRequired[str]
    after: NotRequired[list[str]]
    note: NotRequired[str]


def shown(items: Sequence[object]) -> str:
    """Each task on a line, its note below."""
    return "\n".join(_row(cast("Mapping[str, object]", item)) for item in items)  # the declared items, as JSON


def _row(item: Mapping[str, object]) -> str:
    owner = f" @{item['owner']}" if "owner" in item else ""
    after = f" after {','.join(cast('list[str]', item['after']))}" if "after" in item else ""
    note = "".join(f"\n  {each}" for each in str(item.get("note", "")).splitlines())
    return f"{item['id']} {item['state']} r{item['revision']}{owner}{after}: {item['title']}{note}"


@tool(
    kind="perceive",
    limit=LIMIT,
    continues="offset",
    noun="task",
    effects={"reads": "none"},
    activity="looking at the tasks",
    render=shown,
    description=Description(
        use_for="recalling tasks",
        not_for="checking an update",
        returns="a line each",
    ),
)
async def task_list(
    ctx: Context,
    state: Annotated[State | None, Param("only these")] = None,
    owner: Annotated[str | None, Param("only theirs")] = None,
    detail: Annotated[Detail, Param("full: with notes")] = "concise",
    limit: Annotated[int, Param("most tasks", ge=1)] = LIMIT,
    offset: Annotated[int, Param("tasks to skip", ge=0)] = 0,
) -> ToolResult[TaskItem]:
    board = await board_of(ctx)
    fitting = [each for each in board.tasks.values() if state in (None, each.state) and owner in (None, each.owner)]
    if offset and offset >= len(fitting):
        raise InvalidArguments(
            f"offset {offset:,} is past the end: {_fit(len(fitting))}",
            f"give an offset of at most {max(len(fitting) - 1, 0)}",
        )
    page = fitting[offset : offset + limit]
    asked = {"state": (state, None), "owner": (owner, None), "detail": (detail, "concise"), "limit": (limit, LIMIT)}
    given = {name: value for name, (value, default) in asked.items() if value != default}
    noted = sum(1 for task in page if task.note) if detail == "concise" else 0
    if noted:
        ctx.note(f"{'1 task has a note' if noted == 1 else f'{noted:,} tasks have notes'}: detail=full")
    return ToolResult(
        summary=_summary(board, fitting, filtered=state is not None or owner is not None),
        items=tuple(_item(task, detail) for task in page),
        truncation=_cut(given, limit, len(page), offset + len(page), len(fitting)),
    )


def _fit(count: int) -> str:
    return "1 task fits" if count == 1 else f"{count:,} tasks fit"


def _summary(board: Board, fitting: Sequence[Task], *, filtered: bool) -> str:
    if not board.tasks:
        return "no task has been made"
    counts = ", ".join(f"{count:,} {state}" for state, count in board.counts().items() if count)
    return f"{f'{_fit(len(fitting))}; ' if filtered else ''}{counts}; {ready_line(board)}"


def _item(task: Task, detail: Detail) -> TaskItem:
    item = TaskItem(id=task.id, state=task.state, title=task.title, revision=task.revision)
    if task.owner:
        item["owner"] = task.owner
    if task.after:
        item["after"] = list(task.after)
    if task.note and detail == "full":
        item["note"] = task.note
    return item


def _cut(given: Mapping[str, object], limit: int, shown: int, end: int, total: int) -> Truncation | None:
    """The cut of a page; `given` are the arguments that are not at their default, for the next one."""
    if end >= total:
        return None
    return Truncation(shown=shown, total=total, limit=Limit(name="limit", value=limit), next={**given, "offset": end})
