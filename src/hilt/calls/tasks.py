"""A session's tasks: what there is to do, in which order, and who does it. Pure: a board in, a board out.

    pending -> active -> done | dropped, and back again; a task waits for those it stands `after`.

Each verb takes everything of one call and does all of it or nothing. Where the board is kept is
not said here: see `hilt.calls.memos`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NotRequired, get_args

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.declarations.names import nearest
from hilt.results.failures import InvalidArguments

State = Literal["pending", "active", "done", "dropped"]
STATES: tuple[State, ...] = get_args(State)
OPEN: tuple[State, ...] = ("pending", "active")
MOST_TASKS = 500
"""Tasks of one session, settled ones included."""
LONGEST_TITLE = 200
LONGEST_NOTE = 2_000
MOST_NAMED = 12
"""Ids that a line names, of many."""


# A task to make; `after` names tasks by id or whole title, also those of the same call. (No docstring here and
# below: it would become part of the schema that every turn pays.)
class NewTask(TypedDict):
    title: str
    after: NotRequired[list[str]]
    owner: NotRequired[str]
    note: NotRequired[str]


# What is to become of one task: only what is given changes. `revision` is the one the change was thought out for.
class Change(TypedDict):
    id: str
    state: NotRequired[State]
    title: NotRequired[str]
    after: NotRequired[list[str]]
    owner: NotRequired[str]
    note: NotRequired[str]
    revision: NotRequired[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task. `revision` grows by one with each change."""

    id: str
    title: str
    state: State = "pending"
    after: tuple[str, ...] = ()
    owner: str = ""
    note: str = ""
    revision: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Every task of a session in the order they were made. Nothing is ever taken off, so that no id comes twice."""

    tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])

    @property
    def ready(self) -> tuple[Task, ...]:
        """Pending tasks that wait for nothing."""
        return tuple(each for each in self.tasks.values() if each.state == "pending" and not self.open_before(each))

    def open_before(self, task: Task) -> tuple[Task, ...]:
        """The tasks it still waits for."""
        return tuple(self.tasks[each] for each in task.after if self.tasks[each].state in OPEN)

    def counts(self) -> Mapping[State, int]:
        """How many tasks are in each state."""
        found = Counter(each.state for each in self.tasks.values())
        return {state: found[state] for state in STATES}


def created(board: Board, wanted: Sequence[NewTask]) -> tuple[Board, tuple[Task, ...]]:
    """The board with new tasks, and those. Raises `InvalidArguments`, and then nothing is made."""
    if not wanted:
        raise InvalidArguments("no task was given", 'give tasks=[{"title": "..."}]')
    if len(board.tasks) + len(wanted) > MOST_TASKS:
        raise InvalidArguments(
            f"{len(wanted):,} more tasks would be {len(board.tasks) + len(wanted):,}; a session holds {MOST_TASKS:,}, "
            "settled ones included",
            "put several steps into one task",
            "give a settled task a new title and the state pending",
        )
    first = len(board.tasks) + 1
    bare = [
        Task(
            id=f"t{first + place}",
            title=_title(each["title"], f"tasks[{place}]"),
            owner=each.get("owner", "").strip(),
            note=_note(each.get("note", ""), f"tasks[{place}]"),
        )
        for place, each in enumerate(wanted)
    ]
    known = Board(tasks={**board.tasks, **{each.id: each for each in bare}})
    made = [
        replace(task, after=_after(known, task, each.get("after", []))) for task, each in zip(bare, wanted, strict=True)
    ]
    whole = Board(tasks={**known.tasks, **{each.id: each for each in made}})
    _no_cycle(whole, made)
    return whole, tuple(made)


def updated(board: Board, changes: Sequence[Change]) -> tuple[Board, tuple[Task, ...]]:
    """The board after every change, and the tasks named, as they are now.

    Raises `InvalidArguments`, and then nothing is changed. A change to what a task already is
    leaves its revision alone. Order within the call does not matter: what counts is the outcome.
    """
    if not changes:
        raise InvalidArguments("no update was given", 'give updates=[{"id": "t1", "state": "active"}]')
    twice = [id for id, count in Counter(each["id"] for each in changes).items() if count > 1]
    if twice:
        raise InvalidArguments(
            f"{', '.join(twice)} is named twice in one call", "give each task one update with all its fields"
        )
    touched = [_changed(board, each, place) for place, each in enumerate(changes)]
    whole = Board(tasks={**board.tasks, **{each.id: each for each in touched}})
    _no_cycle(whole, touched)
    for task in touched:
        if task != board.tasks[task.id]:
            _may_start(whole, task)
    return whole, tuple(touched)


def _changed(board: Board, change: Change, place: int) -> Task:
    task = _known(board, change["id"])
    if set(change) <= {"id", "revision"}:
        raise InvalidArguments(
            f"updates[{place}] changes nothing of {task.id}", "give state, title, after, owner or note"
        )
    revision = change.get("revision", task.revision)
    if revision != task.revision:
        raise InvalidArguments(
            f"{task.id} has changed: it has revision {task.revision}, not {revision}, and is {line(task)}",
            f"if your change still holds, call again with revision {task.revision}",
        )
    after = change.get("after")
    new = replace(
        task,
        state=change.get("state", task.state),
        title=_title(change["title"], task.id) if "title" in change else task.title,
        after=task.after if after is None else _after(board, task, after),
        owner=change.get("owner", task.owner).strip(),
        note=_note(change.get("note", task.note), task.id),
    )
    return new if new == task else replace(new, revision=task.revision + 1)


def _title(given: str, where: str) -> str:
    title = one_line(given)
    if not title or len(title) > LONGEST_TITLE:
        said = f"a title of {len(title):,} characters" if title else "an empty title"
        raise InvalidArguments(
            f"{where} has {said}; a title has 1 to {LONGEST_TITLE:,}", "write one short line; details go into note"
        )
    return title


def one_line(title: str) -> str:
    """A title as it is kept: one line, one space between words."""
    return " ".join(title.split())


def _note(given: str, where: str) -> str:
    if len(given) > LONGEST_NOTE:
        raise InvalidArguments(
            f"{where} has a note of {len(given):,} characters; the longest is {LONGEST_NOTE:,}",
            "write it to a file, and name the file in the note",
        )
    return given


def _after(board: Board, task: Task, given: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    for asked in given:
        titled = [each for each in _titled(board, asked) if each.id != asked]
        if asked in board.tasks and titled:
            raise InvalidArguments(
                f"after {asked!r} of {task.id} is the id of one task and the title of {_ids(titled)}",
                f"name the second by its id, or give it another title: {_ids(titled)}",
            )
        found.append(_known(board, asked).id)
    return tuple(dict.fromkeys(found))


def _titled(board: Board, asked: str) -> list[Task]:
    title = one_line(asked)
    return [each for each in board.tasks.values() if each.title == title]


def _known(board: Board, asked: str) -> Task:
    """The task of this id, or of this title where only one has it."""
    if asked in board.tasks:
        return board.tasks[asked]
    titled = _titled(board, asked)
    if len(titled) == 1:
        return titled[0]
    if titled:
        raise InvalidArguments(f"{len(titled):,} tasks are titled {asked!r}", f"say which: {_ids(titled)}")
    raise _unknown(board, asked)


def _unknown(board: Board, asked: str) -> InvalidArguments:
    tasks = board.tasks.values()
    if not tasks:
        return InvalidArguments(f"there is no task {asked!r}: no task has been made yet", "make it first")
    near = nearest(asked, [each.title for each in tasks], most=1)
    spelt = f"t{asked.strip().lower().lstrip('#t')}"
    meant = [each for each in tasks if each.id == spelt] or [each for each in tasks if each.title in near]
    step = f"did you mean {meant[0].id} ({meant[0].title})?" if meant else "name one of these by its id"
    return InvalidArguments(f"there is no task {asked!r}; there are {_ids(tasks)}", step)


def _ids(tasks: Iterable[Task]) -> str:
    """Ids in the order they were made, those in a row as a span: `t1-t12, t15`."""
    numbers = sorted(int(each.id[1:]) for each in tasks)
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    named = [f"t{span[0]}" if len(span) == 1 else f"t{span[0]}-t{span[-1]}" for span in spans]
    more = len(named) - MOST_NAMED
    return ", ".join(named[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _no_cycle(board: Board, touched: Iterable[Task]) -> None:
    """Refuse tasks that would wait for themselves, naming the way round."""
    for task in touched:
        way = _way(board, task.id, task.id)
        if way:
            raise InvalidArguments(
                f"{' after '.join((task.id, *way))}: these would wait for each other",
                f"leave one of them out of after, such as {way[0]} of {task.id}",
            )


def _way(board: Board, start: str, end: str) -> tuple[str, ...]:
    """The shortest way along `after` from one task to another, its end included; empty where there is none."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    waiting = [start]
    for current in waiting:
        for each in board.tasks[current].after:
            if each == end:
                return (*ways[current], each)
            if each not in ways:
                ways[each] = (*ways[current], each)
                waiting.append(each)
    return ()


def _may_start(board: Board, task: Task) -> None:
    before = board.open_before(task)
    if task.state in ("active", "done") and before:
        raise InvalidArguments(
            f"{task.id} cannot be {task.state}: it stands after {_ids(before)}, not done or dropped",
            f"settle {_ids(before)} first, or give {task.id} another after",
        )


def line(task: Task) -> str:
    """A task in a few words, without its title."""
    return f"{task.state} (rev {task.revision})" + (f" @{task.owner}" if task.owner else "")


def ready_line(board: Board) -> str:
    """What can be begun now, in a few words."""
    if board.ready:
        return f"ready: {_ids(board.ready)}"
    counts = board.counts()
    if counts["active"]:
        return f"active: {_ids(each for each in board.tasks.values() if each.state == 'active')}"
    return "nothing is open" if not counts["pending"] else "nothing is ready"


def lines_of(tasks: Sequence[Task]) -> str:
    """Tasks in few words; of many, those that stand alike together."""
    if len(tasks) <= MOST_NAMED:
        return ", ".join(f"{task.id} {line(task)}" for task in tasks)
    alike: dict[str, list[Task]] = {}
    for task in tasks:
        alike.setdefault(line(task), []).append(task)
    return ", ".join(f"{_ids(group)} {said}" for said, group in alike.items())


def told_titles(given: Iterable[str]) -> tuple[str, ...]:
    """What is to be said where titles were not kept as they were given."""
    changed = sum(each != one_line(each) for each in given)
    title = "a title was" if changed == 1 else f"{changed:,} titles were"
    return (f"{title} put on one line, with one space between words",) if changed else ()


def ids_line(tasks: Iterable[Task]) -> str:
    """Ids in a few words: `t1-t12`."""
    return _ids(tasks)
