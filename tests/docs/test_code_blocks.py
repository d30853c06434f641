"""Every Python block a reader could copy runs, in the order of its page.

A block that cannot run here has `<!-- not run -->` on the line before it. Examples in docstrings run too.
"""

import doctest
import importlib
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

from tests.gates.source import ROOT, modules

PAGES = [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
NOT_RUN = "<!-- not run -->"
EXAMPLES = [module.path for module in modules() if ">>> " in module.text]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    document = Sybil(parsers=[PythonCodeBlockParser()], path=str(ROOT)).parse(page)

    for example in document.examples():
        if not document.text[: example.start].rstrip().endswith(NOT_RUN):
            example.evaluate()


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_examples_in_a_module_hold(path: str) -> None:
    name = ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")
    failed, tried = doctest.testmod(importlib.import_module(name), verbose=False)

    assert (failed, tried > 0) == (0, True)
