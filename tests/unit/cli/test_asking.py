"""A person at the terminal: what they are shown, and what each key stands for."""

import os
import sys

import anyio
import pytest

from hilt.cli.asking import SHOWN_CHARACTERS, TerminalPerson, key_lines
from hilt.cli.output import Out
from hilt.review.people import Question, Reply


def question(**changed: object) -> Question:
    fields: dict[str, object] = {
        "handle": "ask_1",
        "session": "s",
        "tool": "send",
        "arguments": '{"to": "ann", "text": "a\\u001b[2Jb\\u202ec\\nsecond"}',
        "activity": "sending to ann",
        "reasons": ("preset workspace: send needs a person's leave",),
        "preview": "--- a\n+++ b\n-old\n+new",
        "shape": "send to=ann",
        "scopes": ("once", "session", "shape", "always"),
    }
    return Question(**{**fields, **changed})  # type: ignore[arg-type]  # fields by name


async def asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, **changed: object
) -> tuple[Reply, str]:
    """The reply, and what was shown, to somebody who types this and hangs up."""
    ours, theirs = os.pipe()
    os.write(theirs, typed.encode())
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as stdin, anyio.fail_after(5):
        monkeypatch.setattr(sys, "stdin", stdin)
        reply = await TerminalPerson(Out(color="never")).ask(question(**changed))
    return reply, capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("y\n", Reply(word="approve")),
        ("YES\n", Reply(word="approve")),
        ("what\n\ny\n", Reply(word="approve")),
        ("s\n", Reply(word="approve", scope="session")),
        ("t\n", Reply(word="approve", scope="shape")),
        ("a\n", Reply(word="approve", scope="always")),
        ("n\n", Reply(word="reject")),
        ("r\nwrong ann \n", Reply(word="reject", reason="wrong ann")),
        ("", Reply(word="absent")),
        ("v\n", Reply(word="absent")),
    ],
)
async def test_each_key_is_a_word_and_a_reach(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, reply: Reply
) -> None:
    assert (await asked(monkeypatch, capsys, typed))[0] == reply


async def test_a_key_that_is_not_offered_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reply, shown = await asked(monkeypatch, capsys, "a\ns\nn\n", scopes=("once",))

    assert reply == Reply(word="reject")
    assert "allow it? y/n/r " in shown


async def test_the_call_is_shown_whole_with_what_it_would_do_and_why_and_cannot_rewrite_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = await asked(monkeypatch, capsys, "y\n")

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "a\\x1b[2Jb\\u202ec" in shown
    for part in ("send", "sending to ann", "second", "-old", "+new", "because   preset workspace"):
        assert part in shown
    assert "t  yes, every call of send to=ann in any session" in shown


async def test_what_is_long_is_cut_with_its_length_and_shown_whole_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = '{"text": "' + "x" * SHOWN_CHARACTERS + 'END"}'

    _, cut = await asked(monkeypatch, capsys, "y\n", arguments=arguments)
    _, whole = await asked(monkeypatch, capsys, "v\ny\n", arguments=arguments)

    assert "... 3 more characters: v" in cut
    assert "END" not in cut
    assert "END" in whole


def test_where_a_yes_usually_holds_for_the_session_once_is_a_key_of_its_own() -> None:
    keys = dict(key_lines(question(usual="session", scopes=("once", "session"))))

    assert keys["y"].startswith("yes, every call of send to=ann in this session")
    assert keys["o"] == "yes, this call alone"
