"""`read_file`: what a model reads of a file, and how it goes on."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from hilt.calls.context import Context
from hilt.calls.memos import Memos
from hilt.calls.session import Session
from hilt.documents.images import SHOWN_BYTES
from hilt.documents.png import png
from hilt.results.envelope import Limit, Status, ToolResult
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused
from hilt.results.parts import Image
from hilt.results.render import model_text
from hilt.runtime.runtime import Runtime
from hilt.store import MemoryStore
from hilt.tools.read_file import LINE_BYTES, LINES, PAGE_BYTES, PDF_PAGES, read_file, shown
from hilt.workspace import Workspace

PNG = png(b"\xff\0\0" * 12, 4, 3, stride=12)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(Session(), {Workspace: Workspace([tmp_path, Path("/proc")]), Memos: Memos(MemoryStore())})


def written(folder: Path, name: str, content: bytes) -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def text_of(result: ToolResult[Any]) -> str:
    """The whole text a model reads; the items are held to the declared return on the way."""
    items = read_file.returns.items_of(result.items)
    return model_text(replace(result, items=items), shown(items))


async def test_a_file_is_read_with_line_numbers_and_its_path_said_once(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    result = await read_file(ctx, written(tmp_path, "src/a.py", b"def f():\n\treturn 1\n"))

    assert text_of(result) == "src/a.py: 2 lines, 19 bytes\n1\tdef f():\n2\t\treturn 1"
    assert result.items == ({"line": 1, "text": "def f():"}, {"line": 2, "text": "\treturn 1"})
    assert not result.truncated


async def test_an_empty_file_is_a_success_without_a_numbered_row(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "empty", b""))

    assert (result.status, result.items) == (Status.SUCCESS, ())
    assert text_of(result) == "empty: 0 bytes, 0 lines"


async def test_an_offset_past_the_end_is_refused_with_the_length(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "notes.md", b"line\n" * 412)

    with pytest.raises(InvalidArguments) as caught:
        await read_file(ctx, path, offset=900)

    assert caught.value.problem == f"offset 900 is past the end: {path} has 412 lines"
    assert caught.value.next_steps == ("give an offset of at most 412",)


async def test_the_last_line_without_its_ending_is_read(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "f", b"a\nb\nc"), offset=3)

    assert text_of(result) == "f: line 3 of 3\n3\tc"


async def test_only_line_feeds_end_a_line(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "f", "l1\x0cx\nl2\u2028y\nl3\x85z\nl4 TAIL\n".encode()))

    assert [item["text"] for item in result.items if "line" in item] == ["l1\x0cx", "l2\u2028y", "l3\x85z", "l4 TAIL"]


async def test_what_looks_like_a_secret_is_shown_as_it_is(ctx: Context, tmp_path: Path) -> None:
    line = "KEY=os.environ.get('K','demo-key-0000')"

    assert text_of(await read_file(ctx, written(tmp_path, "f", line.encode()))).endswith(f"1\t{line}")


async def test_a_long_file_is_cut_at_the_limit_and_says_how_to_go_on(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "f", b"".join(b"%d\n" % number for number in range(1, 4501)))
    first = await read_file(ctx, path)

    assert first.truncation is not None
    assert (first.truncation.shown, first.truncation.total, first.truncation.unit) == (LINES, 4500, "lines")
    assert first.truncation.limit == Limit(name="limit", value=LINES)
    assert first.truncation.next == {"path": path, "offset": 2001}
    assert first.summary == "f: lines 1-2,000 of 4,500"

    last = await read_file(ctx, path, offset=4001)
    assert not last.truncated
    assert last.summary == "f: lines 4,001-4,500 of 4,500"


async def test_a_limit_asked_for_goes_on_in_the_continuation(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "f", b"a\nb\nc\n")
    cut = (await read_file(ctx, path, limit=2)).truncation

    assert cut is not None
    assert cut.next == {"path": path, "offset": 3, "limit": 2}


async def test_a_page_of_wide_lines_is_cut_by_bytes(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "f", (b"x" * 999 + b"\n") * 100)
    cut = (await read_file(ctx, path)).truncation

    assert cut is not None
    assert cut.limit == Limit(name="bytes", value=PAGE_BYTES)
    assert cut.next["offset"] == cut.shown + 1


async def test_a_giant_single_line_is_read_to_its_end_by_following_next(ctx: Context, tmp_path: Path) -> None:
    text = '{"fox":"' + "🦊" * 30_000 + '"}'
    arguments: dict[str, Any] = {"path": written(tmp_path, "one.json", text.encode())}
    read = ""
    for _ in range(4):
        result = await read_file(ctx, **arguments)
        (item,) = result.items
        assert len(item["text"].encode()) <= PAGE_BYTES
        read += item["text"]
        if result.truncation is None:
            break
        assert result.truncation.unit == "bytes"
        assert result.truncation.next["column"] == len(read.encode())
        arguments = dict(result.truncation.next)

    assert read == text


async def test_a_long_line_among_others_ends_the_page_and_is_read_on_or_skipped(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "f", b"a\n" + "中".encode() * 2000 + b"\nend\n")
    result = await read_file(ctx, path)

    assert result.items == ({"line": 1, "text": "a"}, {"line": 2, "text": "中" * 1333, "more_bytes": 2001})
    assert " [2,001 bytes more]\n" in text_of(result)
    assert result.notes == ("line 2 goes on for 2,001 bytes; offset=3 skips them",)
    cut = result.truncation
    assert cut is not None
    assert (cut.shown, cut.total, cut.unit, cut.limit) == (1, 3, "lines", Limit(name="bytes", value=LINE_BYTES))
    assert cut.next == {"path": path, "offset": 2, "column": 3999}

    rest = await read_file(ctx, path, offset=2, column=3999)
    assert rest.items == ({"line": 2, "text": "中" * 667, "column": 3999},)
    assert "2\t[3,999 bytes before] 中" in text_of(rest)
    assert rest.truncation is not None
    assert rest.truncation.next == {"path": path, "offset": 3}


async def test_a_record_of_a_few_thousand_bytes_is_shown_whole_beside_others(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "f.jsonl", (b"x" * (LINE_BYTES - 1) + b"\n") * 5))

    assert len(result.items) == 5
    assert not result.truncated


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (b"one\r\ntwo\r\n", ("lines end in CRLF",)),
        (b"one\r\ntwo\n", ("some lines end in CRLF, some in LF",)),
        ("\ufeffone\ntwo".encode(), ("read as utf-8 with a byte order mark",)),
        ("\ufeffone\ntwo".encode("utf-16-le"), ("read as utf-16-le with a byte order mark",)),
        ("one\r\ntwo".encode("utf-16-be"), ("read as utf-16-be (guessed)",)),
    ],
    ids=["crlf", "mixed", "mark", "utf-16", "unmarked utf-16"],
)
async def test_what_is_not_plain_utf_8_with_lf_is_told(
    ctx: Context, tmp_path: Path, content: bytes, notes: tuple[str, ...]
) -> None:
    result = await read_file(ctx, written(tmp_path, "f", content))

    assert [item["text"] for item in result.items] == ["one", "two"]
    assert result.notes == notes


async def test_bytes_that_are_no_text_are_visible_and_told(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "f", b"a\n" * 40_000 + b"\xe9\xff\n"), offset=40_001)

    assert result.items == ({"line": 40_001, "text": "\\xe9\\xff"},)
    assert result.notes == ("2 bytes are not utf-8 and stand as \\xNN, in line 40,001",)


async def test_a_file_that_states_no_size_is_never_called_empty(ctx: Context) -> None:
    result = await read_file(ctx, "/proc/self/status", limit=1)

    assert result.items[0]["text"].startswith("Name:")
    with pytest.raises(EnvironmentFailure, match=r"is binary \(it states no size; \d+ bytes were looked at\)"):
        await read_file(ctx, "/proc/self/cmdline")


async def test_a_binary_file_is_refused_by_what_it_is_with_another_way(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "x.db", b"SQLite format 3\x00" + bytes(84))

    with pytest.raises(EnvironmentFailure) as caught:
        await read_file(ctx, path)
    assert caught.value.problem == "x.db is an SQLite database, which is binary (100 bytes), not text"

    able = Context(Session(), {Workspace: Workspace([tmp_path]), Memos: Memos(MemoryStore())}, offered={"run_command"})
    with pytest.raises(EnvironmentFailure) as caught:
        await read_file(able, path)
    assert caught.value.next_steps == (f"inspect it with run_command, such as: file {path}",)


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], ids=["new", "old"])
async def test_an_office_document_is_handed_to_the_tool_that_reads_it(tmp_path: Path, head: bytes) -> None:
    parts = {Workspace: Workspace([tmp_path]), Memos: Memos(MemoryStore())}
    able = Context(Session(), parts, offered={"run_command", "read_document"})
    with pytest.raises(EnvironmentFailure) as caught:
        await read_file(able, written(tmp_path, "a.docx", head + bytes(84)))
    assert caught.value.next_steps[0] == "read it with read_document"


async def test_an_image_comes_as_a_part_by_its_real_type(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "p.jpg", PNG))

    assert result.parts == (Image(content=PNG, media_type="image/png"),)
    assert result.summary == f"p.jpg: PNG image, 4 x 3 pixels, {len(PNG)} bytes"
    assert result.notes == ("its name says JPEG, its bytes are PNG",)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (PNG + bytes(SHOWN_BYTES), "not shown: it has more than 3,750,000 bytes: make a smaller copy to see it"),
        (b"II*\x00", "not shown: models take PNG, JPEG, GIF, WebP only: convert it to PNG to see it"),
    ],
    ids=["large", "unsupported"],
)
async def test_an_image_no_model_takes_is_described_only(
    ctx: Context, tmp_path: Path, content: bytes, note: str
) -> None:
    result = await read_file(ctx, written(tmp_path, "p", content))

    assert (result.status, result.parts, result.notes) == (Status.PARTIAL, (), (note,))


async def test_a_drawing_in_svg_is_text(ctx: Context, tmp_path: Path) -> None:
    assert (await read_file(ctx, written(tmp_path, "p.svg", b"<svg>\n</svg>\n"))).summary == "p.svg: 2 lines, 13 bytes"


async def test_a_notebook_comes_as_cells_and_goes_on_by_cell(ctx: Context, tmp_path: Path) -> None:
    cells = [
        {"id": f"c{number}", "cell_type": "code", "source": f"x = {number}", "outputs": []} for number in range(1, 4)
    ]
    cells[0]["outputs"] = [{"output_type": "stream", "text": "1\n"}]
    path = written(tmp_path, "n.ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode())

    result = await read_file(ctx, path, limit=2)

    assert text_of(result).startswith(
        "n.ipynb: notebook, 2 of 3 cells from 1\n"
        "--- cell 1 c1 (code)\nx = 1\n--- output\n1\n--- cell 2 c2 (code)\nx = 2\n"
    )
    assert result.truncation is not None
    assert result.truncation.next == {"path": path, "offset": 3, "limit": 2}
    assert (await read_file(ctx, path)).summary == "n.ipynb: notebook, 3 cells"


async def test_a_giant_cell_is_read_to_its_end_by_following_next(ctx: Context, tmp_path: Path) -> None:
    source = "é" * 40_000
    path = written(tmp_path, "n.ipynb", json.dumps({"cells": [{"source": source}, {"source": "z"}]}).encode())
    arguments: dict[str, Any] = {"path": path}
    read = ""
    for _ in range(6):
        result = await read_file(ctx, **arguments)
        read += "".join(item["text"] for item in result.items)
        if result.truncation is None:
            break
        arguments = dict(result.truncation.next)

    assert read == source + "z"


async def test_what_is_not_shown_of_a_cell_is_said_and_a_column_past_it_refused(ctx: Context, tmp_path: Path) -> None:
    outputs = [{"output_type": "stream", "text": f"{number}\n"} for number in range(20)]
    cells = [{"cell_type": "code", "source": "run()", "outputs": outputs}]
    path = written(tmp_path, "n.ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode())

    [cell] = (await read_file(ctx, path)).items
    shown = cast("Any", cell)["outputs"]
    assert shown[-1] == f"[{20 - len(shown) + 1} more outputs, not shown]"
    with pytest.raises(InvalidArguments, match=r"column 5 is past the end: cell 1 of n.ipynb has 5 bytes"):
        await read_file(ctx, path, column=5)


async def test_a_notebook_that_is_none_is_read_as_text(ctx: Context, tmp_path: Path) -> None:
    result = await read_file(ctx, written(tmp_path, "n.ipynb", b"{broken\n"))

    assert result.items == ({"line": 1, "text": "{broken"},)
    assert result.notes == ("its name says notebook, but it is none of format 4: read as text",)


async def test_pdf_pages_come_as_asked_and_go_on(ctx: Context, tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    path = written(tmp_path, "d.pdf", pdf(12))

    result = await read_file(ctx, path)
    assert result.summary == "d.pdf: PDF, pages 1-10 of 12"
    assert result.items[1] == {"page": 2, "text": "page 2"}
    assert result.truncation is not None
    assert result.truncation.limit == Limit(name="pages", value=PDF_PAGES)
    assert result.truncation.next == {"path": path, "pages": "11-12"}

    asked = await read_file(ctx, path, pages="11-12")
    assert text_of(asked) == "d.pdf: PDF, pages 11-12 of 12\n--- page 11\npage 11\n--- page 12\npage 12"
    assert not asked.truncated


async def test_pages_and_offsets_are_not_mistaken_for_one_another(ctx: Context, tmp_path: Path) -> None:
    text = written(tmp_path, "a.txt", b"a\n")
    document = written(tmp_path, "d.pdf", pdf(1))

    with pytest.raises(InvalidArguments, match=r"a\.txt is no PDF and has no pages"):
        await read_file(ctx, text, pages="1")
    with pytest.raises(InvalidArguments, match="read by pages"):
        await read_file(ctx, document, column=2)
    with pytest.raises(InvalidArguments, match="page 2 is past the end"):
        await read_file(ctx, document, offset=2)
    with pytest.raises(InvalidArguments, match="offset 3 is past the end of pages 1-2"):
        await read_file(ctx, document, pages="1-2", offset=3)


async def test_outside_the_roots_is_refused(ctx: Context) -> None:
    with pytest.raises(Refused):
        await read_file(ctx, "/etc/passwd")


async def test_every_limit_the_description_names_is_the_one_in_force() -> None:
    returns = str(read_file.declaration.description.returns)

    assert f"at most {LINES:,} or {PAGE_BYTES:,} bytes" in returns
    assert f"{PDF_PAGES} pages a call" in returns
    assert f"a line over {LINE_BYTES:,} bytes is cut" in str(read_file.declaration.description.changes)


async def test_on_the_road_a_full_page_keeps_within_the_budget(tmp_path: Path) -> None:
    path = written(tmp_path, "f", b"0123456789abcdef012\n" * 5_000)
    workspace = Workspace([tmp_path])
    runtime = Runtime(tools=[read_file], parts={Workspace: workspace}, resolver=workspace)

    answer = await runtime.answer_one(Session(), "read_file", {"path": path})

    assert answer.result.artifact is None
    assert answer.text.startswith("f: lines 1-")
    assert answer.result.truncation is not None
    assert answer.result.truncation.next["offset"] == len(answer.result.items) + 1


def pdf(count: int) -> bytes:
    """A document of `count` pages, each with its number."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number in range(count):
        stream = f"BT /F1 12 Tf 20 100 Td (page {number + 1}) Tj ET"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents {5 + 2 * number} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    body = "".join(f"{number} 0 obj{content} endobj\n" for number, content in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF".encode()
