"""Settings: where they come from, which wins, and what is refused."""

from datetime import timedelta
from pathlib import Path

import pytest

from hilt.assembly import keys
from hilt.assembly.config import read_config
from hilt.errors import ConfigError


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_without_any_file_the_defaults_of_the_schema_hold(project: Path) -> None:
    config = read_config()

    assert config.text("policy.preset") == "workspace"
    assert config.number("results.turn_tokens") == 25_000
    assert config.duration("log.keep") == timedelta(days=14)
    assert config.texts("shelf") is None
    assert config.texts("tools") == ()
    assert {str(each.origin) for each in config.settings.values()} == {"default"}


def test_flag_beats_environment_beats_project_beats_user(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(
        home / "config" / "hilt" / "hilt.toml",
        "[review]\nwait = 1\n[results]\nturn_tokens = 1001\nform = 'json'\n[log]\nlevel = 'error'\n",
    )
    written(project / "hilt.toml", "[results]\nturn_tokens = 1002\nform = 'text'\n[log]\nlevel = 'info'\n")
    monkeypatch.setenv("HILT_RESULTS_TURN_TOKENS", "1003")
    monkeypatch.setenv("HILT_LOG", "debug")

    config = read_config(settings=("results.turn_tokens=1004",))

    found = {key: (config.value(key), layer) for key in keys.leaves() if (layer := _layer(config.origin(key)))}
    assert found["results.turn_tokens"] == (1004, "flag")
    assert found["log.level"] == ("debug", "environment")
    assert found["results.form"] == ("text", "project")
    assert found["review.wait"] == (1, "user")
    assert found["results.counter"] == ("auto", "default")


def _layer(origin: object) -> str:
    return getattr(origin, "layer", "")


def test_the_nearest_file_upward_counts_and_hilt_toml_goes_before_pyproject(tmp_path: Path) -> None:
    written(tmp_path / "hilt.toml", "[review]\nwait = 1\n")
    written(tmp_path / "a" / "pyproject.toml", "[tool.hilt.review]\nwait = 2\n")
    written(tmp_path / "a" / "b" / "pyproject.toml", "[project]\nname = 'no settings here'\n")
    both = tmp_path / "c"
    written(both / "pyproject.toml", "[tool.hilt.review]\nwait = 3\n")
    written(both / "hilt.toml", "[review]\nwait = 4\n")

    assert read_config(tmp_path / "a" / "b").number("review.wait") == 2
    assert read_config(both).number("review.wait") == 4
    assert read_config(tmp_path).number("review.wait") == 1


def test_a_broken_pyproject_without_settings_of_hilt_stands_in_nobodys_way(project: Path) -> None:
    written(project / "pyproject.toml", "this is = = not TOML")

    assert read_config().text("policy.preset") == "workspace"


def test_a_file_that_is_named_is_used_alone_and_trusted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(project / "hilt.toml", "[review]\nwait = 5\n")
    named = written(project / "other.toml", "[policy]\npreset = 'unattended'\n")

    by_flag = read_config(file=named)
    monkeypatch.setenv("HILT_CONFIG", str(named))
    by_variable = read_config()

    for config in (by_flag, by_variable):
        assert config.text("policy.preset") == "unattended"
        assert config.number("review.wait") == 120
        assert config.notes == ()


@pytest.mark.parametrize(
    ("text", "problem", "step"),
    [
        ("[polcy]\npreset = 'workspace'", "there is no key polcy", "use policy instead"),
        ("[policy]\nprest = 'workspace'", "there is no key policy.prest", "use preset instead"),
        ("[policy]\npreset = 'free'", 'policy.preset is "free", expected one of "read-only"', "change policy.preset"),
        ("[results]\nturn_tokens = 'many'", 'results.turn_tokens is "many", expected integer >= 500', "change"),
        ("[log]\nkeep = 'long'", 'log.keep is "long"', "change log.keep"),
        ("[[policy.rules]]\ntools = 'x'", "policy.rules[0].word is nothing", "add policy.rules[0].word"),
        ("a = = 1", "is not TOML", "correct that line"),
    ],
    ids=["table", "key", "choice", "type", "pattern", "missing", "syntax"],
)
def test_what_a_file_cannot_say_is_refused_with_the_place_and_the_way_out(
    project: Path, text: str, problem: str, step: str
) -> None:
    file = written(project / "hilt.toml", text)

    with pytest.raises(ConfigError) as caught:
        read_config()

    assert str(file) in caught.value.problem
    assert problem in caught.value.problem
    assert step in " ".join(caught.value.next_steps)


@pytest.mark.parametrize(
    ("setting", "problem", "step"),
    [
        ("review.wiat=1", "there is no key review.wiat", "-c review.wait=VALUE"),
        ("review.wait", "no value is given", "-c review.wait=VALUE"),
        ("review.wait=soon", 'review.wait is "soon", expected number', "change review.wait"),
        ("zzz=1", "there is no key zzz", "hilt config show"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(project: Path, setting: str, problem: str, step: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(settings=(setting,))

    assert problem in caught.value.problem
    assert step in caught.value.next_steps[0]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("policy.preset=read-only", "read-only"),
        ('policy.preset="read-only"', "read-only"),
        ("review.wait=2.5", 2.5),
        ('shelf=["read_file"]', ["read_file"]),
        ("shelf=read_file", ["read_file"]),
        ("log.keep=2d", "2d"),
        ("store.where=7", "7"),
    ],
)
def test_a_setting_is_written_as_toml_or_as_a_bare_word(project: Path, setting: str, value: object) -> None:
    key = setting.partition("=")[0]

    assert read_config(settings=(setting,)).value(key) == value


def test_paths_start_from_the_file_that_names_them(project: Path, home: Path) -> None:
    written(home / "config" / "hilt" / "hilt.toml", "[workspace]\nroots = ['..']\n")

    assert [path.resolve() for path in read_config().paths("workspace.roots")] == [home / "config"]


def test_the_workspace_flag_wins_over_roots_of_a_file(project: Path, home: Path) -> None:
    written(home / "config" / "hilt" / "hilt.toml", "[workspace]\nroots = ['/']\n")

    config = read_config(project)

    assert config.paths("workspace.roots") == (project,)
    assert _layer(config.origin("workspace.roots")) == "flag"


def test_the_users_own_file_is_not_read_twice_as_a_projects(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(home / "config" / "hilt" / "hilt.toml", "[policy]\npreset = 'unattended'\n")
    monkeypatch.chdir(home / "config" / "hilt")

    config = read_config()

    assert config.text("policy.preset") == "unattended"
    assert config.notes == ()


def test_every_key_of_the_schema_says_what_it_is() -> None:
    assert [key for key, node in keys.leaves().items() if not node.get("description")] == []
