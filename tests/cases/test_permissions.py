"""Reports against permission rules of other harnesses: wrappers, allow over deny, linked roots, options as names."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hilt import Runtime, Session
from hilt.calls.answer import Answer
from hilt.policy.matching import World
from hilt.policy.policy import Policy
from hilt.policy.presets import Preset
from hilt.policy.rules import Rule
from hilt.review.people import Question, Reply
from hilt.tools.edit_file import edit_file
from hilt.tools.move_path import move_path
from hilt.tools.read_file import read_file
from hilt.tools.remove_path import remove_path
from hilt.tools.run_command import run_command
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from hilt.workspace.processes import Processes
from tests.kit import answered

TOOLS = (run_command, read_file, write_file, edit_file, move_path, remove_path)
PUSHES = Rule(word="deny", commands=("git push",), name="nothing is pushed")


class Refusing:
    """A person who is asked, and says no."""

    def __init__(self) -> None:
        self.asked = list[Question]()

    @property
    def reachable(self) -> Any:
        return "now"

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return Reply(word="reject")


class Desk:
    """A runtime of the shelf's tools on one root, under rules."""

    def __init__(self, root: Path, rules: tuple[Rule, ...], preset: Preset) -> None:
        self.workspace, self.processes, self.person = Workspace([root]), Processes(), Refusing()
        roots = tuple(str(each) for each in self.workspace.roots)
        self.runtime = Runtime(
            TOOLS,
            policy=Policy(preset=preset, rules=rules, world=World(roots=roots)),
            parts={Workspace: self.workspace, Processes: self.processes},
            resolver=self.workspace,
            person=self.person,
        )
        self.session = Session()

    async def call(self, tool: str, **arguments: object) -> Answer:
        return await answered(self.runtime, tool, json.dumps(arguments), self.session)


@asynccontextmanager
async def desk(root: Path, *rules: Rule, preset: Preset = "workspace") -> AsyncGenerator[Desk, None]:
    made = Desk(root, rules, preset)
    try:
        yield made
    finally:
        await made.processes.close()
        await made.runtime.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "env X=1 git push",
        "timeout 5 git push",
        "xargs git push",
        "{ git push; }",
        "$(echo git) push",
        "bash -c 'git push'",
        "ls\ngit push",
        "git -C . push",
        "nohup nice git push &",
        "python3 -c 'import os; os.system(\"git push\")'",
    ],
)
async def test_no_wrapper_takes_a_forbidden_command_past_its_rule(root: Path, command: str) -> None:
    """Report B82: whatever is around it, it is refused by the rule or put to a person, and does not run."""
    everything = Rule(word="allow")
    async with desk(root, PUSHES, everything) as made:
        answer = await made.call("run_command", command=f"{command}; touch ran")

    assert answer.result.denied is not None
    assert answer.result.denied.rule == PUSHES.name or made.person.asked
    assert not (root / "ran").exists()


@pytest.mark.parametrize("first", ["allow", "deny"])
async def test_a_deny_wins_over_the_same_allow_and_is_answered_as_a_result_b83(root: Path, first: str) -> None:
    rules = [Rule(word="allow", commands=("touch",)), Rule(word="deny", commands=("touch",), name="no touching")]
    async with desk(root, *(rules if first == "allow" else reversed(rules))) as made:
        answer = await made.call("run_command", command="touch new")

    denied = answer.result.denied
    assert denied is not None
    assert (denied.by, denied.rule) == ("rule", "no touching")
    assert made.person.asked == []
    assert not (root / "new").exists()


@pytest.mark.parametrize("spelled", ["link", "real"])
async def test_a_root_that_is_a_link_is_reached_by_either_spelling_b85(
    tmp_path: Path, root: Path, spelled: str
) -> None:
    (tmp_path / "link").symlink_to(root)
    async with desk(tmp_path / "link", Rule(word="deny", paths=("secret",))) as made:
        place = tmp_path / "link" if spelled == "link" else root
        read = await made.call("read_file", path=str(place / "a.txt"))
        written = await made.call("write_file", path=str(place / "new.txt"), content="x")
        refused = await made.call("read_file", path=str(place / "secret"))
        outside = await made.call("read_file", path=str(tmp_path / "other"))

    assert "one" in read.text
    assert written.result.status == "success"
    assert (root / "new.txt").read_text() == "x"
    assert [each.result.denied and each.result.denied.by for each in (refused, outside)] == ["rule", "rule"]


@pytest.mark.parametrize(
    "command",
    [
        "git diff --output={out}/pwned",
        "git branch -f x --output={out}/pwned",
        "git -C {out} log",
        "git log > {out}/pwned",
    ],
)
async def test_an_option_or_a_folder_of_git_leads_nowhere_else(root: Path, tmp_path: Path, command: str) -> None:
    """Report B86: an option in the place of a name, and a repository outside, are put to a person, who says no."""
    outside = tmp_path / "outside"
    outside.mkdir()
    async with desk(root) as made:
        answer = await made.call("run_command", command=command.format(out=outside))

    assert answer.result.denied is not None
    assert list(outside.iterdir()) == []


async def test_without_any_root_known_nothing_is_read_or_written(root: Path) -> None:
    """Report B86: no restriction that was given is no leave."""
    runtime = Runtime(TOOLS)

    for tool, arguments in (
        ("write_file", {"path": str(root / "b"), "content": "x"}),
        ("run_command", {"command": "touch b"}),
    ):
        assert (await answered(runtime, tool, json.dumps(arguments))).result.denied is not None
    assert not (root / "b").exists()


@pytest.mark.parametrize("preset", ["read-only", "workspace", "unattended"])
async def test_every_writer_goes_through_one_gate_that_fails_closed_b89(
    root: Path, tmp_path: Path, preset: Preset
) -> None:
    out, here = tmp_path / "out", str(root / "a.txt")
    async with desk(root, Rule(word="allow", tools="*_*"), preset=preset) as made:
        await made.call("read_file", path=here)
        answers = [
            await made.call("write_file", path=str(out), content="x"),
            await made.call("move_path", source=here, destination=str(out)),
            await made.call("edit_file", path=str(out), edits=[{"find": "a", "replace": "b"}]),
            await made.call("remove_path", path=str(tmp_path)),
        ]

    assert all(each.result.is_error for each in answers), [each.text for each in answers]
    assert not out.exists()
    assert (root / "a.txt").read_text() == "one\n"
    async with desk(root, preset=preset) as made:
        redirected = await made.call("run_command", command=f"echo x > {out}")
    assert redirected.result.denied is not None
    assert not out.exists()
