"""How many real needs find their tool among 714: exact counts, for every engine always answers the same."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hilt.assembly.meaning import meaning
from hilt.assembly.targets import list_targets
from hilt.catalog.finding import document
from hilt.catalog.ranking import Document, Index
from hilt.declarations.description import Environment
from tests.needs import need

LEFT_OUT = "agentdojo"
MOST_LOST = 3
"""Needs by which a count may fall; what moves that few is noise, what moves more is a fault."""
COUNTED = {
    "lexical": {"en": (51, 73), "zh": (34, 40)},
    "static": {"en": (50, 71), "zh": (35, 39)},
    "embed": {"en": (53, 71), "zh": (37, 40)},
}
"""Right at 1 and at 5, of 80 English and 40 Chinese needs."""


async def documents(shared: Path) -> Sequence[Document]:
    files = sorted(str(path) for path in (shared / "data" / "toolsets").glob("*.json") if path.stem != LEFT_OUT)
    listing = await list_targets(files)
    return [
        document(each.declaration, server=each.server, description=each.declaration.text(Environment()))
        for each in listing.tools
    ]


@pytest.mark.parametrize("engine", COUNTED)
async def test_as_many_needs_find_their_tool_as_before(
    shared: Path, engine: str, record_property: Callable[[str, object], None]
) -> None:
    if engine == "embed":
        need("onnxruntime", "the extra embed runs its model by it")
    tools = await documents(shared)
    index = Index(tools, meaning(engine))
    needs = [
        json.loads(line)
        for line in (shared / "data" / "tool-search" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ]

    def right(lang: str, most: int) -> int:
        asked = [(index.find(each["query"]).places[:most], each["gold"]) for each in needs if each["lang"] == lang]
        return sum(
            any(f"{tools[place].server}/{tools[place].name}" in gold for place in found) for found, gold in asked
        )

    counts = {lang: (right(lang, 1), right(lang, 5)) for lang in ("en", "zh")}
    record_property("report", f"tool search, {engine}, right at 1 and 5: {counts}")

    lost = {
        f"{lang} at {most}": f"{now} of {before}"
        for lang, befores in COUNTED[engine].items()
        for most, now, before in zip((1, 5), counts[lang], befores, strict=True)
        if now < before - MOST_LOST
    }
    assert lost == {}
