"""One road for every call: the same steps, one answer each, failures in their class, nothing twice, people asked."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import pytest

from hilt import (
    Aborted,
    Context,
    EnvironmentFailure,
    InvalidArguments,
    Param,
    Retryable,
    Runtime,
    Session,
    ToolCall,
    ToolFailure,
    schema_tool,
    tool,
)
from hilt.calls.events import MemoryTrace
from hilt.review.people import Question, Reply
from hilt.store.memory import MemoryStore
from hilt.store.sql import SqlStore
from hilt.tools.artifact_read import artifact_read
from hilt.tools.find_files import find_files
from hilt.tools.find_tools import find_tools
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from hilt.workspace import Workspace
from tests.kit import acting, answered, perceiving, runtime, turn

ROAD = ["resolve", "decode", "validate", "decide", "execute", "verify", "answer"]
ran: list[object] = []


@tool(**perceiving())
async def own(n: Annotated[int, Param("n")] = 1) -> str:
    return "own"


async def test_req_A3_every_tool_takes_the_same_steps_in_the_same_order(tmp_path: Path) -> None:
    """Built-in, the host's own, somebody else's with its schema, deferred: no tool has another way."""
    world, trace = Workspace([tmp_path]), MemoryTrace()
    foreign = schema_tool("foreign", lambda given: "x", parameters={"type": "object"}, kind="perceive")
    later = tool(name="later", **perceiving(deferred=True))(own.function)
    of = runtime(own, foreign, later, find_files, trace=trace, parts={Workspace: world}, resolver=world)
    session = Session()

    await answered(of, "later", session=session)
    for name, text in (
        ("own", "{}"),
        ("foreign", "{}"),
        ("later", "{}"),
        ("find_files", json.dumps({"pattern": "*", "path": str(tmp_path)})),
    ):
        before = len(trace)
        assert not (await answered(of, name, text, session)).result.is_error
        steps = [each.step for each in list(trace)[before:] if each.step != "progress"]
        assert steps == ROAD


async def test_req_A3_validation_comes_before_policy_and_policy_before_the_tool() -> None:
    trace = MemoryTrace()
    of = Runtime([tool(**acting(name="send", effects={"does": "send"}))(own.function)], trace=trace)

    await answered(of, "send", '{"n": "1"}')
    await answered(of, "send", '{"n": 1}')

    assert [each.step for each in trace] == [
        "resolve",
        "answer",
        "resolve",
        "decode",
        "validate",
        "decide",
        "review",
        "answer",
    ]


ENDINGS: dict[str, Callable[[], BaseException]] = {
    "raises": lambda: KeyError("x"),
    "exits": lambda: SystemExit(1),
    "fails": lambda: EnvironmentFailure("gone", "look"),
    "aborts": lambda: Aborted("ended", "look"),
}


async def test_req_A4_each_call_has_exactly_one_result_in_call_order_whatever_happened() -> None:
    @tool(**acting(timeout_s=0.02, parallel=True))
    async def end(how: Annotated[str, Param("how")]) -> str:
        if how == "hangs":
            await anyio.sleep_forever()
        if how in ENDINGS:
            raise ENDINGS[how]()
        return how if how != "wrong" else 3  # type: ignore[return-value]  # a wrong shape

    ways = ["raises", "fine", "hangs", "exits", "wrong", "fails", "aborts", "fine"]
    calls = [ToolCall(name="end", arguments=json.dumps({"how": way}), id=str(n)) for n, way in enumerate(ways)]
    broken = ToolCall(name="end", arguments='{"how": "fi', id="cut")
    with anyio.fail_after(5):
        answers = await runtime(end).answer(Session(), turn(*calls, broken, ToolCall(name="nobody", id="n")))

    assert [each.call.id for each in answers] == [*map(str, range(8)), "cut", "n"]
    assert [each.result.status.value for each in answers] == [
        "error", "success", "error", "error", "error", "error", "error", "success", "error", "error",
    ]  # fmt: skip


async def test_req_A7_whatever_a_model_writes_is_answered_and_the_session_lives_on() -> None:
    of, session = runtime(own), Session()
    for text in ("", "[]", '{"n":', '{"n":1}{"n":2}', "\ud800", '{"n":' + "[" * 9_000, '{"m":1}', "NaN", '{"n":1e999}'):
        result = (await answered(of, "own", text, session)).result
        assert result.failure is not None
        assert result.failure.kind == "invalid_arguments"
    assert (await answered(of, "no such tool", session=session)).result.failure is not None
    assert (await answered(of, "own", session=session)).text == "own"


CLASSES: dict[str, tuple[Callable[[], Exception], str]] = {
    "retryable": (lambda: Retryable("busy", "try", retry_after_s=3), "error (retryable): busy\nwait 3 s\nnext: try"),
    "invalid_arguments": (lambda: InvalidArguments("n=1", "n=2"), "error (invalid_arguments): n=1\nnext: n=2"),
    "environment": (lambda: EnvironmentFailure("no disk", "x", "y"), "error (environment): no disk\nnext: x; or: y"),
    "aborted": (lambda: Aborted("ended", "look"), "error (aborted, outcome unknown): ended\nnext: look"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CLASSES)
async def test_req_E1_each_class_of_failure_is_told_with_the_way_on(kind: str) -> None:
    made, text = CLASSES[kind]

    @tool(**perceiving())
    def fail() -> str:
        raise made()

    answer = await answered(runtime(fail), "fail")

    assert answer.text == text
    assert answer.result.failure is not None
    assert answer.result.failure.kind == kind


async def test_req_E1_only_an_idempotent_tool_is_repeated_as_often_as_declared_and_told() -> None:
    tries: list[int] = []

    @tool(**perceiving(repeats=1))
    def shaky() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise Retryable("busy", "wait", retry_after_s=0)
        return "through"

    assert (await answered(runtime(shaky), "shaky")).text == "through\nnote: repeated after: busy"
    with pytest.raises(Exception, match="only an idempotent tool may be repeated"):
        tool(**acting(repeats=1))(shaky.function)


async def test_req_E2_no_next_step_names_a_tool_that_is_not_offered(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n" * 9_000)
    world, path = Workspace([tmp_path]), str(tmp_path / "a.txt")
    for tools in ([read_file], [read_file, search_code, artifact_read]):
        of = Runtime(tools, parts={Workspace: world}, resolver=world)
        for arguments in (
            {"path": path, "offset": 99_999},
            {"path": path + "x"},
            {"path": str(tmp_path)},
            {"path": path},
        ):
            text = (await answered(of, "read_file", json.dumps(arguments))).text
            assert {name for name in ("search_code", "find_files", "artifact_read") if name in text} <= {
                each.name for each in tools
            }


@pytest.mark.parametrize(("idempotent", "outcome"), [(True, "not_started"), (False, "unknown")])
async def test_req_E5_a_call_cut_midway_is_safe_or_to_be_verified_by_declared_idempotency(
    idempotent: bool, outcome: str
) -> None:
    @tool(**acting(idempotent=idempotent, timeout_s=0.02))
    async def hang(ctx: Context) -> str:
        ctx.did("created /tmp/a")
        await anyio.sleep_forever()
        return ""

    with anyio.fail_after(5):
        result = (await answered(runtime(hang), "hang")).result

    assert result.failure is not None
    assert (result.failure.kind, result.failure.outcome) == ("aborted", outcome)
    assert "done by then: created /tmp/a" in result.failure.problem


async def test_req_F1_shape_is_checked_before_anything_runs_and_nothing_is_corrected() -> None:
    @tool(**acting())
    def strict(
        n: Annotated[int, Param("n", ge=1, le=9)],
        state: Annotated[Literal["on", "off"], Param("state")] = "on",
        name: Annotated[str, Param("name", pattern="^[a-z]+$", max_length=5)] = "a",
    ) -> str:
        ran.append((n, state, name))
        return "ok"

    ran.clear()
    for text in (
        '{"n": 0}',
        '{"n": "1"}',
        '{"n": 1.5}',
        '{"n": true}',
        '{"n": 1, "state": "ON"}',
        '{"n": 1, "name": "A"}',
        '{"n": 1, "name": "abcdef"}',
        '{"n": 1, "name": " a"}',
    ):
        assert (await answered(runtime(strict), "strict", text)).result.failure is not None
    assert ran == []


async def test_req_F6_a_turn_presented_again_runs_nothing_twice_also_after_a_restart(tmp_path: Path) -> None:
    @tool(**acting(effects={"does": "spend", "irreversible": True}))
    def pay(n: Annotated[int, Param("n")]) -> str:
        ran.append(n)
        return f"paid {n}"

    ran.clear()
    session, calls = Session(id="s"), (("pay", '{"n": 1}'), ("pay", '{"n": "x"}'))
    texts: list[list[str]] = []
    for _ in range(3):
        of = runtime(pay, store=SqlStore(tmp_path / "hilt.db"))
        texts.append([each.text for each in await of.answer(session, turn(*calls, id="one"))])
        (later,) = await of.answer(session, turn(("pay", '{"n": 1}'), id="two"))
        assert "already ran at" in later.text
        await of.close()

    assert texts[0] == texts[1] == texts[2]
    assert ran == [1]


class Someone:
    """A person who can be asked now, or later."""

    def __init__(self, reachable: Literal["now", "later"], word: Literal["approve", "reject"] = "approve") -> None:
        self.reachable: Literal["now", "later"] = reachable
        self.word: Literal["approve", "reject"] = word

    async def ask(self, question: Question) -> Reply:
        return Reply(word=self.word)


async def test_req_F16_a_person_is_waited_for_asked_later_or_nobody_is_there() -> None:
    @tool(**acting(effects={"does": "send"}))
    def send() -> str:
        ran.append("sent")
        return "sent"

    ran.clear()
    now = await Runtime([send], person=Someone("now")).call(Session(), "send", {})
    refused = await Runtime([send], person=Someone("now", "reject")).call(Session(), "send", {})
    nobody = await Runtime([send]).call(Session(), "send", {})
    of, session = Runtime([send], person=Someone("later"), store=MemoryStore()), Session()
    pending = await of.call(session, "send", {})

    assert now.items == ("sent",)
    assert refused.denied is not None
    assert refused.denied.by == "person"
    assert nobody.denied is not None
    assert nobody.denied.by == "nobody_to_ask"
    assert "let a person be asked" in nobody.denied.next_steps[0]
    assert "rule" in nobody.denied.next_steps[1]
    assert ran == ["sent"]
    assert pending.pending is not None
    assert (await of.decide_pending(session, pending.pending.handle, approve=True)).result.items == ("sent",)
    assert ran == ["sent", "sent"]


async def test_req_G2_a_deferred_tool_is_loaded_by_its_first_call_and_the_others_bytes_stay() -> None:
    later = tool(**perceiving(deferred=True, name="later"))(own.function)
    of, session = runtime(own, later, find_tools), Session()
    before = of.offer(session)

    shown = await answered(of, "later", '{"n": 1}', session)
    after = of.offer(session)

    assert '"n":{"type":"integer"' in shown.text
    assert [each.declaration.name for each in before] == ["own", "find_tools"]
    assert after[:2] == before
    assert after[2].declaration.name == "later"
    assert (await answered(of, "later", '{"n": 1}', session)).text == "own"


def test_req_A8_without_a_store_nothing_is_kept_and_no_file_is_made(tmp_path: Path) -> None:
    program = (
        "import anyio\nfrom hilt import Runtime, Session, tool\n"
        "@tool(kind='perceive', limit=1)\ndef look() -> str:\n    'Look.'\n    return 'seen'\n"
        "print(anyio.run(Runtime([look]).call, Session(), 'look', {}).summary)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"HILT_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "seen\n"
    assert list(tmp_path.iterdir()) == []


def test_req_B1_req_E2_every_class_of_failure_can_be_raised_from_the_porch() -> None:
    for failure in (Retryable, InvalidArguments, EnvironmentFailure, Aborted):
        made: Any = failure("what is", "what to do")
        assert isinstance(made, ToolFailure)
        with pytest.raises(ValueError, match="one or two next steps"):
            failure("nothing to do")
