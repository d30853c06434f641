"""What the doctor says of protection: only what was tried, in words, within a terminal's width."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from hilt.assembly.config import read_config
from hilt.assembly.protections import ALWAYS_OPEN, BY, KEPT, MAKERS, OPEN, PROPERTIES, Protections, protections
from hilt.calls.resolver import Property
from hilt.cli.doctor import WIDTH
from hilt.workspace import Workspace
from hilt.workspace.isolation.isolation import Bounds, Isolation, Rung
from hilt.workspace.isolation.ladder import bare
from hilt.workspace.isolation.probing import Maker
from tests.command import Hilt, in_process
from tests.needs import missing


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)


def held(folder: Path, settings: str = "", makers: Mapping[Rung, Maker] = MAKERS) -> Protections:
    (folder / "hilt.toml").write_text(settings, encoding="utf-8")
    config = read_config(folder, file=folder / "hilt.toml")
    return protections(config, Workspace([folder]), makers)


def test_every_property_has_words_for_both_cases_and_every_rung_says_by_what() -> None:
    assert set(KEPT) == set(OPEN) == set(PROPERTIES) == set(get_args(Property))
    assert set(BY) == set(MAKERS) == set(get_args(Rung))
    assert set(BY["bubblewrap"]) == set(BY["landlock"]) == set(PROPERTIES)


def test_what_holds_is_said_with_its_means_and_what_does_not_is_said_in_plain_words(tmp_path: Path) -> None:
    found = held(tmp_path)

    for row in found.rows:
        assert row.says == KEPT[row.property], "no host is allowed here"
        assert row.by == (BY[found.rung][row.property] if row.holds else "")
        assert (OPEN[row.property] in found.open) != row.holds
    assert found.open[-len(ALWAYS_OPEN) :] == ALWAYS_OPEN


def test_without_isolation_nothing_is_claimed_but_that_all_a_command_starts_is_ended(tmp_path: Path) -> None:
    found = held(tmp_path, "[isolation]\nmode = 'off'\n")

    assert (found.rung, found.isolates, found.whole) == ("rlimits", False, False)
    assert found.says.startswith("not isolated")
    assert [row.property for row in found.rows if row.holds] == ["kill_complete"]
    assert found.notes[0] == "isolation is turned off (isolation.mode)"


def test_a_wall_that_is_there_and_keeps_nothing_is_not_believed(tmp_path: Path) -> None:
    def pretending(bounds: Bounds) -> Isolation:
        return Isolation(rung="bubblewrap", properties=frozenset(PROPERTIES), says="all is well", bounds=bounds)

    used = held(tmp_path)
    found = held(tmp_path, makers={**MAKERS, used.rung: pretending})

    assert [row.property for row in found.rows if row.holds] == ["kill_complete"]
    assert OPEN["fs_write_confined"] in found.open


def test_what_the_settings_open_is_named_with_the_key_that_opens_it(tmp_path: Path) -> None:
    settings = "[isolation]\nhosts = ['example.org']\nreadable = ['.']\nwritable = ['out']\nenvironment = ['MY_NAME']\n"

    found = held(tmp_path, settings)
    said = "\n".join(found.open)

    network = next(row.says for row in found.rows if row.property == "net_blocked")
    reached = found.rung == "bubblewrap"
    assert ("what is sent to the servers of example.org (isolation.hosts)" in said) == reached
    assert network == KEPT["net_blocked"] + (" but for 1 host" if reached else "")
    assert f"what can be read in {tmp_path} (isolation.readable)" in said
    assert f"what can be changed in {tmp_path / 'out'} (isolation.writable)" in said


def test_variables_that_commands_do_not_get_are_named_until_the_settings_give_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY_OF_MINE", "sesame")
    before = held(tmp_path).notes
    after = held(tmp_path, "[isolation]\nenvironment = ['A_KEY_OF_MINE']\n").notes

    assert any("A_KEY_OF_MINE" in note for note in before)
    assert not any("A_KEY_OF_MINE" in note for note in after)
    assert "sesame" not in "".join(before)


def test_a_rung_that_cannot_be_had_is_named_with_the_reason(tmp_path: Path) -> None:
    makers: Mapping[Rung, Maker] = {"bubblewrap": lambda _: None, "landlock": lambda _: None, "rlimits": bare_one}
    found = held(tmp_path, makers={**makers, held(tmp_path).rung: bare_one})

    for note in found.notes:
        assert "is not used: what it needs is not on this machine" in note or note.startswith("commands are not given")


def bare_one(bounds: Bounds) -> Isolation:
    return bare(bounds, "a test")


def test_the_words_about_protection_fit_a_terminal(hilt: Hilt) -> None:
    about = hilt("doctor").out.partition("\n\n")[2]

    assert about.startswith("protected from commands and code")
    assert "\nnot protected\n" in about
    assert max(map(len, about.splitlines())) <= WIDTH


def test_the_document_has_every_property_once(hilt: Hilt) -> None:
    isolation = json.loads(hilt("doctor", "--json").out)["isolation"]

    assert [row["property"] for row in isolation["properties"]] == list(PROPERTIES)
    assert set(isolation) == {"rung", "properties", "not_protected", "notes"}


def test_hosts_that_a_rung_cannot_let_through_are_said_to_be_out_of_reach(tmp_path: Path) -> None:
    done = on_host("container", "doctor", "--json", "-c", "isolation.hosts=['example.org']", folder=tmp_path)
    isolation = json.loads(done)["isolation"]
    if isolation["rung"] != "landlock":
        missing("Landlock is not here: it lets no host through")

    assert "commands do not reach example.org (isolation.hosts): that takes bubblewrap" in isolation["notes"]
    assert not any("example.org" in text for text in isolation["not_protected"])


def on_host(name: str, *arguments: str, folder: Path) -> str:
    """What `hilt` says on such a machine."""
    words = [
        sys.executable,
        str(Path(__file__).parents[2] / "hosts.py"),
        name,
        sys.executable,
        "-m",
        "hilt",
        *arguments,
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True
    ).stdout
