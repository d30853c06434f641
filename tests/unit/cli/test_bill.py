"""`hilt bill`: what changed since, Markdown, what a session cost, what is followed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.assembly.billing import DIGEST, kept_counts
from hilt.assembly.billing_session import Prices, costs
from hilt.assembly.history import Called
from hilt.catalog.bill import Bill, Row
from hilt.catalog.bill_change import Earlier, changed
from hilt.results.counting import Counter
from tests.command import Hilt


def tools(place: Path, **texts: str) -> str:
    """A file of tools, each with its description."""
    document = [{"name": name, "description": text, "input_schema": {}} for name, text in texts.items()]
    place.write_text(json.dumps({"name": "made", "tools": document}), encoding="utf-8")
    return str(place)


def test_a_change_is_told_tool_by_tool_and_fails_beyond_what_is_allowed(hilt: Hilt, here: Path) -> None:
    before = tools(here / "a.json", same="as it was", longer="short", shorter="long " * 30, gone="away")
    hilt("bill", before, "--json", "-o", str(here / "was.json"))
    after = tools(here / "b.json", same="as it was", longer="long " * 90, shorter="short", new="here")

    found = hilt("bill", after, "--baseline", "was.json", "--json").json["change"]

    assert isinstance(found, dict)
    assert {each["name"]: each["became"] for each in found["tools"]} == {
        "longer": "grown",
        "shorter": "shrunk",
        "gone": "gone",
        "new": "new",
    }
    assert found["tokens"] == found["after"] - found["before"] == sum(each["tokens"] for each in found["tools"])
    assert hilt("bill", after, "--baseline", "was.json", "--max-increase", "1000").code == 0
    for limit in ("1", "1%"):
        failed = hilt("bill", after, "--baseline", "was.json", "--max-increase", limit)
        assert failed.code == 1
        assert f"{found['tokens']:,} tokens more" in failed.err
        assert "this change adds" in failed.out


def test_a_baseline_that_cannot_be_compared_is_refused_with_the_step(hilt: Hilt, here: Path) -> None:
    now = tools(here / "a.json", one="x")
    hilt("bill", now, "--json", "-o", str(here / "was.json"), "-c", "results.counter=bytes/4")
    (here / "other.json").write_text("{}", encoding="utf-8")
    (here / "torn.json").write_text("{", encoding="utf-8")
    (here / "odd.json").write_text('{"counter": "bytes/4", "resident": 1, "tools": [1]}', encoding="utf-8")

    for file, words in (
        ("other.json", "is no bill"),
        ("odd.json", "is no bill"),
        ("torn.json", "is not JSON"),
        ("none.json", "cannot be read"),
    ):
        failed = hilt("bill", now, "--baseline", file)
        assert failed.code != 0
        assert words in failed.err
        assert "hilt bill --json -o FILE" in failed.err
    assert "--baseline FILE" in hilt("bill", now, "--max-increase", "5").err
    unread = hilt("bill", now, "--baseline", "was.json", "--max-increase", "lots", "-c", "results.counter=bytes/4")
    assert "5%" in unread.err
    if hilt("bill", now, "--json").json["counter"] != "bytes/4":
        assert "results.counter=bytes/4" in hilt("bill", now, "--baseline", "was.json").err


def test_markdown_says_the_change_first_and_is_added_to_the_summary_of_a_step(
    hilt: Hilt, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hilt("bill", tools(here / "a.json", one="x"), "--json", "-o", str(here / "was.json"))
    now = tools(here / "b.json", **{f"tool_{number}": "a|b" * number for number in range(30)})
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))
    (here / "summary.md").write_text("before\n", encoding="utf-8")

    shown = hilt("bill", now, "--baseline", "was.json", "--markdown").out

    assert shown.startswith("**This change adds ")
    assert "| new | `tool_29` | made |" in shown
    assert "and 11 more" in shown
    assert (here / "summary.md").read_text(encoding="utf-8") == f"before\n{shown}\n"


def test_what_waiting_would_save_is_told_and_no_row_is_lost(hilt: Hilt, here: Path) -> None:
    found = hilt("bill", tools(here / "a.json", **{f"tool_{n}": "word " * 80 for n in range(30)}), "--json").json

    assert isinstance(found["resident"], int)
    assert isinstance(found["all_waiting"], int)
    assert 0 < found["all_waiting"] < found["resident"] / 5


def test_a_session_costs_its_declarations_in_every_turn_and_what_came_back(hilt: Hilt, here: Path) -> None:
    assert "no session has made a call" in hilt("bill", "--last").err
    hilt("call", "read_file", json.dumps({"path": str(here / "notes.txt")}), "--session", "mine")
    hilt("call", "find_tools", '{"query": "select:hilt/task_list"}', "--session", "mine")

    found = hilt("bill", "--session", "mine", "--json").json

    rows = {each["name"]: each for each in found["tools"]}  # type: ignore[attr-defined,union-attr]
    assert found["turns"] == 3
    assert (rows["read_file"]["calls"], rows["read_file"]["turns"]) == (1, 3)
    assert rows["read_file"]["returned"] > 0
    assert found["loaded"] == ["task_list"]
    assert rows["task_list"]["turns"] == 1
    preamble = found["preamble"]
    assert isinstance(preamble, int)
    assert sum(each["tokens"] for each in rows.values()) + preamble == found["total"]
    assert hilt("bill", "--last", "--json").json == found
    assert "in at least 3 turns" in hilt("bill", "--last").out
    assert "hilt log sessions" in hilt("bill", "--session", "absent").err


def called(tool: str, at: float, lasted: float | None) -> Called:
    """A call as the trace has it."""
    begun = {"step": "resolve", "time_ns": int(at * 1e9), "facts": {}}
    answer = {"step": "answer", "time_ns": int((at + (lasted or 0)) * 1e9), "facts": {"status": "success", "bytes": 9}}
    return Called(session="s", call="s/1", tool=tool, at=at, steps=(begun,) if lasted is None else (begun, answer))


@given(
    st.lists(
        st.builds(
            called,
            st.sampled_from(["a", "b", "find_tools"]),
            st.floats(0, 9),
            st.none() | st.floats(0, 3),
        )
    )
)
def test_rows_of_a_session_add_up_whatever_was_called(made: list[Called]) -> None:
    prices = Prices(tokens={"a": 7, "b": 5}, resident=frozenset("a"), preamble=3, counter="bytes/4")

    found = costs("s", sorted(made, key=lambda each: each.at), ["b"], prices)

    assert found.preamble + sum(row.tokens for row in found.rows) == found.total
    assert sum(row.calls for row in found.rows) == len(made)
    assert all(0 <= row.turns <= found.turns <= len(made) + 1 for row in found.rows)


def test_calls_that_ran_together_are_one_turn() -> None:
    prices = Prices(tokens={}, resident=frozenset(), preamble=1, counter="bytes/4")

    assert costs("s", [called("a", 0, 2), called("b", 1, 2), called("a", 4, 1)], [], prices).turns == 3


def test_what_was_counted_is_not_counted_again_and_a_torn_cache_is_begun_anew(tmp_path: Path) -> None:
    asked: list[str] = []
    counter = Counter(name="of/mine", count=lambda text: asked.append(text) or len(text))
    for _ in range(2):
        with kept_counts(counter, tmp_path) as known:
            assert known.count("größer") == 6
    assert asked == ["größer"]

    (file,) = tmp_path.iterdir()
    file.write_bytes(b"x" * DIGEST)
    with kept_counts(counter, tmp_path) as known:
        assert known.count("größer") == 6
    (tmp_path / "file").write_bytes(b"")
    with kept_counts(counter, tmp_path / "file") as known:
        assert known.count("a") == 1


def test_equal_tools_have_not_moved_and_a_bill_of_another_counter_is_no_baseline() -> None:
    row = Row(name="a", server="s", name_schema_bytes=1, description_bytes=1, bytes=2, tokens=4)
    now = Bill(rows=(row,), preamble=3, counter="c")

    found = changed(Earlier(counter="c", resident=7, tools={("s", "a"): 4}), now)

    assert found.moved == ()
    assert found.text == "every turn costs what it did, 7 tokens"


def test_watching_says_what_changes_and_ends_well_on_ctrl_c(here: Path) -> None:
    import signal

    file = tools(here / "a.json", one="x")
    command = [sys.executable, "-m", "hilt", "bill", file, "--watch", "-c", "results.counter=bytes/4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=here) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        tools(here / "a.json", one="x" * 400)
        second = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0

    assert "tokens in all (bytes/4)" in first
    assert "tokens in all (bytes/4)" in second
    assert first != second
