"""`hilt log`, `hilt config`, `hilt policy explain`, `hilt doctor`, `hilt new`, completion, help."""

import json
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import jsonschema_rs
import pytest

from hilt.cli.verbs import VERBS
from tests.command import Hilt


def call(hilt: Hilt, here: Path, name: str = "notes.txt", session: str = "mine") -> None:
    hilt("call", "read_file", json.dumps({"path": str(here / name)}), "--session", session)


def test_the_log_shows_calls_latest_first_and_words_choose_among_them(hilt: Hilt, here: Path) -> None:
    call(hilt, here)
    call(hilt, here, "absent.txt")
    call(hilt, here, session="other")

    everything = hilt("log", "--json").json["calls"]
    assert isinstance(everything, list)
    assert [each["status"] for each in everything] == ["success", "error", "success"]
    assert [each["session"] for each in everything] == ["other", "mine", "mine"]
    for words, count in (
        (["status:error"], 1),
        (["!status:error", "session:mine"], 1),
        (["tool:read_*", "since:1h"], 3),
        (["session:m*"], 2),
        (["rule:workspace/read"], 3),
        (["notes"], 2),
        (["zanzibar"], 0),
        (["calls", "status:error"], 1),
    ):
        assert len(hilt("log", *words, "--json").json["calls"]) == count, words  # type: ignore[arg-type]


def test_the_log_for_people_is_a_table_and_says_when_it_is_empty(hilt: Hilt, here: Path) -> None:
    assert hilt("log").out.startswith("no call has been made yet")
    call(hilt, here)

    assert hilt("log").out.splitlines()[0].split() == ["TIME", "TOOL", "STATUS", "MS", "BYTES", "CALL", "ACTIVITY"]
    assert hilt("log", "zanzibar").out == "no call matches\n"
    assert "mine" in hilt("log", "sessions").out
    assert hilt("log", "--limit", "1", "--json").json["calls"]


def test_one_call_is_shown_step_by_step(hilt: Hilt, here: Path) -> None:
    call(hilt, here)

    steps = hilt("log", "show", "mine/1", "--json").json["steps"]

    assert isinstance(steps, list)
    assert [step["step"] for step in steps][-1] == "answer"
    assert "decide" in hilt("log", "show", "mine/1").out


def test_state_has_a_place_and_is_removed_when_it_is_old(hilt: Hilt, here: Path, tmp_path: Path) -> None:
    call(hilt, here)

    assert hilt("log", "path").out == f"{tmp_path / 'state' / 'hilt.db'}\n"
    assert hilt("log", "purge", "--json").json["events"] == 0
    removed = hilt("log", "purge", "--older", "0s", "--json").json
    assert int(str(removed["events"])) > 0
    assert hilt("log", "sessions", "--json").json["sessions"] == []
    assert "events" in hilt("log", "purge").out
    assert hilt("log", "sessions").out == "no session is kept\n"


def test_the_trace_is_exported_as_json_lines_in_the_order_it_was_written(
    hilt: Hilt, here: Path, tmp_path: Path
) -> None:
    call(hilt, here)
    hilt("call", "read_file", json.dumps({"path": str(here / "notes.txt")}), "--session", "other")
    file = tmp_path / "trace.jsonl"

    assert hilt("log", "export", str(file), "--json").json["events"] == len(file.read_text("utf-8").splitlines())
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {each["schema_version"] for each in events} == {1}
    assert [each["step"] for each in events].count("answer") == 2
    numbers = [each["number"] for each in events]
    assert numbers == sorted(set(numbers))
    assert file.stat().st_mode & 0o777 == 0o600

    one = [json.loads(line) for line in hilt("log", "export", "-", "--session", events[0]["session"]).out.splitlines()]
    assert one == [each for each in events if each["session"] == events[0]["session"]] != events
    again = hilt("log", "export", str(file))
    assert (again.code, "is there already" in again.err) == (2, True)
    assert hilt("log", "export", str(tmp_path / "no" / "trace.jsonl")).code == 2


def test_every_setting_is_shown_with_its_source(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text(
        "[results]\nturn_tokens = 9000\n[[policy.rules]]\nword = 'deny'\n", encoding="utf-8"
    )

    ran = hilt("config", "show", "--origin", "-c", "policy.preset=read-only")

    rows = {line.split()[0]: line for line in ran.out.splitlines()}
    assert rows["policy.preset"].endswith("flag: -c")
    assert rows["results.turn_tokens"].endswith(f"project: {here / 'hilt.toml'} (untrusted)")
    assert rows["policy.rules[0]"].endswith("(untrusted)")
    assert rows["log.keep"].split() == ["log.keep", "14d", "default"]
    assert "ORIGIN" not in hilt("config", "show").out
    settings = hilt("config", "show", "--json").json["settings"]
    assert isinstance(settings, list)
    assert all(set(each) == {"key", "value", "origin"} for each in settings)


def test_the_files_of_settings_are_named(hilt: Hilt, here: Path) -> None:
    assert "none found upward" in hilt("config", "path").out
    (here / "hilt.toml").write_text("", encoding="utf-8")
    assert "in use, untrusted" in hilt("config", "path").out
    assert hilt("config", "path", "--config", "hilt.toml").out.splitlines()[1].endswith("in use")


def test_the_schema_that_ships_is_a_schema_and_holds_settings_to_it(hilt: Hilt) -> None:
    schema = json.loads(hilt("config", "schema").out)

    assert hilt("config", "schema", "--json").json["schema"] == schema
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid({"policy": {"preset": "read-only", "rules": [{"word": "deny"}]}})
    assert not validator.is_valid({"polcy": {}})


@pytest.mark.parametrize(
    ("path", "decision", "kind", "rule"),
    [("{here}/notes.txt", "allow", "proved", "workspace/read"), ("/etc/passwd", "deny", None, "outside-roots")],
)
def test_a_decision_is_explained(hilt: Hilt, here: Path, path: str, decision: str, kind: str | None, rule: str) -> None:
    arguments = json.dumps({"path": path.format(here=here)})

    document = hilt("policy", "explain", "read_file", arguments, "--json").json

    assert {"decision", "kind", "layer", "rule", "reasons", "proof"} <= set(document)
    assert (document["decision"], document["kind"], document["rule"]) == (decision, kind, rule)
    assert document["reasons"]
    people = hilt("policy", "explain", "read_file", arguments)
    assert (people.code, people.out.split()[1]) == (0, decision)


def test_an_explanation_says_what_of_an_untrusted_file_was_left_out(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text("[policy]\npreset = 'unattended'\n", encoding="utf-8")
    arguments = json.dumps({"path": str(here / "notes.txt")})

    reasons = hilt("policy", "explain", "read_file", arguments, "--json").json["reasons"]

    assert isinstance(reasons, list)
    assert any("is not trusted" in reason for reason in reasons)


def test_the_doctor_names_every_part(hilt: Hilt) -> None:
    ran = hilt("doctor", "--json")

    parts = ran.json["parts"]
    assert isinstance(parts, list)
    found = {part["part"]: part for part in parts}
    assert set(found) == {
        "platform", "python", "ripgrep", "confinement", "store", "shelf", "isolation", "counter", "extras", "settings",
    }  # fmt: skip
    declared = set(metadata("hilt").get_all("Provides-Extra") or ()) - {"all", "realmodel"}
    assert "web" in declared
    assert all(extra in found["extras"]["says"] for extra in declared)
    assert (ran.code, ran.json["healthy"]) == (0, True)


def test_the_doctor_finds_a_store_that_cannot_be_made(hilt: Hilt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_HOME", "/dev/null/state")

    ran = hilt("doctor")

    assert ran.code == 1
    assert "fail: the folder of state /dev/null/state cannot be made" in ran.out


def test_a_new_tool_shows_calls_and_passes_its_test(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text("# mine\n[policy]\npreset = 'read-only'\n", encoding="utf-8")

    begun = hilt("new", "tool", "search_notes")

    assert begun.code == 0
    assert "hilt show tools/search_notes.py" in begun.out
    assert hilt("show", "tools/search_notes.py").code == 0
    called = hilt("call", "search_notes", '{"query": "hello"}', "--config", "hilt.toml", "--json")
    assert called.json["status"] == "success"
    tested = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_search_notes.py"]
    finished = subprocess.run(tested, cwd=here, capture_output=True, text=True, timeout=50, check=False)
    assert finished.returncode == 0, finished.stdout
    assert hilt("new", "tool", "other", "--json").json["files"]
    text = (here / "hilt.toml").read_text(encoding="utf-8")
    assert text.startswith('tools = ["tools/search_notes.py", "tools/other.py"]\n')
    assert "# mine" in text


@pytest.mark.parametrize(
    ("name", "step"), [("search_notes", "choose another name"), ("Search-Notes", "hilt new tool search_notes")]
)
def test_a_new_tool_writes_over_nothing_and_has_a_fit_name(hilt: Hilt, here: Path, name: str, step: str) -> None:
    (here / "tools").mkdir()
    (here / "tools" / "search_notes.py").write_text("mine", encoding="utf-8")

    ran = hilt("new", "tool", name)

    assert ran.code == 2
    assert step in ran.err
    assert (here / "tools" / "search_notes.py").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("/bin/bash", ".local/share/bash-completion/completions/hilt"),
        ("/usr/bin/zsh", ".zfunc/_hilt"),
        ("/usr/bin/fish", ".config/fish/completions/hilt.fish"),
    ],
)
def test_completion_is_put_where_the_shell_looks(
    hilt: Hilt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, file: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", shell)
    # click asks bash for its version, to say when it is too old.
    ran = hilt("--install-completion")

    assert ran.code == 0
    assert "_HILT_COMPLETE" in (tmp_path / file).read_text(encoding="utf-8")
    assert str(tmp_path / file) in ran.out


def test_completion_for_an_unknown_shell_is_refused(hilt: Hilt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")

    assert hilt("--install-completion").code == 2


def test_help_names_every_verb_without_loading_one(hilt: Hilt) -> None:
    ran = hilt("--help")

    assert ran.code == 0
    listed = [name for name, entry in VERBS.items() if f"  {name} " in ran.out and entry.says in ran.out]
    assert {"call", "tools", "show", "bill", "policy", "log", "config", "doctor", "new"} <= set(listed)


@pytest.mark.parametrize("verb", ["call", "tools", "show", "bill", "doctor"])
def test_every_verb_has_help_in_sentences(hilt: Hilt, verb: str) -> None:
    ran = hilt(verb, "--help")

    assert ran.code == 0
    assert "--json" in ran.out
    assert "--workspace" in ran.out
    assert "    " not in ran.out.split("Options:")[0].partition("\n")[2]


def test_without_a_verb_the_help_is_shown_as_wrong_use(hilt: Hilt) -> None:
    assert hilt().code == 2
