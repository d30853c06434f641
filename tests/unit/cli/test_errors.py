"""Errors by the law, and exit codes by the table."""

import json
import os
from pathlib import Path

import click
import pytest

from hilt.cli.faults import Code, CommandError, Fault, explained, fault_of, wants_json, worst
from hilt.errors import ConfigError, EndpointError, MissingExtra, StoreLocked
from tests.command import Hilt


@pytest.mark.parametrize(
    ("arguments", "what", "step"),
    [
        (["shwo"], "no such command 'shwo'; did you mean show?", "hilt show"),
        (["tools", "--jsno"], "no such option '--jsno'; did you mean --json?", "hilt tools --json"),
        (["call"], "missing argument 'NAME'", "hilt call --help"),
        (["bill", "--window", "0"], "invalid value for '--window'", "hilt bill --help"),
        (["tools", "--workspace", "/absent"], "invalid value for '--workspace'", "hilt tools --help"),
        (["new", "search_notes"], "does not know 'search_notes'", "hilt new tool search_notes"),
        (["policy", "explian"], "no such command 'explian'; did you mean explain?", "hilt policy explain"),
        (["tools", "absent.json"], "absent.json cannot be read", "name a file that exists"),
        (["tools", "-c", "polcy.preset=x"], "there is no key polcy.preset", "-c policy.preset=VALUE"),
        (["show", "--name", "read_fil"], "no tool is named 'read_fil'", "--name read_file"),
        (["log", "tol:x"], "no key 'tol'", "tool:x"),
        (["log", "since:soon"], "'soon' is no length of time", "since:2h"),
        (["log", "purge", "--older", "soon"], "'soon' is no length of time", "--older 36h"),
        (["log", "show", "nothing/1"], "no call 'nothing/1' is kept", "hilt log lists"),
        (["policy", "explain", "read_fil"], "there is no tool 'read_fil'", "read_file"),
        (["call", "x", "-o", "/absent/file"], "cannot be written", "-o FILE"),
        (["zzzzzz"], "no such command 'zzzzzz'", "hilt --help"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_wrong_use_says_what_and_what_to_try_and_exits_with_2(
    hilt: Hilt, arguments: list[str], what: str, step: str
) -> None:
    people = hilt(*arguments)
    programs = hilt(*arguments, "--json")

    assert people.code == programs.code == 2
    assert people.out == programs.out == ""
    first, *rest = people.err.splitlines()
    assert first.startswith("error: ")
    assert what in first
    assert any(line.startswith("try: ") and step in line for line in rest)
    assert what in str(programs.error["message"])
    assert step in str(programs.error["hint"])


def test_a_broken_configuration_is_wrong_use(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text("[polcy]\n", encoding="utf-8")

    ran = hilt("tools")

    assert ran.code == 2
    assert "there is no key polcy" in ran.err
    assert "try: use policy instead" in ran.err


def test_a_server_that_is_not_there_exits_with_4(hilt: Hilt) -> None:
    ran = hilt("tools", "--json", "--", "/absent/program")

    assert ran.code == 4
    assert ran.error["code"] == "server_unreachable"
    assert ran.out == ""


def test_of_several_targets_those_that_can_be_read_are_shown(hilt: Hilt, here: Path) -> None:
    (here / "a.json").write_text('[{"name": "read"}]', encoding="utf-8")

    ran = hilt("tools", "a.json", "--json", "--", "/absent/program")

    assert ran.code == 4
    assert [tool["name"] for tool in ran.json["tools"]] == ["read"]  # type: ignore[index, union-attr]
    assert ran.error["code"] == "server_unreachable"


@pytest.mark.parametrize(
    ("codes", "code"),
    [([], 0), ([0, 5], 5), ([5, 4, 0], 4), ([4, 3], 3), ([3, 1, 4, 5], 1)],
)
def test_the_worst_of_several_targets_counts(codes: list[int], code: int) -> None:
    assert worst(codes) == code


@pytest.mark.parametrize(
    ("error", "code", "label"),
    [
        (ConfigError("x", "y"), 2, "config"),
        (StoreLocked("x", "y"), 4, "store_locked"),
        (EndpointError("x", "y"), 4, "endpoint"),
        (MissingExtra("x", "tokens"), 2, "missing_extra"),
        (CommandError("x", "y", code=Code.CONSENT, label="consent"), 3, "consent"),
    ],
)
def test_each_mistake_has_its_code_and_a_stable_name(error: ConfigError, code: int, label: str) -> None:
    fault = fault_of(error)

    assert (fault.code, fault.label) == (code, label)


def test_a_cause_is_told_once() -> None:
    def caused(cause: BaseException) -> str:
        error = ConfigError("the file cannot be read: Permission denied", "mend it")
        error.__cause__ = cause
        return fault_of(error).why

    assert caused(PermissionError(13, "Permission denied")) == ""
    assert caused(ValueError("line 3 is odd\nand more")) == "line 3 is odd"


def test_an_error_for_people_is_what_why_and_what_to_try() -> None:
    fault = Fault(code=2, label="x", what="it broke", why="it was thin", steps=("hilt doctor",))

    assert fault.text() == "error: it broke\ncause: it was thin\ntry: hilt doctor"


@pytest.mark.parametrize("raised", [KeyboardInterrupt, click.Abort])
def test_an_interruption_exits_with_130_and_says_nothing(
    raised: type[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise raised

    assert explained(work, as_json=False) == 130
    assert capsys.readouterr().err == ""


def test_a_fault_of_hilt_itself_is_no_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> int:
        return 1 // 0

    monkeypatch.delenv("HILT_DEBUG", raising=False)
    assert explained(work, as_json=True) == 5
    quiet = capsys.readouterr().err
    monkeypatch.setenv("HILT_DEBUG", "1")
    assert explained(work, as_json=False) == 5
    loud = capsys.readouterr().err

    assert json.loads(quiet)["error"]["code"] == "internal"
    assert "Traceback" in loud
    assert "error: hilt itself failed: ZeroDivisionError" in loud


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["tools", "--json"], True),
        (["tools", "--output-format", "json"], True),
        (["tools", "--output-format=json"], True),
        (["tools", "--", "server", "--json"], False),
        (["tools"], False),
    ],
)
def test_whether_errors_are_json_is_told_from_the_bare_line(
    arguments: list[str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HILT_OUTPUT_FORMAT", raising=False)

    assert wants_json(arguments) is wanted


def test_the_environment_can_ask_for_json(hilt: Hilt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_OUTPUT_FORMAT", "json")

    assert hilt("config", "path").json["files"]
    assert hilt("tools", "absent.json").error["code"] == "config"


def test_a_reader_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = os.fork()
    if child == 0:  # pragma: no cover - in the child
        os.dup2(writing, 1)
        from hilt.cli import main

        os._exit(main(["config", "schema"]))
    os.close(writing)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
