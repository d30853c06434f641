"""Tables of servers: of the settings, and of other programs' files."""

import json
from pathlib import Path

import pytest

from hilt.adapters.upstream import HttpPlace
from hilt.assembly.config import read_config
from hilt.assembly.gateway.consent import consent_of
from hilt.assembly.gateway.files import read_servers
from hilt.assembly.gateway.named import servers_of
from hilt.assembly.gateway.settings import STARTUP_S, TIMEOUT_S, server_of
from hilt.assembly.trusting import trust
from hilt.errors import ConfigError
from tests.unit.assembly.gateway.kit import behind


def test_a_table_is_read_with_its_variables_and_no_value_is_in_its_repr() -> None:
    table = {
        "command": "npx",
        "args": ["-y", "server@${VERSION:-1}", "${env:FOLDER}"],
        "env": {"TOKEN": "${SECRET}"},
        "cwd": "${FOLDER}",
    }

    spec = server_of("git", table, {"SECRET": "s3cr3t-value", "FOLDER": "/data"})

    assert spec.command == ("npx", "-y", "server@1", "/data")
    assert (spec.env, spec.cwd, spec.fault) == ({"TOKEN": "s3cr3t-value"}, Path("/data"), "")
    assert (spec.timeout_s, spec.startup_s) == (TIMEOUT_S, STARTUP_S)
    assert "s3cr3t" not in repr(spec)
    assert spec.shown == "npx -y server@${VERSION:-1} ${env:FOLDER}"


def test_a_server_at_an_address_takes_its_token_from_a_variable() -> None:
    table = {"url": "https://example.org/mcp", "headers": {"X": "${A}"}, "bearer_token_env_var": "TOKEN"}

    spec = server_of("web", table, {"TOKEN": "t0k3n-value", "A": "b"})

    assert (spec.url, spec.bearer, dict(spec.headers)) == ("https://example.org/mcp", "t0k3n-value", {"X": "b"})


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"command": "a", "url": "https://example.org"}, "one of the two"),
        ({}, "neither a command nor a url"),
        ({"url": "ftp://example.org"}, "no http address"),
        ({"command": "a", "args": ["${GONE}"], "env": {"B": "${GONE} ${ALSO}"}}, "no variable GONE, ALSO"),
        ({"url": "https://example.org", "bearer_token_env_var": "GONE"}, "no variable GONE"),
        ({"command": "a", "args": ["${input:token}"]}, "${input:token} is no variable"),
    ],
)
def test_what_is_wrong_with_a_server_is_its_own_fault(table: dict[str, object], says: str) -> None:
    assert says in server_of("x", table, {}).fault


def test_servers_of_several_layers_stand_together_and_one_of_them_field_by_field(tmp_path: Path) -> None:
    file = tmp_path / "hilt.toml"
    file.write_text('[servers.git]\ncommand = "git-server"\nargs = ["a"]\ncwd = "sub"\nenabled = true\n')

    config = read_config(
        file=file,
        settings=('servers={git={enabled=false}, web={url="https://example.org"}}',),
        organisation=tmp_path / "no",
    )
    git, web = servers_of(config).specs

    assert (git.command, git.enabled, git.cwd) == (("git-server", "a"), False, tmp_path / "sub")
    assert web.url == "https://example.org"


def test_a_stronger_layer_that_names_another_command_takes_nothing_of_the_weaker_ones(tmp_path: Path) -> None:
    file = tmp_path / "hilt.toml"
    file.write_text('[servers.git]\ncommand = "a"\nargs = ["--token"]\nenv = {A = "b"}\ntimeout_s = 5\n')

    config = read_config(file=file, settings=('servers={git={command="b"}}',), organisation=tmp_path / "no")
    (git,) = servers_of(config).specs

    assert (git.command, dict(git.env), git.timeout_s) == (("b",), {}, 5)


def test_a_project_file_that_nobody_trusts_sets_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "hilt.toml").write_text('servers_from = ["mcp.json"]\n[servers.git]\ncommand = "evil"\n')

    before = read_config(project, organisation=tmp_path / "no")
    trust(project / "hilt.toml")
    after = read_config(project, organisation=tmp_path / "no")

    assert servers_of(before).specs == ()
    assert any("servers" in note for note in before.notes)
    assert [each.name for each in servers_of(after).specs] == ["git"]


def test_a_misspelt_key_of_a_server_is_answered_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "hilt.toml"
    file.write_text('[servers.git]\ncomand = "a"\n')

    with pytest.raises(ConfigError, match=r"servers\.git\.comand") as raised:
        read_config(file=file, organisation=tmp_path / "no")

    assert "command" in raised.value.next_steps[0]


def written(folder: Path, content: object) -> Path:
    file = folder / "mcp.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_the_file_of_another_program_is_read_as_it_is(tmp_path: Path) -> None:
    servers = {
        "git": {"command": "uvx", "args": ["git-server"], "env": {"A": "b"}, "type": "stdio", "autoApprove": ["x"]},
        "web": {"httpUrl": "https://example.org/mcp", "excludeTools": ["a"]},
        "line": {"command": ["node", "server.js"]},
        "off": {"command": "a", "disabled": True},
        "old": {"type": "sse", "url": "https://example.org/sse"},
    }

    read = read_servers(written(tmp_path, {"mcpServers": servers, "theme": "dark"}), {})
    git, web, line, off, old = read.servers

    assert (git.command, dict(git.env), git.needs_consent) == (("uvx", "git-server"), {"A": "b"}, True)
    assert (web.url, web.dropped) == ("https://example.org/mcp", ("a",))
    assert line.command == ("node", "server.js")
    assert not off.enabled
    assert "SSE" in old.fault
    assert read.notes == (f"{tmp_path / 'mcp.json'}: of git, Hilt does not use autoApprove",)


def test_the_file_of_vs_code_may_hold_comments(tmp_path: Path) -> None:
    text = '{\n  // mine\n  "servers": {"web": {"type": "http", "url": "https://a.example//b",}, /* x */},\n}'

    (web,) = read_servers(written(tmp_path, text), {}).servers

    assert web.url == "https://a.example//b"


@pytest.mark.parametrize(
    ("content", "says"),
    [("{nonsense", "is not JSON"), ({"tools": []}, "lists no MCP servers"), ({"servers": {"a": 1}}, "lists no")],
)
def test_a_file_that_lists_no_servers_is_an_error_that_names_it(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read_servers(written(tmp_path, content), {})


def test_an_absent_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_servers(tmp_path / "gone.json", {})


def test_servers_from_files_stand_behind_those_of_the_settings(tmp_path: Path) -> None:
    written(tmp_path, {"mcpServers": {"git": {"command": "theirs"}, "web": {"url": "https://example.org"}, "x": 1}})
    file = tmp_path / "hilt.toml"
    file.write_text('servers_from = ["mcp.json", "gone.json"]\n[servers.git]\ncommand = "ours"\n')

    servers = servers_of(read_config(file=file, organisation=tmp_path / "no"))

    assert [(each.name, each.needs_consent) for each in servers.specs] == [("git", False), ("web", True)]
    assert any("the server git is left out" in note for note in servers.notes)
    assert [each.problem for each in servers.faults] == [
        f"{tmp_path / 'gone.json'} cannot be read: No such file or directory"
    ]


def test_what_a_person_agrees_to_is_the_table_as_it_was_written() -> None:
    table = {"command": "npx", "args": ["x"], "env": {"TOKEN": "${SECRET}"}, "cwd": "/data"}
    asked = consent_of(server_of("a", table, {"SECRET": "s3cr3t"}, needs_consent=True))

    assert asked.command == ("npx", "x")
    assert dict(asked.env) == {"TOKEN": "${SECRET}"}
    assert asked.cwd == "/data"
    assert consent_of(server_of("b", {"url": "https://a.example"}, {})).url == "https://a.example"


@pytest.mark.parametrize("url", ["http://[::1", "http://[not an address]/mcp", "${PLACE}"])
async def test_an_address_that_is_none_is_its_own_servers_fault_and_no_others(url: str) -> None:
    spec = server_of("web", {"url": url}, {"PLACE": "http://[::1"})
    assert "is no http address" in spec.fault
    async with behind(spec) as held:
        assert held.state("web").state == "off"
    assert HttpPlace("http://[::1").shown == "http://an address that is none"
