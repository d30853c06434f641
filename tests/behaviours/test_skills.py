"""Promises about skills, driven from outside."""

import json
from pathlib import Path

import anyio
import pytest

from hilt import ToolCall
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.declarations.description import Environment


def write(folder: Path, name: str, description: str, body: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: {description}\n---\n{body}", encoding="utf-8"
    )


def opened(folder: Path, *settings: str) -> Assembled:
    given = ('shelf=["use_skill"]', "store.where=memory", *settings)
    return open_runtime(folder, config=read_config(folder, settings=given))


async def used(assembled: Assembled, **arguments: object) -> str:
    call = ToolCall(name="use_skill", arguments=json.dumps(arguments))
    return (await assembled.runtime.answer_one(assembled.session, call)).text


async def test_req_B11_req_H7_skills_are_one_line_each_until_used_and_the_nearest_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "state"))
    project = tmp_path / "project"
    project.mkdir()
    assert "use_skill" not in opened(project).runtime.catalog.by_name

    write(tmp_path / "home" / ".agents" / "skills", "pdf", "Fill in forms", "the user's way")
    write(tmp_path / "home" / ".agents" / "skills", "rows", "Sort rows", "sorted")
    write(project / ".agents" / "skills", "pdf", "Fill in our forms", "the project's way")

    async with opened(project, f'skills.trusted=["{project}"]') as assembled:
        declared = assembled.runtime.catalog.by_name["use_skill"].declaration.text(Environment())
        assert declared.splitlines()[1:] == ["- pdf: Fill in our forms", "- rows: Sort rows"]
        text = await used(assembled, name="pdf", arguments={"to": "$(id) 'x'"})
        assert "the project's way" in text
        assert "the skill pdf in" in assembled.notes[0]
        path = anyio.Path(text.split("arguments are in ")[1].split(";")[0])
        assert json.loads(await path.read_text(encoding="utf-8")) == {"to": "$(id) 'x'"}
        assert (await path.stat()).st_mode & 0o777 == 0o600

    async with opened(project) as strange:
        assert "the user's way" in await used(strange, name="pdf")
        assert f"skills of {project} are not loaded (pdf): it is not trusted" in strange.notes[0]
