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
from tests.fakes.web_site import reply, web_site
from tests.gates.source import ROOT
from tests.needs import need

SHOWN_FOLDER = "/home/me/project"
EXAMPLE = re.compile(r"^(\w+) (\{[^\n]*\})\n\n(.*?)(?=\n\n\w+ \{|\n```)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```text\n.*?^```", re.DOTALL | re.MULTILINE)
RANDOM = re.compile(r"artifact_[a-z0-9]{8}")
SHOWN_PORT = "8899"
GUIDE = """<html lang="en"><head><title>Guide</title><meta name="description" content="How to install"></head><body>
<nav><a href="/">Home</a></nav><main><h1>Guide</h1>
<p>This guide says how the program is installed and how it is used on your own machine, with examples.</p>
<h2>Install</h2><p>Run the <a href="https://example.org/install.sh">script</a> and answer what it asks.
It needs a shell and some minutes.</p><pre><code>sh install.sh</code></pre>
<h2>Use</h2><p>Call it by its name with a file. It prints what it found, a line each.</p>
<table><tr><th>option</th><th>does</th></tr><tr><td>-q</td><td>quiet</td></tr></table></main></body></html>
"""
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
    need("bwrap", "a page shows what isolates a command")
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


async def test_every_example_of_the_web_reads_as_its_page_says(tmp_path: Path) -> None:
    modified = "Mon, 30 Nov 2026 21:19:36 GMT"
    guide = reply(GUIDE.encode(), content_type="text/html", last_modified=modified)
    async with web_site({"/guide.html": guide}) as site:
        opened = ["store.where=memory", f'web.allow_hosts=["localhost:{site.port}"]']
        open_web = open_runtime(tmp_path, config=read_config(tmp_path, settings=opened))
        closed_web = open_runtime(tmp_path, config=read_config(tmp_path, settings=opened[:1]))
        async with open_web, closed_web:
            await _answer(open_web, tmp_path, "fetch_page", json.dumps({"url": site.url("/guide.html", "localhost")}))
            examples = [found for block in BLOCK.findall(_page("web.md")) for found in EXAMPLE.findall(block)]
            for name, arguments, expected in examples:
                web = closed_web if expected.startswith("denied") else open_web
                said = await _answer(web, tmp_path, name, arguments.replace(SHOWN_PORT, str(site.port)))

                for line in expected.removesuffix("\n...").splitlines():
                    assert line in said.replace(str(site.port), SHOWN_PORT).splitlines()
    assert len(examples) >= 4


def test_every_tool_of_the_shelf_has_its_place_on_its_page_and_on_the_first_one() -> None:
    for page in ("docs/tools.md", "README.md", "README.zh-CN.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert [name for name in NAMES if f"`{name}`" not in text and f"## {name}\n" not in text] == [], page


async def _answer(assembled: Assembled, project: Path, name: str, arguments: str) -> str:
    assembled.runtime.declare(assembled.session, [name])
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
