"""`hilt trust` and what `hilt policy explain` tells of a command."""

import json
from pathlib import Path

import pytest

from hilt.cli.policy import WIDTH
from tests.command import Hilt
from tests.unit.assembly.gateway.kit import Told

RULES = '[[policy.rules]]\nword = "allow"\ncommands = ["git push"]\nname = "pushing is fine"\n'


def test_a_project_is_trusted_listed_and_forgotten(hilt: Hilt, here: Path) -> None:
    file = here / "hilt.toml"
    file.write_text(RULES, encoding="utf-8")

    assert hilt("trust", "--list").out == "nothing is trusted\n"
    assert hilt("trust").out == f"trusted: {file}, until it changes\n"
    assert hilt("trust", "--list", "--json").json["files"] == [{"path": str(file), "state": "trusted"}]
    file.write_text(RULES + "#\n", encoding="utf-8")
    assert "changed since, so not trusted" in hilt("trust", "--list").out
    assert hilt("trust", str(here), "--json").json["trusted"] == str(file)
    assert hilt("trust", "--remove", str(here)).out == f"not trusted any more: hilt.toml and pyproject.toml of {here}\n"
    hilt("trust")
    file.unlink()
    assert "not there" in hilt("trust", "--list").out


def test_what_is_not_there_cannot_be_trusted_or_forgotten(hilt: Hilt, here: Path) -> None:
    none, unknown = hilt("trust"), hilt("trust", "--remove")

    assert (none.code, unknown.code) == (2, 2)
    assert "no hilt.toml stands in . or above it" in none.err
    assert "hilt trust --list" in unknown.err


def test_servers_of_another_program_wait_for_a_yes_to_exactly_their_command(hilt: Hilt, here: Path) -> None:
    told = Told(here, "one", "read")
    file = here / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"one": told.table(), "off": {"url": "https://a.example/mcp"}}}))
    (here / "hilt.toml").write_text('servers_from = ["mcp.json"]\n')
    hilt("trust")

    before = hilt("tools", str(file))
    asked = hilt("trust", str(file))
    agreed = hilt("trust", "--yes", str(file))
    listed = hilt("tools", str(file))
    called = hilt("call", "one/read", "--approve")
    file.write_text(json.dumps({"mcpServers": {"one": told.table(env={"A": "b"})}}))
    changed = hilt("tools", str(file))
    removed = hilt("trust", "--remove", str(file))

    assert f"try: hilt trust {file}" in before.err
    assert asked.code == 3
    assert "which starts:" in asked.err
    assert "https://a.example/mcp" in asked.err
    assert agreed.out == "agreed to: one, off, until their commands change\n"
    assert "one__read" in listed.out
    assert '"called": "read"' in called.out
    assert "nobody has agreed" in changed.err
    assert removed.code == 2


def explained(hilt: Hilt, command: str, *more: str) -> dict[str, object]:
    arguments = json.dumps({"command": command})
    return hilt("policy", "explain", "run_command", arguments, "-c", "isolation.mode=off", "--json", *more).json


def test_a_trusted_projects_rule_allows_and_the_answer_names_it(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text(RULES, encoding="utf-8")

    before = explained(hilt, "git push")
    hilt("trust")
    after = explained(hilt, "git push")

    assert (before["decision"], before["shape"]) == ("ask", "git push")
    assert (after["decision"], after["layer"], after["rule"]) == ("allow", "project", "pushing is fine")


def test_an_explanation_shows_every_fact_of_a_command(hilt: Hilt, here: Path) -> None:
    document = explained(hilt, "cat notes.txt /etc/hosts; frob > app.py")

    proof = document["proof"]
    assert isinstance(proof, dict)
    (command,) = proof["commands"]
    assert [each["words"] for each in command["runs"]] == [["cat", "notes.txt", "/etc/hosts"], ["frob"]]
    assert [each["real"] for each in command["reads"]] == [str(here / "notes.txt"), "/etc/hosts"]
    assert [each["real"] for each in command["writes"]] == [str(here / "app.py")]
    assert command["unproved"][0]["column"] == 27
    assert proof["risk"] == "high"


@pytest.mark.parametrize("command", ["frob $(date -s 1) > /etc/x; ls | xargs rm -rf", "cat notes.txt"])
def test_an_explanation_for_people_fits_a_terminal_of_80_columns(hilt: Hilt, here: Path, command: str) -> None:
    (here / "hilt.toml").write_text(
        '[[policy.rules]]\nword = "limit"\nmost = 5\nwindow_s = 60\nname = "few"\n', encoding="utf-8"
    )
    arguments = json.dumps({"command": command})

    out = hilt("policy", "explain", "run_command", arguments, "-c", "isolation.mode=off").out

    wide = [line for line in out.splitlines() if len(line) > WIDTH]
    assert all(len(line.split()) <= len(("reads", "a path that no line can hold")) for line in wide), wide
    assert "\nruns " in out
    assert "\nlimit " in out


def test_an_explanation_knows_what_isolation_would_give(hilt: Hilt) -> None:
    arguments = json.dumps({"command": "npm test"})
    walls = hilt("policy", "explain", "run_command", arguments, "--json").json["proof"]
    bare = explained(hilt, "npm test")["proof"]

    assert isinstance(walls, dict)
    assert isinstance(bare, dict)
    assert set(bare.get("properties", ())) <= {"kill_complete"}
    assert set(walls.get("properties", ())) >= set(bare.get("properties", ()))


def test_a_rule_that_is_too_wide_stops_every_verb_with_its_place(hilt: Hilt, here: Path) -> None:
    (here / "mine.toml").write_text('[[policy.rules]]\nword = "allow"\ntools = "run_*"\n', encoding="utf-8")

    ran = hilt("call", "read_file", "{}", "--config", str(here / "mine.toml"))

    assert ran.code == 2
    assert "allows run_command to run anything" in ran.err
    assert str(here / "mine.toml") in ran.err
