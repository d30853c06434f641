"""An office document is found by its content, read a part at a time, and told from what only looks like one."""

import json
from pathlib import Path
from typing import Any

import openpyxl

from hilt import Runtime, Session
from hilt.tools.read_document import read_document
from hilt.workspace import Workspace
from tests.kit import EVERYTHING


async def test_req_H2_a_document_is_read_from_its_outline_to_a_range_and_never_guessed_from_its_name(
    tmp_path: Path,
) -> None:
    book: Any = openpyxl.Workbook()
    book.active.title = "Costs"
    for number in range(1, 1_001):
        book.active.append([f"item {number}", number, number / 8])
        book.active.cell(number, 3).number_format = "0.0%"
    book.create_sheet("Notes").append(["see", "=SUM(1,2)"])
    file = tmp_path / "report.dat"
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "a.xlsx").rename(file)
    (tmp_path / "b.xlsx").write_bytes(file.read_bytes()[:5_000])
    world, session = Workspace([tmp_path]), Session()
    runtime = Runtime([read_document], parts={Workspace: world}, resolver=world, policy=EVERYTHING)

    async def read(path: Path, **arguments: object) -> str:
        given = json.dumps({"path": str(path), **arguments})
        return (await runtime.answer_one(session, "read_document", given)).text

    await read(file)  # on demand: the first call loads it
    whole = await read(file)
    last = f"A500:C500 -> {(await read(file, part='Costs!A500:C500')).splitlines()[-1]}"

    assert whole.startswith(
        "report.dat: Excel workbook, 2 sheets, sheet Costs, rows 1-500\n\tA\tB\tC\n1\titem 1\t1\t12.5%\n"
    )
    assert "note: parts: Costs (A1:C1000) | Notes (A1:B1)" in whole
    assert whole.endswith(f'[500 of 1,000 items shown, limit 500; next: {{"path":"{file}","offset":501}}]')
    assert last == "A500:C500 -> 500\titem 500\t500\t6250.0%"
    assert "=SUM(1,2) -> (not calculated)" in await read(file, part="notes")
    assert "b.xlsx is broken" in await read(tmp_path / "b.xlsx")
