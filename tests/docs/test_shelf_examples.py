"""What the page of the shelf says a model reads is what it reads: each example is made again."""

import json
import re
from pathlib import Path

import pytest
from anyio import fail_after
from openpyxl import Workbook

from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.shelf import NAMES
from hilt.store import open_store
from tests.gates.source import ROOT

SHOWN_FOLDER = "/home/me/project"
EXAMPLE = re.compile(r"^(\w+) (\{[^\n]*\})\n\n(.*?)(?=\n\n\w+ \{|\n```)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```text\n.*?^```", re.DOTALL | re.MULTILINE)
RANDOM = re.compile(r"artifact_[a-z0-9]{8}")
BEFORE: dict[str, list[tuple[str, dict[str, object]]]] = {
    "edit_notebook": [("read_file", {"path": f"{SHOWN_FOLDER}/plot.ipynb"})],
    "command_output": [
        ("run_command", {"command": "read n; echo hello $n", "tty": True, "background": True}),
        ("command_input", {"job": "job_2", "text": "ann\n"}),
    ],
}
"""Calls that an example of this tool follows, and that its page leaves out."""


@pytest.mark.parametrize(("page", "least"), [("tools.md", 10), ("skills.md", 2)])
async def test_every_example_of_the_shelf_reads_as_its_page_says(page: str, least: int, tmp_path: Path) -> None:
    project = _project(tmp_path)
    settings = read_config(project, settings=[f"skills.trusted={project}"])
    examples = [found for block in BLOCK.findall(_page(page)) for found in EXAMPLE.findall(block)]
    async with open_runtime(project, config=settings, store=open_store("memory")) as assembled:
        for name, arguments, expected in examples:
            for earlier, given in BEFORE.get(name, []):
                await _answer(assembled, project, earlier, json.dumps(given))
            said = await _answer(assembled, project, name, arguments)

            assert RANDOM.sub("artifact_", said).rstrip("\n") == RANDOM.sub("artifact_", expected)
    assert len(examples) >= least


def test_every_tool_of_the_shelf_has_its_place_on_its_page_and_on_the_first_one() -> None:
    for page in ("docs/tools.md", "README.md", "README.zh-CN.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert [name for name in NAMES if f"`{name}`" not in text and f"## {name}\n" not in text] == [], page


async def _answer(assembled: Assembled, project: Path, name: str, arguments: str) -> str:
    with fail_after(60):
        answer = await assembled.runtime.answer_one(
            assembled.session, name, arguments.replace(SHOWN_FOLDER, str(project)), approved=True
        )
    return answer.text.replace(str(project), SHOWN_FOLDER)


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def _example_skill() -> str:
    """The skill that the page of skills shows."""
    return _page("skills.md").partition("```markdown\n")[2].partition("\n```")[0]


def _project(folder: Path) -> Path:
    """The folder that the examples of the page were made in."""
    project = folder / "project"
    (project / "src" / "new" / "deep").mkdir(parents=True)
    (project / "src" / "new" / "deep" / "x.py").write_text("x = 1\n")
    (project / "src" / "app.py").write_text(
        'import os\n\n\ndef port():\n    return int(os.environ.get("PORT", 8000))\n'
    )
    (project / "src" / "two.py").write_text("A = 1\nA = 1\n")
    skill = project / ".agents" / "skills" / "release"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_text(f"{_example_skill()}\n")
    (skill / "references" / "tags.md").write_text("Tags are v1.2.3.\n")
    cell = {"cell_type": "code", "id": "c1", "execution_count": 1, "metadata": {}, "source": ["print(1)"]}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "plot.ipynb").write_text(json.dumps(book))
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Sales"
    sheet.append(["month", "units", "price", "sum"])
    sheet.append(["May", 3, 2.5, "=B2*C2"])
    sheet["C2"].number_format = '0.00 "EUR"'
    workbook.create_sheet("Notes")
    workbook.save(project / "sales.xlsx")
    return project
