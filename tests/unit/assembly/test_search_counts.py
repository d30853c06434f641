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
FIRST = "queries"
"""The needs that the tables of words were made beside: 80 English, 40 Chinese."""
SECOND = Path(__file__).parents[3] / "benchmarks" / "tool_search_second.jsonl"
"""Those of somebody who had not seen the tables: 100 English, 50 Chinese."""
COUNTED = {
    (FIRST, "lexical"): {"en": (51, 72), "zh": (34, 39)},
    (FIRST, "static"): {"en": (50, 71), "zh": (36, 38)},
    (FIRST, "embed"): {"en": (53, 71), "zh": (37, 40)},
    (SECOND.stem, "lexical"): {"en": (53, 74), "zh": (29, 41)},
    (SECOND.stem, "static"): {"en": (55, 80), "zh": (32, 40)},
    (SECOND.stem, "embed"): {"en": (63, 84), "zh": (36, 43)},
}
"""Right at 1 and at 5."""


async def documents(shared: Path) -> Sequence[Document]:
    files = sorted(str(path) for path in (shared / "data" / "toolsets").glob("*.json") if path.stem != LEFT_OUT)
    listing = await list_targets(files)
    return [
        document(each.declaration, server=each.server, description=each.declaration.text(Environment()))
        for each in listing.tools
    ]


@pytest.mark.parametrize(("of", "engine"), [each for each in COUNTED if each[0] == FIRST or SECOND.exists()])
async def test_as_many_needs_find_their_tool_as_before(
    shared: Path, of: str, engine: str, record_property: Callable[[str, object], None]
) -> None:
    if engine == "embed":
        need("onnxruntime", "the extra embed runs its model by it")
    file = shared / "data" / "tool-search" / "queries.jsonl" if of == FIRST else SECOND
    needs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    tools = await documents(shared)
    index = Index(tools, meaning(engine))

    def right(lang: str, most: int) -> int:
        asked = [(index.find(each["query"]).places[:most], each["gold"]) for each in needs if each["lang"] == lang]
        return sum(
            any(f"{tools[place].server}/{tools[place].name}" in gold for place in found) for found, gold in asked
        )

    counts = {lang: (right(lang, 1), right(lang, 5)) for lang in ("en", "zh")}
    record_property("report", f"tool search, {of}, {engine}, right at 1 and 5: {counts}")

    lost = {
        f"{lang} at {most}": f"{now} of {before}"
        for lang, befores in COUNTED[of, engine].items()
        for most, now, before in zip((1, 5), counts[lang], befores, strict=True)
        if now < before - MOST_LOST
    }
    assert lost == {}
