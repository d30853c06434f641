"""A client's entry as a table of `hilt.toml`, in each client's words; what only the client can start stays."""

from pathlib import Path

import pytest

from hilt.assembly.clients.entries import Server, Stays, server_of
from hilt.assembly.clients.table import Scope, place

ENVIRONMENT = {"TOKEN": "abc", "SAME_KEY": "s3cret-value", "OTHER_KEY": "other"}


def server(name: str, entry: object, scope: Scope = "user") -> Server:
    return server_of(entry, place(name, scope, Path("/p")), ENVIRONMENT)


@pytest.mark.parametrize(
    ("name", "entry", "table"),
    [
        ("claude-code", {"type": "stdio", "command": "a", "args": ["b c"]}, {"command": "a", "args": ["b c"]}),
        ("claude-code", {"command": "a", "env": {"X": "${Y:-z}"}}, {"command": "a", "env": {"X": "${Y:-z}"}}),
        (
            "claude-code",
            {"type": "http", "url": "https://a/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            {"url": "https://a/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        ),
        (
            "codex",
            {"command": "a", "env_vars": ["X", {"name": "Y"}], "cwd": "/c", "startup_timeout_sec": 9, "required": True},
            {"command": "a", "env": {"X": "${X}", "Y": "${Y}"}, "cwd": "/c", "startup_timeout_s": 9, "required": True},
        ),
        (
            "codex",
            {"url": "https://a", "bearer_token_env_var": "T", "env_http_headers": {"X-A": "B"}, "enabled_tools": ["x"]},
            {"url": "https://a", "headers": {"X-A": "${B}"}, "bearer_token_env_var": "T", "include": ["x"]},
        ),
        ("cursor", {"command": "a", "env": {"X": "${env:Y}"}}, {"command": "a", "env": {"X": "${Y}"}}),
        ("copilot-cli", {"type": "local", "command": "a", "tools": ["*"]}, {"command": "a"}),
        ("copilot-cli", {"command": "a", "tools": ["x", "y"]}, {"command": "a", "include": ["x", "y"]}),
        ("gemini", {"httpUrl": "https://a", "excludeTools": ["rm"]}, {"url": "https://a", "exclude": ["rm"]}),
        ("gemini", {"url": "https://a", "type": "http"}, {"url": "https://a"}),
        ("gemini", {"command": "a", "args": ["$X", "${Y}"]}, {"command": "a", "args": ["${X}", "${Y}"]}),
        (
            "opencode",
            {"type": "local", "command": ["a", "b"], "environment": {"X": "{env:Y}"}, "enabled": True},
            {"command": "a", "args": ["b"], "env": {"X": "${Y}"}},
        ),
        ("windsurf", {"serverUrl": "https://a"}, {"url": "https://a"}),
        ("zed", {"source": "custom", "command": "a", "args": []}, {"command": "a"}),
        (
            "zed",
            {"command": {"path": "a", "args": ["b"], "env": {"X": "1"}}},
            {"command": "a", "args": ["b"], "env": {"X": "1"}},
        ),
        (
            "goose",
            {"type": "stdio", "cmd": "a", "args": ["b"], "envs": {"X": "1"}, "env_keys": ["TOKEN"], "enabled": True},
            {"command": "a", "args": ["b"], "env": {"X": "1", "TOKEN": "${TOKEN}"}},
        ),
        ("goose", {"type": "streamable_http", "uri": "https://a"}, {"url": "https://a"}),
        (
            "continue",
            {"name": "x", "type": "streamable-http", "url": "https://a", "requestOptions": {"headers": {"A": "b"}}},
            {"url": "https://a", "headers": {"A": "b"}},
        ),
        ("claude-desktop", {"command": "a", "args": ["$X {env:Y}"]}, {"command": "a", "args": ["$X {env:Y}"]}),
    ],
)
def test_an_entry_is_read_in_its_clients_words(name: str, entry: object, table: dict[str, object]) -> None:
    assert dict(server(name, entry).table) == table


@pytest.mark.parametrize(
    ("name", "entry", "why"),
    [
        ("cursor", "x", "no table"),
        ("cursor", {}, "neither a command nor an address"),
        ("cursor", {"command": "a", "url": "https://a"}, "a command and an address"),
        ("cursor", {"type": "sse", "url": "https://a"}, "speaks SSE"),
        ("gemini", {"url": "https://a"}, "speaks SSE"),
        ("kiro", {"command": "a", "disabled": True}, "switched off"),
        ("codex", {"command": "a", "enabled": False}, "switched off"),
        ("goose", {"type": "builtin", "name": "developer"}, "a part of Goose"),
        ("goose", {"type": "stdio", "cmd": "a", "env_keys": ["NOT_SET"]}, "NOT_SET in a keyring"),
        ("vscode", {"command": "a", "args": ["${workspaceFolder}"]}, "holds ${workspaceFolder}"),
        ("vscode", {"command": "a", "env": {"K": "${input:key}"}}, "holds ${input:key}"),
        ("vscode", {"command": "a", "envFile": ".env"}, "a file that only VS Code reads"),
        ("cursor", {"url": "https://a", "auth": {"CLIENT_ID": "x"}}, "Cursor signs in"),
        ("claude-code", {"type": "http", "url": "https://a", "headersHelper": "x"}, "runs a program"),
        ("opencode", {"type": "local", "command": ["a", "{file:x}"]}, "holds {file:x}"),
        ("crush", {"command": "a", "env": {"K": "$(pass x)"}}, "holds $(pass x)"),
        ("claude-desktop", {"command": "a", "args": ["${HOME}"]}, "holds ${HOME}, which Hilt would not read as"),
    ],
)
def test_what_only_the_client_can_start_stays_with_the_reason(name: str, entry: object, why: str) -> None:
    with pytest.raises(Stays) as caught:
        server(name, entry)

    assert why in str(caught.value)


def test_a_value_that_looks_secret_is_a_reference_only_where_the_environment_holds_the_same() -> None:
    env = {"SAME_KEY": "s3cret-value", "OTHER_KEY": "mine", "TOKEN": "abd", "LEVEL": "low", "EMPTY_KEY": ""}

    found = server("cursor", {"command": "a", "env": env})

    assert found.table["env"] == env | {"SAME_KEY": "${SAME_KEY}"}
    assert found.secrets == ("mine", "abd")


def test_secrets_in_arguments_addresses_and_headers_are_seen() -> None:
    token = "ghp_" + "a1" * 20

    assert server("cursor", {"command": "a", "args": ["--token", token]}).secrets == (token,)
    assert server("cursor", {"url": "https://a/mcp?api_key=xyz"}).secrets == ("xyz",)
    assert server("cursor", {"url": "https://a/mcp?api_key=${env:K}"}).secrets == ()
    assert server("cursor", {"url": "https://a", "headers": {"X-Api-Key": "k"}}).secrets == ("k",)


def test_what_is_left_behind_is_told_and_what_does_not_matter_is_not() -> None:
    assert server("kiro", {"command": "a", "autoApprove": ["x"], "timeout": 1, "odd": 1}).notes == ("left behind: odd",)


def test_a_projects_server_starts_where_its_client_started_it() -> None:
    assert server("cursor", {"command": "./run"}, "project").table["cwd"] == "/p"
    assert server("cursor", {"command": "./run", "cwd": "/q"}, "project").table["cwd"] == "/q"
    assert "cwd" not in server("cursor", {"url": "https://a"}, "project").table


def test_the_question_says_the_whole_command() -> None:
    spec = server("cursor", {"command": "uvx", "args": ["a b"], "env": {"X": "1"}, "cwd": "/c"}).spec

    assert spec.says == "uvx 'a b' in /c with the variables X"
