"""A notebook is read as cells: source whole, outputs cut, pictures named."""

import json

import pytest

from hilt.documents.notebook import OUTPUT_BYTES, NotebookCell, cell_page, read_notebook
from hilt.results.failures import InvalidArguments


def notebook(*cells: dict[str, object]) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def cells(count: int, size: int = 10) -> list[NotebookCell]:
    return [
        NotebookCell(number=number, id=f"c{number}", type="code", text="é" * (size // 2), outputs=())
        for number in range(1, count + 1)
    ]


def test_cells_keep_their_ids_and_their_text_whole() -> None:
    found = read_notebook(
        notebook(
            {"id": "abc", "cell_type": "code", "source": ["x = 1\n", "x"], "outputs": []},
            {"cell_type": "markdown", "source": "# T\ud800"},
        )
    )

    assert found == (
        NotebookCell(number=1, id="abc", type="code", text="x = 1\nx", outputs=()),
        NotebookCell(number=2, id="", type="markdown", text="# T\\ud800", outputs=()),
    )


def test_outputs_are_text_and_what_is_no_text_is_named_with_its_size() -> None:
    outputs: list[object] = [
        {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
        {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["line 1", "line 2"]},
        {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}},
        {"output_type": "execute_result", "data": {"text/html": "<b>1</b>"}},
        {"output_type": "display_data", "data": {}},
        "not an output",
    ]
    found = read_notebook(notebook({"cell_type": "code", "source": "", "outputs": outputs}))

    assert found is not None
    assert found[0].outputs == (
        "red",
        "ValueError: bad\nline 1\nline 2",
        "[image/png, 5 characters of base64 or JSON, not shown]",
        "<Figure>",
        "<b>1</b>",
    )


def test_a_long_output_is_cut_between_characters_and_says_how_much_is_missing() -> None:
    text = "é" * OUTPUT_BYTES
    found = read_notebook(notebook({"outputs": [{"output_type": "stream", "text": text}]}))

    assert found is not None
    assert found[0].outputs == ("é" * (OUTPUT_BYTES // 2) + " [... 2,000 bytes more of this output]",)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 1}', b'{"worksheets": []}', b"[" * 100_000, b"\xff"])
def test_what_is_no_notebook_of_format_4_is_none(content: bytes) -> None:
    assert read_notebook(content) is None


def test_a_page_holds_whole_cells_as_far_as_its_bytes_go() -> None:
    page = cell_page(cells(10, 400), "n", first=3, most=5, column=0, page_bytes=1000)

    assert [cell["cell"] for cell in page] == [3, 4]


def test_a_cell_too_long_for_the_page_is_cut_and_read_on_by_column_to_its_end() -> None:
    text, column = "", 0
    while True:
        (cell,) = cell_page(cells(1, 3000), "n", first=1, most=5, column=column, page_bytes=1001)
        text += cell["text"]
        column += len(cell["text"].encode())
        if "more_bytes" not in cell:
            break

    assert text == "é" * 1500


def test_past_the_last_cell_is_a_wrong_argument() -> None:
    with pytest.raises(InvalidArguments, match="offset 3 is past the end: n has 2 cells"):
        cell_page(cells(2), "n", first=3, most=1, column=0, page_bytes=100)

    assert cell_page([], "n", first=1, most=1, column=0, page_bytes=100) == []
