import os
from pathlib import Path

import pytest

from hilt import Session
from hilt.calls.artifacts import Artifacts
from hilt.store import MemoryStore
from hilt.workspace.code.written import DEEPEST, MOST_SEEN, Kept, Source, keep_written, look

pytestmark = pytest.mark.anyio


async def kept(folder: Path, *, goes_on: bool = False) -> Kept:
    artifacts = Artifacts(MemoryStore())
    source = Source(folder=folder, known={}, goes_on=goes_on)
    return await keep_written(source, artifacts, Session(), lambda head, size: head.startswith(b"P") and size < 100)


def test_only_what_is_new_or_changed_since_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = look(tmp_path, {})
    (tmp_path / "b").write_text("2")
    (tmp_path / "a").write_text("longer")
    second = look(tmp_path, first.known)
    assert [each.name for each in first.files] == ["a"]
    assert [each.name for each in second.files] == ["a", "b"]
    assert look(tmp_path, second.known).files == ()


def test_compiled_modules_are_nobodys_files(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "m.pyc").write_bytes(b"x")
    assert look(tmp_path, {}).files == ()


async def test_a_folder_too_deep_or_too_full_is_told(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijk"[: DEEPEST + 1])
    deep.mkdir(parents=True)
    (deep / "lost").write_text("x")
    notes = (await kept(tmp_path)).notes
    assert len(notes) == 1
    assert f"{DEEPEST} folders deep" in notes[0]
    full = tmp_path / "full"
    full.mkdir()
    for number in range(MOST_SEEN + 1):
        os.symlink("x", full / str(number))  # noqa: PTH211  # as fast as can be
    assert not look(full, {}).whole


async def test_a_name_that_is_no_text_is_shown_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff\nb")).write_text("x")
    assert [each["name"] for each in (await kept(tmp_path)).files] == ["a\\xff\\x0ab"]


async def test_only_wanted_content_is_handed_back_and_a_copy_leaves_nothing_behind(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "p").write_bytes(b"P1")
    (files / "q").write_bytes(b"P" * 100)
    (files / "r").write_bytes(b"R")
    for goes_on in (False, True):
        found = await kept(files, goes_on=goes_on)
        assert found.contents == [b"P1"]
        assert [each["bytes"] for each in found.files] == [2, 100, 1]
    assert os.listdir(tmp_path) == ["files"]  # noqa: PTH208  # a list says what is there


async def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    found = await kept(tmp_path / "gone")
    assert found.files == []
    assert found.notes == ["the scratch folder was removed or replaced: nothing that was in it is handed out"]
