"""Hilt in each client's file: put there, there already, taken out, and the file as it was, byte for byte."""

import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from hilt.assembly.clients import forms, journal
from hilt.assembly.clients.files import BACKUPS
from hilt.assembly.clients.installing import install, uninstall
from hilt.assembly.clients.plans import Plan
from hilt.assembly.clients.table import Place, Scope, clients, place, places
from hilt.errors import ConfigError

SERVE = ["-P", "-m", "hilt", "serve"]
PLACES: list[tuple[str, Scope]] = [(name, row.scope) for name, client in clients().items() for row in client.places]

JSON_FORMS = {
    "missing": None,
    "empty": b"",
    "braces": b"{}",
    "small": b'{"theme":"dark","KEY":{"git":{"command":"git"}}}',
    "commented": b'// mine\n{\n  "theme": "dark", // dark\n  "KEY": {\n    "git": {"command": "git"}, // g\n  },\n}\n',
    "windows": b'\xef\xbb\xbf{\r\n  "KEY": {\r\n    "git": {\r\n      "command": "git"\r\n    }\r\n  }\r\n}\r\n',
    "tabs": b'{\n\t"other": [1,\n\t2],\n\t"text": "a \\" { // \xe4\xb8\xad"\n}',
}
TOML_FORMS = {
    "missing": None,
    "empty": b"",
    "plain": b'm = "x" # m\n\n[mcp_servers.git]\ncommand = "git"\nargs = [\n  "a", # one\n]\n\n# the rest\n[z]\nb=1\n',
    "windows": b'\xef\xbb\xbfmodel = "x"\r\n[mcp_servers.git]\r\ncommand = "git"\r\n',
    "inline": b'mcp_servers = { git = { command = "git" } }\n',
    "no end": b'model="x"',
}
YAML_FORMS = {
    "missing": None,
    "empty": b"",
    "comment": b"# goose\n",
    "plain": b"GOOSE_MODE: auto # m\nKEY:\n    git: # g\n        type: stdio\n        cmd: git\n# end\nz: 1\n",
    "windows": b"\xef\xbb\xbfa: 1\r\nKEY:\r\n  git:\r\n    cmd: git\r\n",
    "flow": b"KEY: {git: {cmd: git}}\n",
    "nothing in it": b"KEY: {}\nz: |\n  # text\n  more\n",
}
LISTED_FORMS = {
    "missing": None,
    "empty": b"",
    "plain": b"name: mine\nKEY:\n  - name: git # g\n    command: git\nrules: []\n",
    "flush": b"KEY:\n- name: git\n  command: git\n",
    "nothing in it": b"KEY: []\n",
}


def contents(at: Place) -> dict[str, bytes | None]:
    """The forms a client's file may have, with its own key."""
    table = LISTED_FORMS if at.row.listed else {"json": JSON_FORMS, "toml": TOML_FORMS, "yaml": YAML_FORMS}[at.form]
    return {name: each and each.replace(b"KEY", at.key[-1].encode()) for name, each in table.items()}


CASES = [
    pytest.param(name, scope, form, id=f"{name}-{scope}-{form}")
    for name, scope in PLACES
    for form in contents(place(name, scope, Path("/")))
]


def committed(plan: Plan, records: str = "first") -> Plan:
    plan.commit(records="first" if records == "first" else "last")
    return plan


def states(plan: Plan) -> list[str]:
    return [each.state for each in plan.done]


def written(at: Place, content: bytes | None) -> None:
    if content is not None:
        at.file.parent.mkdir(parents=True, exist_ok=True)
        at.file.write_bytes(content)


@pytest.mark.parametrize(("name", "scope", "form"), CASES)
def test_every_client_gets_hilt_and_has_its_file_back_byte_for_byte(
    home: Path, name: str, scope: str, form: str
) -> None:
    at = next(each for each in places(name, Path.cwd()) if each.scope == scope)
    before = contents(at)[form]
    written(at, before)
    earlier = forms.entries(before or b"", at.form, at.key)
    there = sorted(home.rglob("*"))

    first = committed(install([at], ["--workspace", "/w s"]))
    content = at.file.read_bytes()
    again = committed(install([at], ["--workspace", "/w s"]))

    present = forms.entries(content, at.form, at.key)
    assert states(first) == ["installed"]
    assert states(again) == ["there already"]
    assert at.file.read_bytes() == content
    assert {key: value for key, value in present.items() if key != "hilt"} == earlier
    assert started(at, present["hilt"]) == [sys.executable, *SERVE, "--workspace", "/w s"]
    assert content.startswith(b"\xef\xbb\xbf") == (before or b"").startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in content) == (b"\r\n" in (before or b""))
    assert states(committed(uninstall([at]), "last")) == ["removed"]
    assert (at.file.read_bytes() if at.file.exists() else None) == before
    assert journal.records() == []
    assert sorted(each for each in home.rglob("*") if home / "state" not in (each, *each.parents)) == there


def started(at: Place, entry: object) -> list[str]:
    """What a client would start."""
    assert isinstance(entry, dict)
    command = entry[at.client.called("command")]
    return command if isinstance(command, list) else [command, *entry["args"]]


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_where_the_file_changed_since_only_our_entry_goes(home: Path, name: str, scope: str) -> None:
    at = next(each for each in places(name, Path.cwd()) if each.scope == scope)
    committed(install([at]))
    other: dict[str, object] = {"name": "late", at.client.called("command"): "late"}
    added = forms.put(at.file.read_bytes(), at.form, (*at.key, "late"), other, listed=at.row.listed)
    at.file.write_bytes(added)

    plan = committed(uninstall([at]), "last")

    assert forms.entries(at.file.read_bytes(), at.form, at.key) == {"late": other}
    assert "has changed since" in plan.done[0].notes[0]


def test_the_entries_are_what_each_client_reads(home: Path) -> None:
    for name in clients():
        committed(install([place(name, "user", Path.cwd())]))

    codex = tomllib.loads((home / ".codex/config.toml").read_text(encoding="utf-8"))
    goose = yaml.safe_load((home / ".config/goose/config.yaml").read_text(encoding="utf-8"))
    assert codex["mcp_servers"]["hilt"] == {"command": sys.executable, "args": SERVE}
    assert goose["extensions"]["hilt"] == {
        "name": "hilt",
        "description": "the tools behind Hilt",
        "type": "stdio",
        "enabled": True,
        "timeout": 300,
        "cmd": sys.executable,
        "args": SERVE,
    }
    assert entry("opencode") == {"type": "local", "enabled": True, "command": [sys.executable, *SERVE]}
    assert entry("vscode") == {"type": "stdio", "command": sys.executable, "args": SERVE}
    assert entry("claude-code") == entry("vscode")
    assert entry("claude-desktop") == {"command": sys.executable, "args": SERVE}
    assert yaml.safe_load((home / ".continue/config.yaml").read_text(encoding="utf-8"))["mcpServers"] == [
        {"name": "hilt", "type": "stdio", "command": sys.executable, "args": SERVE}
    ]


def entry(name: str) -> object:
    at = place(name, "user", Path.cwd())
    return forms.entries(at.file.read_bytes(), at.form, at.key)["hilt"]


def test_a_link_is_written_through_and_a_mode_is_kept(home: Path) -> None:
    real = home / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    at = place("cursor", "user", Path.cwd())
    at.file.parent.mkdir()
    at.file.symlink_to(real)

    committed(install([at]))

    assert at.file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert b"hilt" in real.read_bytes()
    committed(uninstall([at]), "last")
    assert (at.file.is_symlink(), real.read_text(encoding="utf-8")) == (True, "{}")


def test_a_copy_of_what_was_there_is_kept_for_its_owner_alone(home: Path) -> None:
    at = place("cursor", "user", Path.cwd())
    written(at, b'{"mcpServers": {}}')

    copies = install([at]).commit(records="first")

    assert copies[at.file].parent == home / "state" / BACKUPS
    assert copies[at.file].read_bytes() == b'{"mcpServers": {}}'
    assert copies[at.file].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cursor", b'{\n  "mcpServers": {\n', "line 3"),
        ("cursor", b'{"mcpServers": []}', '"mcpServers" is not an object'),
        ("cursor", b'{\n"a": "\xff"}', "line 2: it is not UTF-8"),
        ("codex", b'a = 1\nb = "\n', "line 2"),
        ("codex", b"mcp_servers = 1\n", "does not hold entries"),
        ("goose", b"a: 1\nb: [\n", "line 3"),
        ("goose", b"extensions: &e\n  a: {cmd: x}\nother: *e\n", "without changing something else"),
    ],
    ids=["json", "array", "bytes", "toml", "no table", "yaml", "alias"],
)
def test_a_file_that_cannot_be_edited_is_told_with_its_line_and_left_alone(
    home: Path, name: str, content: bytes, says: str
) -> None:
    at, other = place(name, "user", Path.cwd()), place("kiro", "user", Path.cwd())
    written(at, content)

    with pytest.raises(ConfigError, match=says) as caught:
        install([other, at])

    assert str(at.file) in caught.value.problem
    assert "nothing was written" in caught.value.problem
    assert at.file.read_bytes() == content
    assert not other.file.exists()


def test_a_file_that_is_read_only_is_left_alone_with_all_others(home: Path) -> None:
    at, other = place("cursor", "user", Path.cwd()), place("kiro", "user", Path.cwd())
    written(at, b"{}")
    at.file.chmod(0o444)

    with pytest.raises(ConfigError, match="read-only"):
        install([other, at]).commit(records="first")

    assert at.file.read_bytes() == b"{}"
    assert not other.file.exists()


def test_a_file_that_changes_between_reading_and_writing_is_not_written(home: Path) -> None:
    at = place("cursor", "user", Path.cwd())
    written(at, b"{}")
    plan = install([at])
    at.file.write_bytes(b'{"new": 1}')

    with pytest.raises(ConfigError, match="changed in the meantime"):
        plan.commit(records="first")

    assert at.file.read_bytes() == b'{"new": 1}'
    committed(install([at]))
    committed(uninstall([at]), "last")
    assert at.file.read_bytes() == b'{"new": 1}'


def test_an_entry_of_another_interpreter_is_renewed_and_what_stood_before_comes_back(home: Path) -> None:
    at = place("cursor", "user", Path.cwd())
    written(at, b'{"mcpServers": {"hilt": {"command": "/old/python", "args": ["-m", "hilt", "serve"]}}}')

    assert states(committed(install([at]))) == ["renewed"]
    assert states(committed(install([at], ["-c", "a=b"]))) == ["renewed"]
    committed(uninstall([at]), "last")

    assert (
        at.file.read_bytes() == b'{"mcpServers": {"hilt": {"command": "/old/python", "args": ["-m", "hilt", "serve"]}}}'
    )


def test_an_entry_that_someone_else_put_there_can_be_taken_out(home: Path) -> None:
    at = place("cursor", "user", Path.cwd())
    written(at, b'{"mcpServers": {"hilt": {"command": "uvx", "args": ["hilt", "serve"]}, "a": 1}}')

    assert states(committed(uninstall([at]), "last")) == ["removed"]
    assert at.file.read_bytes() == b'{"mcpServers": {"a": 1}}'
    assert states(committed(uninstall([at]), "last")) == ["not there"]


def test_permissions_go_where_the_client_keeps_them_and_out_again(home: Path) -> None:
    code, codex = place("claude-code", "user", Path.cwd()), place("codex", "user", Path.cwd())
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Read"]}} // mine\n', encoding="utf-8")

    committed(install([code, codex], allow=True))
    committed(install([code, codex], allow=True))

    assert settings.read_text(encoding="utf-8") == '{"permissions": {"allow": ["Read", "mcp__hilt"]}} // mine\n'
    assert tomllib.loads(codex.file.read_text(encoding="utf-8"))["mcp_servers"]["hilt"] == {
        "command": sys.executable,
        "args": SERVE,
        "default_tools_approval_mode": "writes",
    }
    settings.write_text('{"permissions": {"allow": ["Read", "mcp__hilt", "Bash"]}}\n', encoding="utf-8")
    committed(uninstall([code, codex]), "last")
    assert settings.read_text(encoding="utf-8") == '{"permissions": {"allow": ["Read", "Bash"]}}\n'
    assert not codex.file.parent.exists()


def test_a_folder_that_someone_else_uses_by_now_stays(home: Path) -> None:
    at = place("kiro", "user", Path.cwd())
    committed(install([at]))
    (home / ".kiro" / "notes").write_text("mine", encoding="utf-8")
    committed(uninstall([at]), "last")

    assert [each.name for each in (home / ".kiro").iterdir()] == ["notes"]


def test_a_credential_is_not_written_into_a_clients_file(home: Path) -> None:
    with pytest.raises(ConfigError, match="credential"):
        install([place("cursor", "user", Path.cwd())], ["-c", "x=" + "ghp_" + "a1" * 20])


def test_the_projects_file_is_the_nearest_upward_within_its_repository(home: Path) -> None:
    work = home / "project"
    deep = work / "a" / "b"
    deep.mkdir(parents=True)
    (home / ".mcp.json").write_text("{}", encoding="utf-8")
    assert place("claude-code", "project", deep).file == deep / ".mcp.json"
    assert place("claude-code", "project", home).file == home / ".mcp.json"
    (work / ".mcp.json").write_text("{}", encoding="utf-8")
    assert place("claude-code", "project", deep).file == work / ".mcp.json"
    (work / "a" / ".git").mkdir()
    assert place("claude-code", "project", deep).file == work / "a" / ".mcp.json"
    assert place("claude-code", "local", deep).key == ("projects", str(work / "a"), "mcpServers")
    assert place("claude-code", "local", work).key == ("projects", str(work), "mcpServers")


def test_variables_lead_to_other_places(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(home / "codex"))

    assert place("claude-code", "user", Path.cwd()).file == home / "claude" / ".claude.json"
    assert place("claude-code", "user", Path.cwd()).allow_file == home / "claude" / "settings.json"
    assert place("codex", "user", Path.cwd()).file == home / "codex" / "config.toml"


def test_of_two_spellings_the_one_that_is_there_is_used(home: Path) -> None:
    lower = home / ".config" / "claude" / "claude_desktop_config.json"
    assert place("claude-desktop", "user", Path.cwd()).file == home / ".config/Claude/claude_desktop_config.json"
    lower.parent.mkdir(parents=True)
    lower.write_text("{}", encoding="utf-8")
    assert place("claude-desktop", "user", Path.cwd()).file == lower


def test_a_client_that_is_not_known_is_told_with_the_nearest(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"no client is called 'cursr' \(perhaps cursor\?\)") as caught:
        place("cursr", "user", Path.cwd())

    assert caught.value.next_steps == ("hilt install lists the clients of this machine",)
    with pytest.raises(ConfigError, match="no place for local servers"):
        place("cursor", "local", Path.cwd())


def test_a_record_that_cannot_be_read_is_told(home: Path) -> None:
    at = place("cursor", "user", Path.cwd())
    committed(install([at]))
    (record,) = (home / "state" / "clients").glob("*.json")
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_text("{", encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot be read, so Hilt does not know"):
        uninstall([at])
