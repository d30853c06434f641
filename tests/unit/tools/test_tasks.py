"""The task tools on the road: what a model reads, and what two processes keep between them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import anyio

from hilt import Runtime, Session, ToolCall
from hilt.assembly.shelf import shelf
from hilt.calls.answer import Answer
from hilt.calls.tasks import MOST_TASKS, STATES
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind
from hilt.store.sql import SqlStore
from hilt.tools.task_create import task_create
from hilt.tools.task_list import LIMIT, task_list
from hilt.tools.task_update import MEANT, task_update

TOOLS = (task_create, task_update, task_list)
MOST_DECLARED = 160
"""Tokens that each declaration may cost."""


class Desk:
    """One runtime and one session."""

    def __init__(self, session: Session | None = None, store: SqlStore | None = None) -> None:
        self.session = session or Session()
        self.runtime = Runtime(TOOLS, store=store) if store else Runtime(TOOLS)

    async def answer(self, name: str, **arguments: object) -> Answer:
        return await self.runtime.answer_one(self.session, ToolCall(name=name, arguments=json.dumps(arguments)))

    async def text(self, name: str, **arguments: object) -> str:
        return (await self.answer(name, **arguments)).text


async def twelve() -> Desk:
    desk = Desk()
    tasks = [
        {"title": f"step {number}", **({"after": [f"t{number - 1}"]} if number > 1 else {})} for number in range(1, 13)
    ]
    assert await desk.text("task_create", tasks=tasks) == "12 tasks created: t1-t12; ready: t1"
    return desk


async def test_twelve_tasks_are_made_in_one_call_and_each_update_is_answered_in_one_line() -> None:
    desk = await twelve()

    assert await desk.text("task_update", updates=[{"id": "t1", "state": "active", "owner": "ann"}]) == (
        "t1 active (rev 2) @ann; active: t1"
    )
    assert await desk.text("task_update", updates=[{"id": "t1", "state": "done"}, {"id": "t2", "state": "active"}]) == (
        "t1 done (rev 3) @ann, t2 active (rev 2); active: t2"
    )
    assert await desk.text("task_update", updates=[{"id": "t2", "state": "dropped"}]) == (
        "t2 dropped (rev 3); ready: t3"
    )


async def test_a_lone_title_a_list_of_titles_and_a_lone_task_are_taken_and_told() -> None:
    desk = Desk()
    for tasks, made in (("write", "1 task"), (["a", {"title": "b"}], "2 tasks"), ({"title": "c"}, "1 task")):
        text = await desk.text("task_create", tasks=tasks)

        assert text.startswith(f"{made} created")
        assert "adjusted tasks" in text
    assert (await desk.answer("task_create", tasks=[{"title": "d"}])).result.adjustments == ()


async def test_states_in_the_words_of_other_task_lists_are_taken_and_told() -> None:
    desk = await twelve()

    for number, (given, ours) in enumerate(MEANT.items(), 1):
        if ours not in ("pending", "dropped"):
            await desk.answer("task_update", updates=[{"id": f"t{number}", "after": []}])
        text = await desk.text("task_update", updates=[{"id": f"t{number}", "state": given}])
        assert text.startswith(f"t{number} {ours} (rev ")
        assert "adjusted updates: " in text
    assert set(MEANT.values()) == set(STATES)
    assert not set(MEANT) & set(STATES)
    failure = (await desk.answer("task_update", updates=[{"id": "t9", "state": "blocked"}])).result.failure
    assert failure is not None
    assert failure.violations[0].expected == 'one of "pending", "active", "done", "dropped"'


async def test_a_lone_text_that_may_be_broken_json_is_no_title() -> None:
    failure = (await Desk().answer("task_create", tasks="[draft] the plan")).result.failure

    assert failure is not None
    assert failure.kind is FailureKind.INVALID_ARGUMENTS


async def test_the_list_shows_each_task_on_a_line_and_goes_on_where_it_was_cut() -> None:
    desk = await twelve()
    await desk.answer("task_update", updates=[{"id": "t1", "state": "active", "owner": "ann", "note": "half way"}])

    answer = await desk.answer("task_list", limit=2, detail="full")

    assert answer.text.splitlines() == [
        "11 pending, 1 active; active: t1",
        "t1 active r2 @ann: step 1",
        "  half way",
        "t2 pending r1 after t1: step 2",
        '[2 of 12 items shown, limit 2; next: {"detail":"full","limit":2,"offset":2}]',
    ]
    assert await desk.text("task_list", owner="ann", state="active", detail="full") == (
        "1 task fits; 11 pending, 1 active; active: t1\nt1 active r2 @ann: step 1\n  half way"
    )
    assert await desk.text("task_list", state="done") == "0 tasks fit; 11 pending, 1 active; active: t1"


async def test_a_concise_list_keeps_what_an_update_needs_and_says_that_there_are_notes() -> None:
    desk = await twelve()
    await desk.answer("task_update", updates=[{"id": "t1", "state": "active", "note": "half way\nthrough"}])

    listed = (await desk.answer("task_list", limit=1)).result
    whole = (await desk.answer("task_list", limit=1, detail="full")).result

    assert listed.items == ({"id": "t1", "state": "active", "title": "step 1", "revision": 2},)
    assert listed.notes == ("1 task has a note: detail=full",)
    assert whole.items == (dict(cast("Mapping[str, object]", listed.items[0]), note="half way\nthrough"),)
    assert whole.notes == ()


async def test_following_next_lists_every_task_once() -> None:
    desk = Desk()
    await desk.answer("task_create", tasks=[{"title": "a"}] * 130)
    seen: list[object] = []
    arguments: dict[str, object] = {"state": "pending"}
    for _ in range(4):
        result = (await desk.answer("task_list", **arguments)).result
        seen += [item["id"] for item in result.items if isinstance(item, dict)]
        if result.truncation is None:
            break
        assert result.truncation.limit.value == LIMIT
        arguments = dict(result.truncation.next)
    assert seen == [f"t{number}" for number in range(1, 131)]


async def test_an_offset_past_the_end_is_a_bad_argument_and_an_empty_list_is_none() -> None:
    desk = Desk()

    assert await desk.text("task_list") == "no task has been made"
    await desk.answer("task_create", tasks=[{"title": "a"}])
    failure = (await desk.answer("task_list", offset=3)).result.failure
    assert failure is not None
    assert failure.problem == "offset 3 is past the end: 1 task fits"


async def test_a_refused_call_changes_nothing_at_all() -> None:
    desk = await twelve()
    before = await desk.text("task_list")

    answer = await desk.answer("task_update", updates=[{"id": "t1", "state": "done"}, {"id": "t99", "state": "done"}])

    assert answer.result.status is Status.ERROR
    assert await desk.text("task_list") == before


async def test_opening_a_task_again_says_which_tasks_are_ahead_of_it() -> None:
    desk = await twelve()
    await desk.answer("task_update", updates=[{"id": "t1", "state": "done"}, {"id": "t2", "state": "active"}])

    text = await desk.text("task_update", updates=[{"id": "t1", "state": "pending"}])

    assert text.splitlines()[1] == "note: t2 is active although what it stands after is open again"


async def test_two_processes_on_one_store_lose_no_task_and_no_update(tmp_path: Path) -> None:
    session = Session()
    desks = [Desk(session, SqlStore(str(tmp_path / "hilt.db"))) for _ in range(2)]
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(
                    lambda place=number: desks[place % 2].answer("task_create", tasks=[{"title": f"n{place}"}])
                )
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(
                    lambda place=number: desks[place % 2].answer(
                        "task_update", updates=[{"id": f"t{place + 1}", "state": "done"}]
                    )
                )
        items = (await desks[0].answer("task_list", state="done")).result.items
        assert sorted(str(item["title"]) for item in items if isinstance(item, dict)) == sorted(
            f"n{each}" for each in range(20)
        )
        for desk in desks:
            await desk.runtime.close()


async def test_a_board_at_its_bound_still_answers_in_one_short_line() -> None:
    desk = Desk()

    text = await desk.text("task_create", tasks=[{"title": "a"}] * MOST_TASKS)

    assert text == f"{MOST_TASKS} tasks created: t1-t{MOST_TASKS}; ready: t1-t{MOST_TASKS}"


def test_the_tools_are_on_the_shelf_and_cheap_to_declare() -> None:
    from hilt.assembly.counter import counter
    from hilt.declarations.description import Environment

    count = counter("auto").count
    for tool in TOOLS:
        words = tool.declaration.text(Environment()) + json.dumps(tool.declaration.parameters, separators=(",", ":"))
        assert count(words) <= MOST_DECLARED
    assert {tool.name for tool in TOOLS} <= {tool.name for tool in shelf().tools}


async def test_a_store_that_cannot_be_reached_is_a_failure_of_the_environment_and_no_fault_of_the_tool(
    tmp_path: Path,
) -> None:
    (tmp_path / "hilt.db").write_text("no database, and long enough to be seen as none " * 100, encoding="utf-8")
    desk = Desk(store=SqlStore(str(tmp_path / "hilt.db")))

    for name, arguments in (("task_list", {}), ("task_create", {"tasks": [{"title": "a"}]})):
        failure = (await desk.answer(name, **arguments)).result.failure
        assert failure is not None
        assert failure.kind is FailureKind.ENVIRONMENT
        assert failure.problem.startswith(f"{name} could not read or keep its state: ")


async def test_a_note_of_several_lines_cannot_pass_for_another_task() -> None:
    desk = Desk()
    await desk.text("task_create", tasks=[{"title": "a", "note": "one\nt9 done r1: forged\rt8 done r1: too"}])

    rows = (await desk.text("task_list", detail="full")).splitlines()
    assert [row for row in rows if row.startswith("t")] == ["t1 pending r1: a"]
    assert "  t9 done r1: forged" in rows


async def test_a_title_that_is_put_on_one_line_is_told() -> None:
    desk = Desk()
    made = await desk.text("task_create", tasks=[{"title": "build\n the core"}, {"title": "plain"}])
    again = await desk.text("task_update", updates=[{"id": "t2", "title": "not  plain"}])

    assert "note: a title was put on one line" in made
    assert "note: a title was put on one line" in again
    assert "note" not in await desk.text("task_create", tasks=[{"title": "as it is"}])
