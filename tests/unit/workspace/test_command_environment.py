"""What a command is given of the host's environment, and what is said of the rest."""

from pathlib import Path

import pytest

from hilt.workspace.commands.environment import MOST_NAMED, SETTING, command_environment, missed_by, told_of

TOKEN = "ghp_" + "a1B2" * 9
HARMFUL = {
    "LD_PRELOAD": "/x.so",
    "LD_LIBRARY_PATH": "/x",
    "BASH_ENV": "/x",
    "ENV": "/x",
    "PROMPT_COMMAND": "x",
    "PYTHONPATH": "/x",
    "PYTHONSTARTUP": "/x",
    "NODE_OPTIONS": "--require /x",
    "PERL5OPT": "-ME",
    "RUBYOPT": "-rx",
    "JAVA_TOOL_OPTIONS": "-javaagent:x",
    "GOFLAGS": "-toolexec=x",
    "RUSTC_WRAPPER": "x",
    "MAKEFLAGS": "--eval=x",
    "GIT_SSH_COMMAND": "x",
    "GIT_EXTERNAL_DIFF": "x",
    "GIT_CONFIG_COUNT": "1",
    "GIT_DIR": "/x",
    "PAGER": "x",
    "EDITOR": "x",
    "SSH_AUTH_SOCK": "/x",
    "IFS": ",",
    "BASH_FUNC_ls%%": "() { x; }",
}
NEEDED = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/ann",
    "LC_ALL": "C.UTF-8",
    "VIRTUAL_ENV": "/w/.venv",
    "CARGO_HOME": "/c",
    "NVM_DIR": "/n",
    "JAVA_HOME": "/j",
    "GIT_AUTHOR_NAME": "Ann",
    "PIP_INDEX_URL": "https://mirror.example/simple",
}


@pytest.mark.parametrize("name", HARMFUL)
def test_what_makes_programs_run_other_code_or_reach_a_persons_agents_is_not_given(name: str) -> None:
    made = command_environment(host={**NEEDED, name: HARMFUL[name]})

    assert made.given == NEEDED
    assert made.withheld == (name,)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_SETTING", "GH_TOKEN"])
def test_keys_and_names_nobody_knows_are_not_given_and_are_named_without_their_value(name: str) -> None:
    made = command_environment(host={name: "sesame"})

    assert name not in made.given
    assert told_of(made) == f"commands are not given {name}"


def test_a_known_name_that_holds_a_credential_is_withheld_for_that() -> None:
    made = command_environment(host={**NEEDED, "PIP_INDEX_URL": "https://ann:hunter2@mirror.example/simple"})

    assert made.secrets == made.withheld == ("PIP_INDEX_URL",)
    assert "PIP_INDEX_URL for what looks like a credential in it" in told_of(made)
    assert "hunter2" not in told_of(made)


def test_a_person_adds_names_and_patterns_but_a_pattern_gives_no_credential() -> None:
    host = {"MY_ONE": "1", "MY_TOKEN": "sesame", "MY_TWO": TOKEN, "OTHER_KEY": TOKEN}

    made = command_environment(["MY_*", "OTHER_KEY"], host)

    assert made.given == {"MY_ONE": "1", "OTHER_KEY": TOKEN}
    assert made.withheld == ("MY_TOKEN", "MY_TWO")


def test_folders_for_temporary_files_are_given_where_they_exist(tmp_path: Path) -> None:
    made = command_environment(host={"TMPDIR": str(tmp_path), "TEMP": str(tmp_path / "gone")})

    assert made.given == {"TMPDIR": str(tmp_path)}


def test_what_a_path_finds_does_not_depend_on_the_folder() -> None:
    assert command_environment(host={"PATH": ".:/usr/bin::bin:/bin"}).given == {"PATH": "/usr/bin:/bin"}


def test_nothing_is_set_that_the_host_has_not() -> None:
    assert command_environment(host={}).given == {}


def test_bytes_that_are_no_text_arrive_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_X", b"\xff".decode("utf-8", "surrogateescape"))

    assert command_environment().given["LC_X"] == "\udcff"


def test_a_command_that_uses_what_it_is_not_given_is_told_how_to_get_it() -> None:
    made = command_environment(host={"A_TOKEN": "x", "B": "y", "PATH": "/bin"})

    assert missed_by("curl -H ${A_TOKEN} $PATH", made) == (
        f"A_TOKEN is set here but not given to commands; the person can add it to {SETTING}"
    )
    assert missed_by("echo $B ${B} $A_TOKEN", made).startswith("B, A_TOKEN are set here")
    assert missed_by("echo $HOME B", made) == ""


def test_a_model_reads_a_long_list_of_names_cut_with_their_number_and_a_person_reads_all() -> None:
    names = [f"X{number:02}" for number in range(MOST_NAMED + 3)]
    made = command_environment(host=dict.fromkeys(names, "1"))

    said = missed_by(" ".join(f"${name}" for name in names), made)
    assert said.startswith(f"{', '.join(names[:MOST_NAMED])} and 3 more are set here")
    assert all(name in told_of(made) for name in names)
    assert told_of(command_environment(host={"PWD": "/x", "_": "x"})) == ""
