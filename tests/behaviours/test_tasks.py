"""Promises about tasks, driven from outside."""

import json

from hilt import Runtime, Session, ToolCall
from hilt.assembly.shelf import shelf


async def said(runtime: Runtime, session: Session, name: str, **arguments: object) -> str:
    call = ToolCall(name=name, arguments=json.dumps(arguments))
    return (await runtime.answer_one(session, call)).text


async def test_req_H3_tasks_are_made_moved_and_listed_and_what_must_come_first_is_held() -> None:
    runtime, session = Runtime(shelf(["task_create", "task_update", "task_list"]).tools), Session()

    await said(runtime, session, "task_create", tasks=[{"title": "mend"}, {"title": "ship", "after": ["mend"]}])
    early = await said(runtime, session, "task_update", updates=[{"id": "t2", "state": "active"}])
    await said(
        runtime, session, "task_update", updates=[{"id": "t1", "state": "done"}, {"id": "t2", "state": "active"}]
    )

    assert early.startswith("error (invalid_arguments): t2 cannot be active: it stands after t1")
    assert (await said(runtime, session, "task_list")).splitlines()[1:] == [
        "t1 done r2: mend",
        "t2 active r2 after t1: ship",
    ]


async def test_req_D9_an_update_of_one_of_forty_tasks_is_answered_with_that_one_on_one_line() -> None:
    runtime, session = Runtime(shelf(["task_create", "task_update"]).tools), Session()
    await said(runtime, session, "task_create", tasks=[{"title": f"a long title of number {n}"} for n in range(40)])

    text = await said(runtime, session, "task_update", updates=[{"id": "t7", "state": "done", "owner": "ann"}])

    assert text == "t7 done (rev 2) @ann; ready: t1-t6, t8-t40"


async def test_req_D8_a_concise_answer_keeps_what_the_next_call_needs_and_a_full_one_is_to_be_had() -> None:
    runtime, session = Runtime(shelf(["task_create", "task_update", "task_list"]).tools), Session()
    await said(runtime, session, "task_create", tasks=[{"title": "mend", "note": "a long story " * 20}])

    concise, full = (
        await said(runtime, session, "task_list"),
        await said(runtime, session, "task_list", detail="full"),
    )

    assert "long story" not in concise
    assert "detail=full" in concise
    assert "long story" in full
    row = next(line for line in concise.splitlines() if line.startswith("t1"))
    identity, _, revision, *_ = row.split()
    update = {"id": identity, "revision": int(revision.strip("r:")), "state": "done"}
    assert (await said(runtime, session, "task_update", updates=[update])).startswith("t1 done (rev 2)")
