"""Whoever follows `next` of `read_file` reads everything once, whatever the file is made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from hilt import Runtime, Session, ToolCall
from hilt.calls.call import Turn
from hilt.results.cutting import Budget
from hilt.tools.read_file import LINE_BYTES, PAGE_BYTES, read_file
from hilt.workspace import Workspace
from tests.needs import need


def written(folder: Path, content: bytes) -> str:
    path = folder / "f"
    path.write_bytes(content)
    return str(path)


async def following(root: Path, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The items of all pages."""
    workspace = Workspace([root])
    runtime = Runtime(tools=[read_file], parts={Workspace: workspace}, resolver=workspace)
    found: list[Any] = []
    following: dict[str, Any] | None = arguments
    while following is not None:
        result = await runtime.call(Session(), "read_file", following)
        assert result.artifact is None
        found += result.items
        following = dict(result.truncation.next) if result.truncation else None
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("limit", [None, 1, 3])
async def test_following_next_gives_every_line_once_whatever_its_length_and_encoding(
    tmp_path: Path, encoding: str, limit: int | None
) -> None:
    long = (0, 3, LINE_BYTES - 1, LINE_BYTES, LINE_BYTES + 1, 3 * PAGE_BYTES, 5, PAGE_BYTES, 1)
    lines = ["中文的文件内容", *("é中🦊 x"[number % 5] * length for number, length in enumerate(long)), "the end"]
    path = written(tmp_path, "\r\n".join(lines).encode(encoding))
    read: dict[int, str] = {}
    for item in await following(tmp_path, {"path": path} | ({} if limit is None else {"limit": limit})):
        assert item.get("column", 0) == 0 or item["line"] in read
        assert item["line"] >= max(read, default=1)  # nothing twice
        read[item["line"]] = read.get(item["line"], "") + item["text"]

    assert [read[number] for number in sorted(read)] == lines


async def test_bytes_that_are_no_text_count_as_what_is_shown_of_them(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n" * 40_000 + b"\xe9\x80" * PAGE_BYTES)
    items = await following(tmp_path, {"path": path, "offset": 40_001})

    assert max(len(item["text"]) for item in items) <= PAGE_BYTES
    assert "".join(item["text"] for item in items) == "\\xe9\\x80" * PAGE_BYTES


async def test_pages_of_a_pdf_that_a_turns_budget_cut_off_are_gone_on_from(tmp_path: Path) -> None:
    need("pypdfium2", "it reads the pages")
    from tests.unit.documents.test_pdf import pdf  # it skips its module where the reader is missing

    path = tmp_path / "d.pdf"
    path.write_bytes(pdf(*(f"page {number} {'word ' * 60}" for number in range(1, 10))))
    workspace = Workspace([tmp_path])
    runtime = Runtime(
        tools=[read_file], parts={Workspace: workspace}, resolver=workspace, turn_budget=Budget(tokens=1_000)
    )
    wanted = [{"path": str(path), "pages": "2-9"}, {"path": str(path)}]
    calls = [ToolCall(name="read_file", arguments=json.dumps(each), id=str(n)) for n, each in enumerate(wanted)]
    for answer, first in zip(await runtime.answer(Session(), Turn(id="t", calls=tuple(calls))), (2, 1), strict=True):
        cut = answer.result.truncation
        assert cut is not None
        seen: list[Any] = [*answer.result.items]
        assert len(seen) < 8
        seen += await following(tmp_path, dict(cut.next))
        assert [item["page"] for item in seen] == list(range(first, 10))
