"""The rest of a long result is read without gap or overlap, from either end, or by pattern."""

import sqlite3
import time
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.adapters import openai_chat
from hilt.calls.declaring import tool
from hilt.calls.session import Session
from hilt.results.counting import QUARTER_BYTES
from hilt.results.cutting import Budget
from hilt.results.envelope import Status, ToolResult, Truncation
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.store.sql import SqlStore
from hilt.tools.artifact_read import (
    LEAST_BYTES,
    LONGEST_LINE,
    MOST_BYTES,
    PAGE_BYTES,
    _matcher,
    _matches,
    _Page,
    _Search,
    artifact_read,
)

MOST_DECLARED_TOKENS = 260


class Kept:
    """A session with one artifact in it."""

    def __init__(self, runtime: Runtime, session: Session, artifact: str) -> None:
        self.runtime, self.session, self.artifact = runtime, session, artifact

    async def read(self, **arguments: object) -> ToolResult[object]:
        return await self.runtime.call(self.session, "artifact_read", {"artifact": self.artifact, **arguments})

    async def pages(self, **arguments: object) -> tuple[list[str], list[Truncation]]:
        texts: list[str] = []
        cuts: list[Truncation] = []
        following: dict[str, object] | None = arguments
        while following is not None:
            result = await self.read(**following)
            assert not result.is_error, result.summary
            texts += [str(item) for item in result.items]
            cuts += [result.truncation] if result.truncation else []
            following = dict(result.truncation.next) if result.truncation else None
        return texts, cuts


async def kept(content: bytes | str) -> Kept:
    runtime, session = Runtime([artifact_read]), Session()
    await runtime.store.open_session(session.id, session.principal)
    written = content.encode() if isinstance(content, str) else content
    blob = await runtime.store.spill(session.id, written, "text/plain", mask=False)
    return Kept(runtime, session, blob.id)


async def test_what_the_runtime_cut_off_is_read_on_from_the_byte_it_names() -> None:
    body = "\n".join(f"line {n}: häßlich 漢字 🗡" for n in range(3_000))

    @tool(kind="perceive", limit=1, budget=Budget(tokens=400))
    def report() -> str:
        """A long report."""
        return body

    runtime, session = Runtime([report, artifact_read]), Session()
    first = (await runtime.call(session, "report")).truncation
    assert first is not None
    assert first.otherwise is not None
    shown = body.encode()[: first.shown]

    rest, _ = await Kept(runtime, session, str(first.otherwise.arguments["artifact"])).pages(
        **dict(first.otherwise.arguments)
    )

    assert shown + "".join(rest).encode() == body.encode()


@given(st.text(min_size=1, max_size=300), st.integers(LEAST_BYTES, 80))
def test_pages_of_any_size_join_to_the_whole_and_each_is_text(text: str, limit: int) -> None:
    async def read_all() -> list[str]:
        return (await (await kept(text)).pages(limit=limit))[0]

    assert "".join(anyio.run(read_all)) == text


async def test_a_page_ends_at_a_line_and_says_how_much_there_is() -> None:
    body = "".join(f"{n:>8}\n" for n in range(10_000))
    texts, cuts = await (await kept(body)).pages()

    assert all(text.endswith("\n") for text in texts)
    assert {cut.total for cut in cuts} == {len(body)}
    assert all(cut.shown <= PAGE_BYTES for cut in cuts)


async def test_a_negative_offset_reads_the_end() -> None:
    artifact = await kept("a" * 1_000 + "\nthe last line")

    result = await artifact.read(offset=-13)

    assert result.items == ("the last line",)
    assert not result.truncated


async def test_an_end_longer_than_the_artifact_is_all_of_it() -> None:
    assert (await (await kept("short")).read(offset=-1_000)).items == ("short",)


async def test_an_offset_inside_a_character_moves_to_its_start_and_says_so() -> None:
    result = await (await kept("ab漢cd")).read(offset=4)

    assert result.items == ("漢cd",)
    assert result.notes == ("offset moved back by 2 to 2, the start of a character",)


async def test_bytes_that_are_no_text_are_read_to_the_end() -> None:
    texts, _ = await (await kept(b"\x80\x81\xff" * 40)).pages(limit=7)

    assert "".join(texts).count("\ufffd") == 120


async def test_an_offset_past_the_end_is_refused_with_the_size() -> None:
    result = await (await kept("12345")).read(offset=5)

    assert result.failure is not None
    assert result.failure.problem == "offset 5 is past the end: the artifact has 5 bytes"


async def test_an_unknown_artifact_is_refused_with_what_to_do() -> None:
    result = await (await kept("x")).read(artifact="nope")

    assert result.failure is not None
    assert result.failure.kind == "invalid_arguments"
    assert result.failure.problem == "this session has no artifact 'nope'"
    assert result.failure.next_steps[0] == "copy the id from the result that was cut"


async def test_a_store_held_by_another_process_is_worth_another_try(tmp_path: Path) -> None:
    first = SqlStore(tmp_path / "hilt.db")
    await first.open_session("s", "local")
    await first.close()
    other = sqlite3.connect(tmp_path / "hilt.db", isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    runtime = Runtime([artifact_read], store=SqlStore(tmp_path / "hilt.db", wait_seconds=0.1))

    result = await runtime.call(Session(id="s"), "artifact_read", {"artifact": "artifact_abcdefgh"})

    other.close()
    await runtime.close()
    assert result.failure is not None
    assert result.failure.kind is FailureKind.RETRYABLE
    assert "another process holds" in result.failure.problem


async def test_another_sessions_artifact_is_unknown() -> None:
    artifact = await kept("secret")

    result = await artifact.runtime.call(Session(), "artifact_read", {"artifact": artifact.artifact})

    assert result.status is Status.ERROR


async def test_a_pattern_shows_matching_lines_with_offsets_that_can_be_read() -> None:
    artifact = await kept("one\ntwo ERROR 1\nthree\nfour ERROR 2\n")

    result = await artifact.read(pattern=r"ERROR \d")

    assert result.items == ("4: two ERROR 1\n22: four ERROR 2",)
    assert (await artifact.read(offset=22)).items == ("four ERROR 2\n",)


async def test_matches_continue_to_the_exact_total_without_gap_or_overlap() -> None:
    lines = [f"{n} {'hit' if n % 3 == 0 else 'miss'} ünïcode" for n in range(4_000)]
    texts, cuts = await (await kept("\n".join(lines))).pages(pattern="hit", limit=5_000)

    found = [line.partition(": ")[2] for text in texts for line in text.split("\n")]
    assert found == [line for line in lines if "hit" in line]
    assert len(cuts) > 1
    assert cuts[0].total == len(found)
    assert cuts[0].total_is == "exact"


async def test_no_match_is_a_success_that_says_so() -> None:
    result = await (await kept("abc")).read(pattern="x")

    assert result.status is Status.SUCCESS
    assert result.summary.startswith("0 lines match")
    assert result.items == ()


async def test_a_match_in_a_line_of_any_length_is_found_and_shown_in_pieces() -> None:
    body = "ä" * 300_000 + "needle" + "ö" * 300_000
    result = await (await kept(body)).read(pattern="needle")

    (found,) = result.items
    offset, _, text = str(found).partition(": ")
    assert "needle" in text
    assert body.encode()[int(offset) :].startswith(text.encode())
    assert len(text.encode()) <= LONGEST_LINE
    assert result.notes == ("lines over 2,000 bytes were searched in pieces of that size",)


async def test_a_pattern_that_stops_other_engines_is_answered_at_once() -> None:
    started = time.monotonic()
    result = await (await kept("a" * 1_900 + "b")).read(pattern="(a+)+$")

    assert result.items == ()
    assert time.monotonic() - started < 2


async def test_a_search_that_runs_out_of_time_says_how_far_it_came_and_goes_on_there() -> None:
    artifact = await kept("hit\n" * 10)
    file = await artifact.runtime.store.blob(artifact.session.id, artifact.artifact)
    assert file is not None
    page = _Page(artifact=artifact.artifact, limit=PAGE_BYTES, pattern="hit", size=file.size)

    result = await _matches(file, 0, page, _Search(matches=_matcher("hit"), room=PAGE_BYTES, deadline=0))

    assert result.status is Status.PARTIAL
    assert result.summary.startswith("1 line matches from byte 0 to 4, where time ran out, in ")
    assert result.truncation is not None
    assert (result.truncation.total, result.truncation.total_is) == (1, "at_least")
    assert result.truncation.next == {"artifact": artifact.artifact, "offset": 4, "pattern": "hit"}


@pytest.mark.parametrize("pattern", ["(", "(?=x)", r"(a)\1", r"(\w{100}){100}"])
async def test_a_bad_pattern_is_refused_with_the_place(pattern: str) -> None:
    result = await (await kept("abc")).read(pattern=pattern)

    assert result.failure is not None
    assert result.failure.kind == "invalid_arguments"
    assert result.failure.problem.startswith("pattern is not a regular expression this tool takes")


async def test_a_full_page_keeps_the_tools_own_continuation() -> None:
    result = await (await kept("x" * 100_000)).read(limit=MOST_BYTES)

    assert result.truncation is not None
    assert result.truncation.next["offset"] == MOST_BYTES


async def test_its_declaration_costs_little() -> None:
    (offer,) = openai_chat.offer(Runtime([artifact_read]), Session())

    assert QUARTER_BYTES.count(str(offer)) <= MOST_DECLARED_TOKENS
