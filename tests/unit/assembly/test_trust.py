"""A project's file that nobody has trusted only tightens."""

from pathlib import Path

import pytest

from hilt.assembly.config import Config, read_config
from hilt.assembly.rules import policy_of
from hilt.calls.resolver import PathFact
from hilt.declarations.effects import Deed, Effects
from hilt.policy.facts import Facts

INSIDE = PathFact(asked="/x", real="/x", inside=True, kind="file")


def untrusted(project: Path, text: str, *settings: str) -> Config:
    (project / "hilt.toml").write_text(text, encoding="utf-8")
    return read_config(settings=settings)


def users(home: Path, text: str) -> None:
    (home / "config" / "hilt" / "hilt.toml").write_text(text, encoding="utf-8")


def word(config: Config, tool: str, *deeds: Deed) -> str:
    facts = Facts(tool=tool, effects=Effects(does=frozenset(deeds)), paths=(INSIDE,))
    return policy_of(config).decide(facts).word


@pytest.mark.parametrize(
    ("asked", "in_force"), [("read-only", "read-only"), ("workspace", "workspace"), ("unattended", "workspace")]
)
def test_a_preset_is_taken_where_it_is_stricter(project: Path, asked: str, in_force: str) -> None:
    config = untrusted(project, f"[policy]\npreset = '{asked}'\n")

    assert config.text("policy.preset") == in_force
    assert bool(config.notes) == (asked != in_force)


def test_a_preset_that_loosens_the_users_own_is_left_out(project: Path, home: Path) -> None:
    users(home, "[policy]\npreset = 'read-only'\n")

    assert untrusted(project, "[policy]\npreset = 'workspace'\n").text("policy.preset") == "read-only"


@pytest.mark.parametrize("text", ["tools = ['evil.py']", "[store]\nwhere = '/tmp/x.db'", "[log]\nkeep = '1s'"])
def test_what_runs_code_or_chooses_where_state_is_kept_is_left_out_and_said(project: Path, text: str) -> None:
    config = untrusted(project, text)

    assert all(each.origin.layer == "default" for each in config.settings.values())
    (note,) = config.notes
    assert f"{project / 'hilt.toml'} is not trusted" in note
    assert f"--config {project / 'hilt.toml'}" in note


def test_rules_that_deny_and_ask_count_and_rules_that_allow_do_not(project: Path) -> None:
    text = """
    [[policy.rules]]
    word = "allow"
    tools = "run_*"
    [[policy.rules]]
    word = "deny"
    tools = "read_*"
    [[policy.rules]]
    word = "ask"
    tools = "find_*"
    """

    config = untrusted(project, text)

    assert word(config, "run_command", "run") == "ask"
    assert word(config, "read_file") == "deny"
    assert word(config, "find_files") == "ask"
    assert "policy.rules that allow (1)" in config.notes[0]


def test_an_untrusted_ask_does_not_lift_what_the_preset_denies(project: Path, home: Path) -> None:
    users(home, "[policy]\npreset = 'unattended'\n")

    config = untrusted(project, "[[policy.rules]]\nword = 'ask'\n")

    assert word(config, "send_mail", "send") == "deny"
    assert word(config, "run_command", "run") == "deny"
    assert word(config, "read_file") == "deny"  # under `unattended` nobody is asked


def test_an_untrusted_ask_about_denied_acts_alone_is_no_rule_at_all(project: Path, home: Path) -> None:
    users(home, "[policy]\npreset = 'unattended'\n")

    config = untrusted(project, "[[policy.rules]]\nword = 'ask'\nactions = ['send']\n")

    assert word(config, "send_mail", "send") == "deny"
    assert word(config, "read_file") == "allow"


def test_rules_of_the_user_stand_beside_those_of_the_project(project: Path, home: Path) -> None:
    users(home, "[[policy.rules]]\nword = 'deny'\ntools = 'send_*'\n")

    config = untrusted(project, "[[policy.rules]]\nword = 'deny'\ntools = 'read_*'\n")

    assert [word(config, name) for name in ("send_mail", "read_file", "find_files")] == ["deny", "deny", "allow"]


def test_roots_only_narrow(project: Path) -> None:
    (project / "src").mkdir()

    config = untrusted(project, "[workspace]\nroots = ['src', '..', '/']\n")

    assert config.paths("workspace.roots") == (project / "src",)
    assert "part of workspace.roots" in config.notes[0]


def test_roots_that_only_widen_are_left_out(project: Path) -> None:
    assert untrusted(project, "[workspace]\nroots = ['/']\n").paths("workspace.roots") == ()


def test_the_shelf_only_shrinks(project: Path, home: Path) -> None:
    users(home, "shelf = ['read_file', 'find_files']\n")

    config = untrusted(project, "shelf = ['read_file', 'search_code']\n")

    assert config.texts("shelf") == ("read_file",)


def test_a_flag_may_loosen_what_an_untrusted_file_tightened(project: Path) -> None:
    config = untrusted(project, "[policy]\npreset = 'read-only'\n", "policy.preset=unattended")

    assert config.text("policy.preset") == "unattended"


def test_a_trusted_file_says_what_it_likes(project: Path) -> None:
    file = project / "hilt.toml"
    file.write_text("[[policy.rules]]\nword = 'allow'\ntools = 'run_*'\nname = 'mine'\n", encoding="utf-8")

    config = read_config(file=file)

    assert word(config, "run_command", "run") == "allow"
    assert config.notes == ()
