"""What is printed where, and how tables line up."""

import io
import sys

import pytest

from hilt.cli.output import Out
from hilt.cli.table import columns, cut, pairs, table


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in the place of both streams; not a fixture, for pytest puts its own streams back before a test."""
    stream = Terminal()
    for name in ("NO_COLOR", "HILT_NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def painted(out: Out) -> bool:
    return out.paint("x", "good") != "x"


def test_colours_are_for_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    watched(monkeypatch)
    assert painted(Out())
    assert not painted(Out(color="never"))
    for name, value in (("NO_COLOR", "1"), ("HILT_NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert not painted(Out()), name
            assert painted(Out(color="always"))


def test_elsewhere_colours_are_shown_only_when_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not painted(Out())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert painted(Out())


def test_progress_is_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    for quiet in (Out(quiet=True), Out(json=True)):
        quiet.progress("working")
    monkeypatch.setenv("TERM", "dumb")
    Out().progress("working")
    assert terminal.getvalue() == ""
    monkeypatch.setenv("TERM", "xterm")
    Out().progress("working")
    assert terminal.getvalue() == "\r\x1b[Kworking"


def test_notes_are_for_people_who_want_them(capsys: pytest.CaptureFixture[str]) -> None:
    for out in (Out(quiet=True), Out(json=True)):
        out.note("x")
    assert capsys.readouterr().err == ""
    Out().note("something")
    assert capsys.readouterr().err == "note: something\n"


def test_nobody_is_asked_without_a_terminal_or_with_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    watched(monkeypatch)
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert Out().asks
    assert not Out(no_input=True).asks
    assert not Out(json=True).asks
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert not Out().asks


def test_tables_line_up_by_what_a_terminal_shows() -> None:
    drawn = table(("NAME", "N"), [("日本", "1"), ("cafe\u0301", "1,000")], right="lr")

    assert drawn == "NAME      N\n日本      1\ncafe\u0301  1,000"
    assert pairs([("a", "1"), ("日本", "2"), ("", "3")]) == "a     1\n日本  2\n      3"


def test_a_long_text_is_cut_to_its_columns_on_one_line() -> None:
    assert cut("one\n  two", 20) == "one two"
    assert cut("one two three", 8) == "one two…"
    assert columns(cut("日本語の長い文", 6)) <= 6
