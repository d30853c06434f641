"""The table of failures (req-E1): each situation of this release, its class, and what the model reads of it."""

import json
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest

from hilt import Aborted, EnvironmentFailure, Param, Ref, Retryable, Runtime, Session, ToolCall, tool
from hilt.calls.answer import Answer
from hilt.declarations.checks import ordered
from hilt.errors import StoreFull, StoreLocked
from hilt.policy.claims import LedgerClaim
from hilt.results.failures import Outcome
from hilt.store.memory import MemoryStore
from hilt.store.records import ClaimOutcome, Running, Unknown
from hilt.tools.artifact_read import artifact_read
from hilt.tools.find_files import find_files
from hilt.tools.move_path import move_path
from hilt.tools.read_file import read_file
from hilt.tools.remove_path import remove_path
from hilt.tools.search_code import search_code
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from tests.kit import EVERYTHING, acting, perceiving, turn


class Standing(MemoryStore):
    """A store in which every claim stands as one that another process took."""

    def __init__(self, outcome: type[Running] | type[Unknown]) -> None:
        super().__init__()
        self._outcome = outcome

    async def claim(self, claims: Sequence[LedgerClaim]) -> tuple[ClaimOutcome, ...]:
        return tuple(self._outcome(0.0, claim) for claim in claims)


class Unusable(MemoryStore):
    """A store whose disk or lock stands in the way."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    async def claim(self, claims: Sequence[LedgerClaim]) -> tuple[ClaimOutcome, ...]:
        raise self._error


@tool(**perceiving(checks=[ordered("low", "high")]))
def span(
    low: Annotated[int, Param("lowest", ge=0)] = 0,
    high: Annotated[int, Param("highest")] = 9,
    ticket: Annotated[str | None, Param("ticket"), Ref("ticket")] = None,
) -> list[str]:
    return []


def failing(what: Callable[[], Exception], **options: Any) -> Any:
    @tool(name="fail", **acting(**options))
    async def fail() -> str:
        raise what()

    return fail


def hanging(**options: Any) -> Any:
    @tool(name="hang", **acting(timeout_s=0.02, **options))
    async def hang() -> str:
        await anyio.sleep_forever()
        return "never"

    return hang


@tool(**acting(effects={"does": "spend", "irreversible": True}))
def pay() -> str:
    return "paid"


@tool(**acting())
def write() -> str:
    return "written"


@tool(name="lie", **perceiving())
def lie() -> str:
    return 3  # type: ignore[return-value]  # a return that breaks its schema


class Case:
    """One row: how the call is made, and what it must come to."""

    def __init__(self, name: str, expected: str, says: str, made: Callable[[Path], Awaitable[Answer]]) -> None:
        self.name, self.expected, self.says, self.made = name, expected, says, made


def one(of: Any, text: str = "{}", **options: Any) -> Callable[[Path], Awaitable[Answer]]:
    """A call of one tool, in a runtime whose host allows everything inside `folder`."""

    async def made(folder: Path) -> Answer:
        world = Workspace([folder])
        runtime = Runtime(
            [of],
            **{
                "policy": EVERYTHING,
                "parts": {Workspace: world},
                "resolver": world,
                "on_defect": lambda _: None,
                **options,
            },
        )
        return await runtime.answer_one(Session(), ToolCall(name=of.name, arguments=text.replace("$W", str(folder))))

    return made


def in_turn(of: Any, store: MemoryStore) -> Callable[[Path], Awaitable[Answer]]:
    async def made(folder: Path) -> Answer:
        return (await Runtime([of], store=store).answer(Session(), turn((of.name, "{}"))))[0]

    return made


async def unknown_name(folder: Path) -> Answer:
    return await Runtime([read_file]).answer_one(Session(), ToolCall(name="read_fiel"))


async def cancelled(folder: Path) -> Answer:
    runtime, session, answers = Runtime([failing(ValueError), hanging()], policy="unattended"), Session(), []
    slow = tool(name="slow", **perceiving(timeout_s=None))(_forever)
    runtime.catalog.add(slow)
    async with anyio.create_task_group() as group:

        async def call() -> None:
            answers.append(await runtime.answer_one(session, ToolCall(name="slow")))

        group.start_soon(call)
        while not runtime.running(session):
            await anyio.lowlevel.checkpoint()
        runtime.cancel(session, runtime.running(session)[0], by="the model")
    return answers[0]


async def _forever() -> str:
    await anyio.sleep_forever()
    return "never"


async def host_restarted(folder: Path) -> Answer:
    runtime, session = Runtime([write]), Session()
    return (await runtime.recover(session, turn(("write", "{}"))))[0]


async def repeated_act(folder: Path) -> Answer:
    runtime, session = Runtime([pay], policy=EVERYTHING), Session()
    await runtime.call(session, "pay", {})
    return await runtime.answer_one(session, "pay", {})


async def changed_since(folder: Path) -> Answer:
    world, session, path = Workspace([folder]), Session(), folder / "a.txt"
    runtime = Runtime([read_file, write_file], policy=EVERYTHING, parts={Workspace: world}, resolver=world)
    await runtime.call(session, "read_file", {"path": str(path)})
    path.write_text("another line\n")
    return await runtime.answer_one(session, "write_file", {"path": str(path), "content": "x"})


def writing(name: str) -> Callable[[Path], Awaitable[Answer]]:
    return one(write_file, json.dumps({"path": f"$W/{name}", "content": "x"}))


ONTO_ANOTHER = '{"source": "$W/bin", "destination": "$W/a.txt"}'
FULL = Unusable(StoreFull("the disk is full", "free some"))


def lacking() -> Exception:
    return EnvironmentFailure("no upstream", "take another")


def ended() -> Exception:
    return Aborted("ended", "look", outcome=Outcome.DONE)


CASES = [
    Case("broken JSON", "invalid_arguments", "incomplete", one(span, '{"low": 1')),
    Case("a missing argument", "invalid_arguments", "add path", one(read_file)),
    Case("a mistyped argument", "invalid_arguments", "expected integer", one(span, '{"low": "1"}')),
    Case("an unknown argument", "invalid_arguments", "use low instead", one(span, '{"lwo": 1}')),
    Case("an argument out of range", "invalid_arguments", ">= 0", one(span, '{"low": -1}')),
    Case("a reversed range", "invalid_arguments", "low <= high", one(span, '{"low": 10, "high": 1}')),
    Case("a bad pattern", "invalid_arguments", "pattern", one(search_code, '{"pattern": "(", "path": "$W"}')),
    Case("a bad glob", "invalid_arguments", "the pattern a[", one(find_files, '{"pattern": "a[", "path": "$W"}')),
    Case("an offset past the end", "invalid_arguments", "1 line", one(read_file, '{"path": "$W/a.txt", "offset": 99}')),
    Case("an unknown tool", "invalid_arguments", "did you mean read_file?", unknown_name),
    Case("an unknown id", "invalid_arguments", "stands for no ticket", one(span, '{"ticket": "ticket_9"}')),
    Case("an unknown artifact", "invalid_arguments", "no artifact", one(artifact_read, '{"artifact": "artifact_x"}')),
    Case("a file not read", "invalid_arguments", "not been read", writing("a.txt")),
    Case("a file changed since", "invalid_arguments", "call read_file on it again", changed_since),
    Case("a name taken", "invalid_arguments", "exists", one(move_path, ONTO_ANOTHER)),
    Case("a root to be removed", "invalid_arguments", "root", one(remove_path, '{"path": "$W", "recursive": true}')),
    Case("a folder that is not empty", "invalid_arguments", "recursive=true", one(remove_path, '{"path": "$W/full"}')),
    Case("a file to be written below a file", "environment", "is a file", writing("a.txt/x")),
    Case("a read-only file", "environment", "is read-only", writing("fixed")),
    Case("a path that is missing", "environment", "a.txt", one(read_file, '{"path": "$W/b.txt"}')),
    Case("not a regular file", "environment", "folder", one(read_file, '{"path": "$W"}')),
    Case("a binary file", "environment", "binary", one(read_file, '{"path": "$W/bin"}')),
    Case("a pipe", "environment", "pipe", one(read_file, '{"path": "$W/pipe"}')),
    Case("a full disk", "environment", "disk is full", in_turn(write, FULL)),
    Case("what the tool lacks", "environment", "no upstream", one(failing(lacking))),
    Case("a return that breaks its schema", "environment", "the tool lie is faulty", one(lie)),
    Case("a tool that raises", "environment", "it raised KeyError", one(failing(lambda: KeyError("x")))),
    Case("a rate limit", "retryable", "wait 30 s", one(failing(lambda: Retryable("busy", "x", retry_after_s=30)))),
    Case("a lock held", "retryable", "held by another", in_turn(write, Unusable(StoreLocked("locked", "wait")))),
    Case("running elsewhere", "retryable", "still running", in_turn(write, Standing(Running))),
    Case("a time limit", "aborted unknown", "time limit of 0.02 s", one(hanging())),
    Case("a time limit, idempotent", "aborted not_started", "time limit", one(hanging(idempotent=True))),
    Case("a cancel", "aborted not_started", "cancelled by the model", cancelled),
    Case("the host gone before it started", "aborted not_started", "never started", host_restarted),
    Case("the host gone in the middle", "aborted unknown", "check whether", in_turn(write, Standing(Unknown))),
    Case("ended by its own tool", "aborted done", "ended", one(failing(ended))),
    Case("outside the roots", "denied rule", "outside", one(read_file, '{"path": "/etc/passwd"}')),
    Case("a rule", "denied rule", "read-only", one(write, policy="read-only")),
    Case("nobody to ask", "denied nobody_to_ask", "let a person be asked", one(write, policy="workspace")),
    Case("an irreversible act again", "denied ledger", "already ran at", repeated_act),
    Case("nothing found", "success", "no items", one(span)),
    Case("no file found", "success", "no", one(find_files, '{"pattern": "*.zip", "path": "$W"}')),
    Case("no match found", "success", "no", one(search_code, '{"pattern": "zzz", "path": "$W"}')),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_situation_is_answered_in_its_class_with_the_way_on(case: Case, tmp_path: Path) -> None:
    (tmp_path / "fixed").touch(mode=0o444)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    (tmp_path / "a.txt").write_text("one line\n")
    (tmp_path / "bin").write_bytes(b"\0\1\2" * 100)
    os.mkfifo(tmp_path / "pipe")
    with anyio.fail_after(10):
        answer = await case.made(tmp_path)

    result = answer.result
    assert outcome(answer) == case.expected, answer.text
    assert case.says in answer.text
    steps = result.failure.next_steps if result.failure else result.denied.next_steps if result.denied else ("none",)
    assert 1 <= len(steps) <= 2
    assert all(steps)
    assert "Traceback" not in answer.text
    json.dumps(answer.text)


def outcome(answer: Answer) -> str:
    result = answer.result
    if result.failure is not None:
        ended = f" {result.failure.outcome}" if result.failure.kind == "aborted" else ""
        return f"{result.failure.kind}{ended}"
    return f"denied {result.denied.by}" if result.denied is not None else str(result.status)
