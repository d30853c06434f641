"""Tasks of a session: the rules of the board, by example and against a model as plain as can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.calls.tasks import (
    LONGEST_NOTE,
    LONGEST_TITLE,
    MOST_TASKS,
    OPEN,
    STATES,
    Board,
    Change,
    NewTask,
    State,
    created,
    ids_line,
    lines_of,
    ready_line,
    updated,
)
from hilt.results.failures import InvalidArguments

TITLES = ("read the issue", "write the test", "mend it")


def board(*tasks: NewTask) -> Board:
    return created(Board(), tasks)[0]


def three() -> Board:
    return board(
        {"title": TITLES[0]}, {"title": TITLES[1], "after": ["t1"]}, {"title": TITLES[2], "after": [TITLES[1]]}
    )


def refused(of: Board, *changes: Change) -> InvalidArguments:
    with pytest.raises(InvalidArguments) as caught:
        updated(of, changes)
    return caught.value


def test_tasks_of_one_call_may_stand_after_each_other_by_id_and_by_title() -> None:
    made = three()

    assert [(each.id, each.after) for each in made.tasks.values()] == [("t1", ()), ("t2", ("t1",)), ("t3", ("t2",))]
    assert ready_line(made) == "ready: t1"


def test_settling_a_task_makes_the_next_one_ready() -> None:
    for state in ("done", "dropped"):
        now, touched = updated(three(), [{"id": "t1", "state": state}])

        assert ready_line(now) == "ready: t2"
        assert [(each.id, each.state, each.revision) for each in touched] == [("t1", state, 2)]


def test_a_task_cannot_start_before_what_it_stands_after_and_the_failure_says_what() -> None:
    failure = refused(three(), {"id": "t3", "state": "active"})

    assert failure.problem == "t3 cannot be active: it stands after t2, not done or dropped"
    assert failure.next_steps == ("settle t2 first, or give t3 another after",)


def test_the_order_within_a_call_does_not_matter() -> None:
    now, _ = updated(three(), [{"id": "t2", "state": "active"}, {"id": "t1", "state": "done"}])

    assert [each.state for each in now.tasks.values()] == ["done", "active", "pending"]


def test_a_cycle_is_refused_and_named() -> None:
    assert refused(three(), {"id": "t1", "after": ["t3"]}).problem == (
        "t1 after t3 after t2 after t1: these would wait for each other"
    )
    assert "t1 after t1" in refused(three(), {"id": "t1", "after": ["t1"]}).problem
    with pytest.raises(InvalidArguments, match="wait for each other"):
        board({"title": "a", "after": ["b"]}, {"title": "b", "after": ["a"]})


def test_a_stale_revision_is_refused_with_the_state_that_is() -> None:
    now, _ = updated(three(), [{"id": "t1", "state": "active", "owner": "ann", "revision": 1}])

    failure = refused(now, {"id": "t1", "state": "done", "revision": 1})

    assert failure.problem == "t1 has changed: it has revision 2, not 1, and is active (rev 2) @ann"
    assert updated(now, [{"id": "t1", "state": "done", "revision": 2}])[1][0].revision == 3


def test_an_unknown_task_is_answered_with_those_there_are_and_the_one_meant() -> None:
    failure = refused(three(), {"id": "writing the test", "state": "active"})

    assert failure.problem == "there is no task 'writing the test'; there are t1-t3"
    assert failure.next_steps == ("did you mean t2 (write the test)?",)
    assert "name one of these" in refused(three(), {"id": "t9", "state": "done"}).next_steps[0]
    for spelling in ("3", "#3", "T3", " t3"):
        assert refused(three(), {"id": spelling, "state": "done"}).next_steps == ("did you mean t3 (mend it)?",)
    assert "no task has been made" in refused(Board(), {"id": "t1", "state": "done"}).problem


def test_a_title_that_two_tasks_have_names_neither() -> None:
    twins = board({"title": "test"}, {"title": "test"})

    with pytest.raises(InvalidArguments) as caught:
        created(twins, [{"title": "ship", "after": ["test"]}])

    assert (caught.value.problem, caught.value.next_steps) == ("2 tasks are titled 'test'", ("say which: t1-t2",))


def test_saying_what_is_already_so_changes_no_revision() -> None:
    now, touched = updated(three(), [{"id": "t1", "state": "pending", "owner": ""}])

    assert (now, touched[0].revision) == (three(), 1)


def test_an_empty_text_takes_owner_and_note_away() -> None:
    full = board({"title": "a", "owner": "ann", "note": "why"})

    task = updated(full, [{"id": "t1", "owner": "", "note": "", "title": "b"}])[1][0]

    assert (task.owner, task.note, task.title, task.revision) == ("", "", "b", 2)


def test_calls_that_say_nothing_or_one_thing_twice_are_refused() -> None:
    assert "no update" in refused(three()).problem
    assert "changes nothing of t1" in refused(three(), {"id": "t1", "revision": 1}).problem
    assert "t1 is named twice" in refused(three(), {"id": "t1", "state": "done"}, {"id": "t1", "owner": "a"}).problem
    with pytest.raises(InvalidArguments, match="no task was given"):
        board()


def test_texts_and_numbers_have_bounds_that_the_failure_names() -> None:
    for title in ("", " \n", "x" * (LONGEST_TITLE + 1)):
        with pytest.raises(InvalidArguments, match=f"1 to {LONGEST_TITLE}"):
            board({"title": title})
    with pytest.raises(InvalidArguments, match=f"{LONGEST_NOTE:,}"):
        board({"title": "a", "note": "x" * (LONGEST_NOTE + 1)})
    full = board(*(NewTask(title="a") for _ in range(MOST_TASKS)))
    with pytest.raises(InvalidArguments, match=f"holds {MOST_TASKS}"):
        created(full, [{"title": "b"}])


def test_what_can_be_done_now_is_said_whatever_the_state() -> None:
    active, _ = updated(three(), [{"id": "t1", "state": "active"}])
    settled, _ = updated(three(), [{"id": each, "state": "dropped"} for each in ("t1", "t2", "t3")])

    assert ready_line(active) == "active: t1"
    assert ready_line(settled) == ready_line(Board()) == "nothing is open"


def test_many_ids_are_named_as_spans_and_the_rest_counted() -> None:
    tasks = list(board(*(NewTask(title="a") for _ in range(60))).tasks.values())

    assert ids_line(tasks[:12]) == "t1-t12"
    assert ids_line(tasks[::2]).endswith("t23 and 18 more")


Fields = tuple[State, frozenset[str], int]


class Plain:
    """The same rules with no care for speed or wording: a dictionary of id to (state, after, revision)."""

    def __init__(self) -> None:
        self.tasks: dict[str, Fields] = {}

    def create(self, afters: list[list[str]]) -> bool:
        made = {f"t{len(self.tasks) + place + 1}": after for place, after in enumerate(afters)}
        new: dict[str, Fields] = {id: ("pending", frozenset(after), 1) for id, after in made.items()}
        whole = self.tasks | new
        if not made or not self._sound(whole):
            return False
        self.tasks = whole
        return True

    def update(self, changes: list[Change]) -> bool:
        whole, ids = dict(self.tasks), [each["id"] for each in changes]
        if not ids or len(set(ids)) < len(ids) or not set(ids) <= set(whole):
            return False
        for change in changes:
            state, after, revision = whole[change["id"]]
            if change.get("revision", revision) != revision or set(change) <= {"id", "revision"}:
                return False
            new = (change.get("state", state), frozenset(change.get("after", after)))
            whole[change["id"]] = (*new, revision + (new != (state, after)))
        if not self._sound(whole):
            return False
        for id in ids:
            state, after, _ = whole[id]
            if (
                whole[id] != self.tasks[id]
                and state in ("active", "done")
                and any(whole[each][0] in OPEN for each in after)
            ):
                return False
        self.tasks = whole
        return True

    def _sound(self, tasks: dict[str, Fields]) -> bool:
        if any(not after <= set(tasks) for _, after, _ in tasks.values()):
            return False
        left = set(tasks)
        while free := {id for id in left if not tasks[id][1] & left}:
            left -= free
        return not left


IDS = st.integers(1, 7).map(lambda number: f"t{number}")
CHANGES = st.lists(
    st.fixed_dictionaries(
        {"id": IDS},
        optional={"state": st.sampled_from(STATES), "after": st.lists(IDS, max_size=3), "revision": st.integers(1, 3)},
    ),
    max_size=4,
)
STEPS = st.lists(st.one_of(st.lists(st.lists(IDS, max_size=2), max_size=3), CHANGES.map(tuple)), max_size=15)


@given(STEPS)
def test_any_sequence_of_calls_comes_to_what_a_plain_model_comes_to(
    steps: list[list[list[str]] | tuple[Change, ...]],
) -> None:
    plain, now = Plain(), Board()
    for step in steps:
        before = now
        try:
            if isinstance(step, tuple):
                now, _ = updated(now, step)
            else:
                now, _ = created(now, [{"title": "a", "after": after} for after in step])
            went = True
        except InvalidArguments:
            went = False
            assert now == before
        assert went == (plain.update(list(step)) if isinstance(step, tuple) else plain.create(step))
        assert {id: (task.state, frozenset(task.after), task.revision) for id, task in now.tasks.items()} == plain.tasks


def test_a_title_that_is_the_id_of_another_task_is_not_taken_for_either() -> None:
    with pytest.raises(InvalidArguments) as caught:
        board({"title": "a"}, {"title": "t1"}, {"title": "ship", "after": ["t1"]})

    assert caught.value.problem == "after 't1' of t3 is the id of one task and the title of t2"
    (named,) = updated(board({"title": "t2"}, {"title": "b"}), [{"id": "t2", "state": "done"}])[1]
    assert (named.id, named.title) == ("t2", "b"), "an id given as an id is one"


def test_a_task_is_found_by_its_title_as_it_was_given() -> None:
    whole = board({"title": " build  the\ncore "}, {"title": "ship", "after": [" build  the\ncore "]})

    assert whole.tasks["t1"].title == "build the core"
    assert whole.tasks["t2"].after == ("t1",)


def test_a_full_list_says_what_can_still_be_done() -> None:
    full = board(*(NewTask(title="a") for _ in range(MOST_TASKS)))
    with pytest.raises(InvalidArguments) as caught:
        created(full, [{"title": "b"}])
    again = updated(full, [{"id": "t1", "title": "b", "state": "pending"}])[1]

    assert caught.value.next_steps[1] == "give a settled task a new title and the state pending"
    assert again[0].title == "b"


def test_many_tasks_that_stand_alike_are_told_together() -> None:
    touched = updated(
        board(*(NewTask(title="a") for _ in range(60))),
        [{"id": f"t{number}", "state": "done"} for number in range(1, 60)],
    )[1]

    assert lines_of(touched) == "t1-t59 done (rev 2)"
    assert lines_of(touched[:2]) == "t1 done (rev 2), t2 done (rev 2)"
