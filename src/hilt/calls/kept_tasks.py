"""The board of a session as it is kept: read, and changed so that nobody's change is lost."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from hilt.calls.context import Context
from hilt.calls.memos import Memos
from hilt.calls.tasks import Board, Task

if TYPE_CHECKING:
    from pydantic import TypeAdapter

KEY = "tasks"
Altered = tuple[Board, tuple[Task, ...]]


async def board_of(ctx: Context) -> Board:
    """The board of the session; an empty one where no task was made."""
    return _read(await ctx.part(Memos).get(ctx.session, KEY))


async def change_board(ctx: Context, alter: Callable[[Board], Altered]) -> Altered:
    """Replace the board by what `alter` makes of it, also where another process changes it too."""

    def altered(kept: object) -> tuple[object, Altered]:
        board, touched = alter(_read(kept))
        value = _tasks().dump_python(tuple(board.tasks.values()), mode="json", exclude_defaults=True)
        return value, (board, touched)

    return await ctx.part(Memos).change(ctx.session, KEY, altered)


def _read(kept: object) -> Board:
    tasks = _tasks().validate_python(kept or ())
    return Board(tasks={each.id: each for each in tasks})


@cache
def _tasks() -> "TypeAdapter[tuple[Task, ...]]":
    from pydantic import TypeAdapter  # lazy: keeps a shelf that is only listed light

    return TypeAdapter(tuple[Task, ...])
