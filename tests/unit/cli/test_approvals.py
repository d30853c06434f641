"""`hilt approvals`: what waits, shown whole and safely; answered once; leave listed and revoked."""

import json
from functools import partial
from pathlib import Path

import anyio
import pytest

from hilt.assembly.build import open_runtime
from hilt.assembly.config import read_config
from hilt.results.envelope import ToolResult
from tests.command import Hilt

TOOL = """
from typing import Annotated
from hilt import Description, Param, tool

@tool(kind="act", effects={"reads": "none", "does": "send"}, idempotent=False, undo="none: it is sent",
      description=Description(use_for="a test", returns="what was sent"))
def send(
    to: Annotated[str, Param("address", role="destination")],
    text: Annotated[str, Param("words", role="content")],
) -> str:
    with open("sent.txt", "a") as file:
        file.write(f"{to}: {text}\\n")
    return f"sent to {to}"
"""


@pytest.fixture
def place(hilt: Hilt, here: Path) -> Path:
    (here / "sending.py").write_text(TOOL)
    (here / "hilt.toml").write_text('tools = ["sending.py"]\n[review]\ninbox = true\nwait = 0.05\n')
    return here


async def _call(config: Path, text: str) -> ToolResult[object]:
    async with open_runtime(config=read_config(file=config), session="talk") as assembled:
        return await assembled.runtime.call(assembled.session, "send", {"to": "ann@example.org", "text": text})


def call(place: Path, text: str) -> ToolResult[object]:
    return anyio.run(partial(_call, place / "hilt.toml", text))


def waits(place: Path, text: str = "hi") -> str:
    result = call(place, text)
    assert result.pending is not None
    return result.pending.handle


def test_a_question_is_listed_whole_and_nothing_in_it_reaches_the_terminal_raw(hilt: Hilt, place: Path) -> None:
    handle = waits(place, "first\nsecond \x1b[2Jgone\u202e")

    shown = hilt("approvals").out
    (found,) = hilt("approvals", "--json").json["pending"]  # type: ignore[misc]  # a list of one

    assert handle in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2Jgone\\u202e" in shown
    assert "because" in shown
    assert "ann@example.org" in shown
    assert f"hilt approvals approve {handle}" in shown
    assert json.loads(found["arguments"])["text"] == "first\nsecond \x1b[2Jgone\u202e"
    assert found["scopes"] == ["once", "session", "shape", "always"]


def test_a_yes_lets_the_same_call_run_once_and_no_other(hilt: Hilt, place: Path) -> None:
    handle = waits(place)

    allowed = hilt("approvals", "approve", handle)
    again = hilt("approvals", "approve", handle, "--json")
    listed = hilt("approvals", "--json").json

    assert (allowed.code, allowed.out) == (0, "allowed: this call alone\n")
    assert again.code == 2
    assert "nothing waits" in str(again.error["message"])
    assert listed["pending"] == []
    assert [each["scope"] for each in listed["approvals"]] == ["once"]  # type: ignore[union-attr, index]  # a list
    assert call(place, "another").pending is not None
    assert call(place, "hi").items == ("sent to ann@example.org",)
    assert call(place, "hi").pending is not None
    assert (place / "sent.txt").read_text() == "ann@example.org: hi\n"


def test_a_no_is_told_with_its_reason_and_nothing_runs(hilt: Hilt, place: Path) -> None:
    handle = waits(place)

    refused = hilt("approvals", "reject", handle, "--reason", "not now", "--json")

    assert refused.json["reason"] == "not now"
    assert not (place / "sent.txt").exists()
    assert hilt("approvals").out == "nothing waits for your leave, and none that was given holds\n"


def test_leave_that_reaches_further_is_listed_with_what_it_covers_and_revoked(hilt: Hilt, place: Path) -> None:
    hilt("approvals", "approve", waits(place), "--scope", "always")
    assert call(place, "another").items == ("sent to ann@example.org",)

    shown = hilt("approvals").out
    (leave,) = hilt("approvals", "--json").json["approvals"]  # type: ignore[misc]  # a list of one
    wrong = hilt("approvals", "revoke", leave["id"][:-1])
    revoked = hilt("approvals", "revoke", leave["id"])

    assert "every call of send in any session, 365 days at most" in shown
    assert wrong.code == 2
    assert f"hilt approvals revoke {leave['id']}" in wrong.err
    assert revoked.out == f"revoked: {leave['id']}\n"
    assert call(place, "another").pending is not None


def test_a_scope_that_was_not_offered_is_refused_with_those_that_were(hilt: Hilt, place: Path) -> None:
    (place / "sending.py").write_text(TOOL.replace('"does": "send"', '"does": "send", "irreversible": True'))
    handle = waits(place)

    wide = hilt("approvals", "approve", handle, "--scope", "session")

    assert wide.code == 2
    assert "would reach too far" in wide.err
    assert "give one of: once" in wide.err
    assert hilt("approvals", "approve", handle).code == 0


def test_leave_lapses_when_the_policy_changes(hilt: Hilt, place: Path) -> None:
    hilt("approvals", "approve", waits(place), "--scope", "session")
    with (place / "hilt.toml").open("a") as file:
        file.write('[[policy.rules]]\nword = "ask"\ntools = "send"\n')

    assert call(place, "hi").pending is not None


def test_a_store_in_memory_keeps_nothing_to_answer(hilt: Hilt) -> None:
    assert "name a store" in hilt("approvals", "-c", "store.where=memory").err
