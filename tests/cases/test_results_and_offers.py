"""Reports against other tool layers: a result over every cap, and a set of tools that changes."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from hilt import Session, schema_tool
from hilt.adapters import anthropic
from hilt.results.counting import QUARTER_BYTES
from hilt.tools.artifact_read import artifact_read
from tests.kit import answered, runtime

ROWS = "\n".join(f"row {number}: {'value ' * 160}" for number in range(700))


def dump(arguments: Mapping[str, object]) -> str:
    return ROWS


def table(arguments: Mapping[str, object]) -> list[dict[str, object]]:
    return [{"number": number, "text": "value " * 160} for number in range(700)]


@pytest.mark.parametrize("function", [dump, table])
async def test_a_tool_without_pages_is_shown_in_part_and_its_rest_is_kept_b107(function: Any) -> None:
    foreign = schema_tool("rows", function, parameters={"type": "object"})
    of, session = runtime(foreign, artifact_read), Session()
    answer = await answered(of, "rows", "{}", session)

    cut, artifact = answer.result.truncation, answer.result.artifact
    assert cut is not None
    assert artifact is not None
    assert QUARTER_BYTES.count(answer.text) <= 10_000
    assert "row 0" in answer.text or '"number":0' in answer.text or "0 |" in answer.text
    assert cut.next == {}
    for advice in ("offset=", "limit=", "page=", "paginat"):
        assert advice not in answer.text
    assert cut.otherwise is not None
    whole, following = "", {"artifact": artifact.id}
    while following:
        page = await of.call(session, cut.otherwise.tool, following)
        whole += "".join(map(str, page.items))
        following = dict(page.truncation.next) if page.truncation else {}
    assert len(whole.encode()) == artifact.bytes
    assert all(f"{number}" in whole for number in (0, 350, 699))


async def test_without_a_reader_of_artifacts_none_is_advised_b107() -> None:
    answer = await answered(runtime(schema_tool("rows", dump, parameters={"type": "object"})), "rows")

    assert answer.result.truncation is not None
    assert answer.result.truncation.otherwise is None
    assert "artifact_read" not in answer.text


async def test_a_set_of_tools_that_changed_is_offered_and_answered_as_it_is_now_b112() -> None:
    first = schema_tool("t1", dump, parameters={"type": "object"}, description="The first.")
    second = schema_tool("t2", lambda _: "here", parameters={"type": "object"}, description="The second.")
    of, session = runtime(first), Session()
    assert [each["name"] for each in anthropic.offer(of, session)] == ["t1"]

    of.catalog.add(second)
    of.catalog.remove("t1")

    [offered] = anthropic.offer(of, session)
    assert "The second." in json.dumps(offered)
    assert "here" in (await answered(of, "t2", "{}", session)).text
    gone = await answered(of, "t1", "{}", session)
    assert gone.result.failure is not None
    assert gone.result.failure.problem == "the tool 't1' is no longer offered"

    of.catalog.add(first)
    assert not (await answered(of, "t1", "{}", session)).result.is_error
