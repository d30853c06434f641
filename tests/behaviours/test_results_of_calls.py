"""What comes back: one envelope, within its budget, nothing lost, ids short, pages that go on."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict, cast

import pytest

from hilt import Budget, InvalidArguments, Param, Ref, Runtime, Session, ToolResult, tool
from hilt.calls.answer import Answer
from hilt.results.envelope import Status
from hilt.results.form import to_json
from hilt.store.sql import SqlStore
from hilt.tools.artifact_read import artifact_read
from hilt.tools.find_files import find_files
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from hilt.workspace import Workspace
from tests.kit import acting, answered, perceiving, runtime, turn

SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8"


@tool(**perceiving(limit=3, continues="offset", noun="row", budget=Budget(bytes=600)))
def rows(offset: Annotated[int, Param("rows to skip")] = 0, size: Annotated[int, Param("length")] = 1) -> list[str]:
    return [f"{n} " + "x" * size for n in range(offset, 10)]


class Named(TypedDict):
    name: str


def shelf(folder: Path) -> Runtime:
    world = Workspace([folder])
    return Runtime([search_code, find_files, read_file, artifact_read], parts={Workspace: world}, resolver=world)


async def test_req_A6_a_return_that_breaks_its_declaration_is_the_hosts_defect_and_never_a_success() -> None:
    heard: list[str] = []

    @tool(**perceiving())
    def age() -> int:
        return "12"  # type: ignore[return-value]  # the defect

    of = runtime(age, on_defect=lambda defect: heard.append(defect.problem))
    answer = await answered(of, "age")

    assert age.declaration.returns == {"type": "integer"}
    assert answer.result.failure is not None
    assert answer.result.failure.kind == "environment"
    assert "the tool age is faulty: it ran, but its return is not as declared" in answer.text
    assert heard == ["broke its declared return: 0: Input should be a valid integer"]


@pytest.mark.parametrize(
    ("name", "text", "status", "beside"),
    [
        ("rows", '{"offset": 8}', "success", set()),
        ("rows", "{}", "success", {"truncation"}),
        ("rows", '{"size": 400}', "success", {"truncation", "artifact"}),
        ("rows", '{"offset": "8"}', "error", {"failure"}),
        ("pay", "{}", "denied", {"denied"}),
        ("part", "{}", "partial", {"notes"}),
    ],
)
async def test_req_D1_every_answer_is_one_envelope_and_holds_a_field_only_when_it_says_something(
    name: str, text: str, status: str, beside: set[str]
) -> None:
    @tool(**acting(effects={"does": "spend"}))
    def pay() -> str:
        return "paid"

    @tool(**acting(name="part", effects={"reads": "public"}))
    def part() -> ToolResult[str]:
        return ToolResult(summary="2 of 3 folders", items=("a",), status=Status.PARTIAL, notes=("one is unreadable",))

    document = to_json((await answered(Runtime([rows, pay, part]), name, text)).result)

    assert document["status"] == status
    assert set(document) == {"status", "summary", "items", "truncated"} | beside
    assert document["truncated"] is ("truncation" in beside)
    json.dumps(document, allow_nan=False)


async def test_req_D2_one_value_is_text_and_data_and_what_is_not_declared_does_not_leave() -> None:
    @tool(**perceiving(limit=9, continues="offset", noun="person"))
    def people(offset: Annotated[int, Param("skip")] = 0) -> list[Named]:
        return [cast("Named", {"name": name, "password": "secret"}) for name in ("Ann", "Bo")]

    answer = await answered(runtime(people), "people")

    assert answer.text == "2 persons\nname\nAnn\nBo"
    assert answer.result.items == ({"name": "Ann"}, {"name": "Bo"})
    as_json = await answered(runtime(people, form="json"), "people")
    assert json.loads(as_json.text)["items"] == [{"name": "Ann"}, {"name": "Bo"}]


@pytest.mark.parametrize("budget", [Budget(tokens=60), Budget(bytes=240), Budget(lines=8), Budget(tokens=80, lines=20)])
@pytest.mark.parametrize("keep", ["head", "tail", "ends"])
async def test_req_D3_req_D4_a_cut_keeps_its_budget_its_characters_and_the_end_asked_for(
    budget: Budget, keep: Any
) -> None:
    text = "\n".join(f"line {n} 🦊中é" for n in range(500))

    @tool(**perceiving(budget=budget, keep=keep))
    def tell() -> str:
        return text

    answer = await answered(runtime(tell), "tell")

    assert budget.fits(answer.text, lambda shown: -(-len(shown.encode()) // 4))
    assert answer.text.encode().decode() == answer.text
    assert answer.text.endswith("]")
    assert "bytes shown" in answer.text.splitlines()[-1]
    shown = str(answer.result.items[0])
    assert (text.startswith(shown), text.endswith(shown)) == {
        "head": (True, False),
        "tail": (False, True),
        "ends": (False, False),
    }[keep]
    if keep == "ends":
        assert shown[:6] == "line 0"
        assert shown[-5:] == text[-5:]


def private(folder: Path) -> None:
    """Every file is its owner's alone, and none holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any("blobs" in str(path) for path in files)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert all(SECRET.encode() not in path.read_bytes() for path in files)


async def test_req_D5_what_does_not_fit_is_put_aside_in_private_masked_and_read_on_to_the_last_byte(
    tmp_path: Path,
) -> None:
    lines = [f"line {n}" for n in range(5_000)]
    text = "\n".join([*lines[:4_000], f"token {SECRET}", *lines[4_000:]])

    @tool(**perceiving(budget=Budget(tokens=200)))
    def tell() -> str:
        return text

    store = SqlStore(tmp_path / "hilt.db")
    of, session = runtime(tell, artifact_read, store=store), Session()
    first = await answered(of, "tell", session=session)

    artifact, cut = first.result.artifact, first.result.truncation
    assert artifact is not None
    assert cut is not None
    assert cut.otherwise is not None
    private(tmp_path)

    read, arguments = str(first.result.items[0]), dict(cut.otherwise.arguments)
    while arguments:
        page = await of.call(session, "artifact_read", arguments)
        read += str(page.items[0])
        arguments = dict(page.truncation.next) if page.truncation else {}
    assert re.sub(r"\[hilt masked: [^]]+\]", SECRET, read) == text
    assert SECRET not in read
    last = await of.call(session, "artifact_read", {"artifact": artifact.id, "offset": -9})
    assert str(last.items[0]).endswith("4999")
    found = await of.call(session, "artifact_read", {"artifact": artifact.id, "pattern": "line 4999$"})
    assert "line 4999" in str(found.items)
    assert (await store.purge(timedelta(seconds=-1))).blobs == 1
    await of.close()


async def test_req_D6_req_E3_nothing_found_is_a_success_that_says_what_was_searched_and_what_was_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / ".hidden").write_text("needle\n")
    of, root = shelf(tmp_path), str(tmp_path)

    nothing = await answered(of, "search_code", json.dumps({"pattern": "needle", "path": root}))
    no_file = await answered(of, "find_files", json.dumps({"pattern": "*.zip", "path": root}))
    bad = await answered(of, "search_code", json.dumps({"pattern": "(", "path": root}))

    assert nothing.result.status == no_file.result.status == "success"
    assert "1 file searched" in nothing.text
    assert "not searched: 1 file ignored or hidden" in nothing.text
    assert "not looked into" in no_file.text
    assert bad.result.failure is not None
    assert bad.result.failure.kind == "invalid_arguments"


async def test_req_D6_a_search_and_a_read_go_on_from_their_own_next_to_the_exact_total(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"needle {n}\n" for n in range(25)))
    of, session = shelf(tmp_path), Session()
    calls: dict[str, dict[str, Any]] = {
        "search_code": {"pattern": "needle", "path": str(tmp_path), "output": "content", "limit": 10},
        "read_file": {"path": str(tmp_path / "a.txt"), "limit": 10},
    }
    for name, arguments in calls.items():
        lines: list[int] = []
        while arguments:
            result = await of.call(session, name, arguments)
            lines += [item["line"] for item in result.items if isinstance(item, dict)]
            assert result.truncation is None or (result.truncation.total, result.truncation.total_is) == (25, "exact")
            arguments = dict(result.truncation.next) if result.truncation else {}
        assert lines == list(range(1, 26))


async def test_req_D7_opaque_ids_are_shown_short_translated_back_and_kept_whole_for_the_program() -> None:
    ids = ["8f14e45f-ceea", "c9f0f895-fb98"]
    received: list[str] = []

    @tool(**perceiving(limit=9, continues="offset", noun="ticket"))
    def tickets(offset: Annotated[int, Param("skip")] = 0) -> list[Annotated[str, Ref("ticket")]]:
        return ids[offset:]

    @tool(**acting())
    def close(ticket: Annotated[str, Param("ticket"), Ref("ticket")]) -> None:
        received.append(ticket)

    of, session = runtime(tickets, close), Session()
    shown = await answered(of, "tickets", session=session)
    await answered(of, "close", '{"ticket": "ticket_2"}', session)
    strange = await answered(of, "close", '{"ticket": "ticket_2"}')

    assert shown.text == "2 tickets\nticket_1\nticket_2"
    assert shown.result.items == tuple(ids)
    assert received == ids[1:]
    assert "stands for no ticket of this session" in strange.text


async def test_req_D10_a_limit_is_told_only_when_it_cut_and_0_lifts_it_where_declared(tmp_path: Path) -> None:
    cut = await answered(runtime(rows), "rows")
    whole = await answered(runtime(rows), "rows", '{"offset": 7}')

    assert cut.text.endswith('[3 of at least 10 items shown, limit 3; next: {"offset":3}]')
    assert whole.text == "3 rows\n7 x\n8 x\n9 x"

    (tmp_path / "a.txt").write_text("x\n" * 400)
    arguments = {"pattern": "x", "path": str(tmp_path), "output": "content", "limit": 0}
    everything = await shelf(tmp_path).call(Session(), "search_code", arguments)
    assert len(everything.items) == 400


async def test_req_D11_the_results_of_a_turn_share_a_budget_and_the_largest_are_cut_first() -> None:
    @tool(**perceiving())
    def letters(count: Annotated[int, Param("letters")]) -> str:
        return "x" * count

    of = runtime(letters, turn_budget=Budget(tokens=2_000))
    sizes = [100, 20_000, 400, 20_000]
    answers: list[Answer] = await of.answer(Session(), turn(*(("letters", f'{{"count": {n}}}') for n in sizes)))

    assert sum(-(-len(each.text) // 4) for each in answers) <= 2_000
    assert [each.result.truncated for each in answers] == [False, True, False, True]
    assert all(each.result.artifact for each in answers if each.result.truncated)


async def test_req_A8_two_processes_share_one_store_and_one_call_runs_once(tmp_path: Path) -> None:
    """Two runtimes over two connections to one file, as two processes have them."""
    ran: list[int] = []

    @tool(**acting(parallel=True))
    async def act(n: Annotated[int, Param("n")]) -> str:
        ran.append(n)
        return f"did {n}"

    first, second = (runtime(act, store=SqlStore(tmp_path / "hilt.db")) for _ in range(2))
    session, same = Session(id="s"), turn(("act", '{"n": 1}'))

    one = await first.answer(session, same)
    two = await second.answer(session, same)

    assert ran == [1]
    assert one[0].text == two[0].text == "did 1"
    await first.close()
    await second.close()


async def test_req_E6_the_same_call_failing_the_same_way_is_told_the_difference_and_stopped_at_last() -> None:
    @tool(**perceiving())
    def strict(n: Annotated[int, Param("n")]) -> str:
        raise InvalidArguments(f"n={n} is too large", "make n 0")

    of, session = runtime(strict), Session()
    texts = [(await answered(of, "strict", '{"n": 1}', session)).text for _ in range(5)]

    assert "failed the same way 2 times" in texts[1]
    assert texts[4].startswith("denied by breaker")
