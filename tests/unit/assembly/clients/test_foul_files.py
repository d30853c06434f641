"""Files and entries of every odd shape: nothing is lost, nothing is half done, no credential is shown."""

import errno
import json
import os
from pathlib import Path

import pytest

from hilt.assembly.clients import files, forms, journal
from hilt.assembly.clients.adopting import adopt, release
from hilt.assembly.clients.drafts import LONGEST_LINE
from hilt.assembly.clients.files import look
from hilt.assembly.clients.installing import install, uninstall
from hilt.assembly.clients.plans import Plan
from hilt.assembly.clients.table import Place, place
from hilt.errors import ConfigError

SECRETS = ("hunter2-arg", "hunter2-env", "hunter2-off", "hunter2-url", "hunter2-head", "hunter2-else")
FOUL = {
    "otherKey": "hunter2-else",
    "mcpServers": {
        "git": {"command": "uvx", "args": ["git", "--api-key", "hunter2-arg"], "env": {"MY_TOKEN": "hunter2-env"}},
        "off": {"command": "x", "disabled": True, "env": {"PASSWORD": "hunter2-off"}},
        "web": {"url": "https://h/mcp?api_key=hunter2-url", "headers": {"X-Api-Key": "hunter2-head"}},
    },
}
FOREIGN = b'{"mcpServers": {"hilt": {"command": "node", "args": ["other.js"]}, "git": {"command": "uvx"}}}'


def at(name: str = "cursor") -> Place:
    return place(name, "user", Path.cwd())


def written(content: bytes | str | object, name: str = "cursor") -> Path:
    file = at(name).file
    file.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, bytes | str) else json.dumps(content, indent=2)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def notes_of(*entries: tuple[str, object]) -> tuple[str, ...]:
    written({"mcpServers": dict(entries)})
    return adopt([at()], lambda _: True).plan.done[0].notes


def shown(plan: Plan) -> str:
    return plan.drafts.diff(plan.secrets)


def test_no_diff_of_any_verb_shows_a_credential_its_own_or_a_neighbours() -> None:
    written(FOUL)
    diffs = [shown(install([at()]))]
    adoption = adopt([at()], lambda _: True)
    diffs.append(shown(adoption.plan))
    adoption.plan.commit(records="first")
    diffs.append(shown(release([at()])))

    assert all(diffs)
    assert not [secret for secret in SECRETS for diff in diffs if secret in diff]
    assert "--api-key" in diffs[1]


def test_a_secret_of_several_lines_is_covered_in_each_format() -> None:
    secret = 'quick "zebra"\nslow zebra\n'
    for name, content in (
        ("cursor", {"mcpServers": {"a": {"command": "x", "env": {"MY_KEY": secret}}}}),
        (
            "goose",
            'extensions:\n  a:\n    cmd: x\n    envs:\n      MY_KEY: |\n        quick "zebra"\n        slow zebra\n',
        ),
    ):
        written(content, name)
        diff = shown(adopt([at(name)], lambda _: True).plan)
        assert "MY_KEY" in diff
        assert "zebra" not in diff


def test_a_diff_does_nothing_to_a_terminal() -> None:
    written('{"mcpServers": {"a": {"command": "x\u202e\x9b2K"}}}')

    diff = shown(adopt([at()], lambda _: True).plan)

    assert "x<U+202E><U+009B>2K" in diff


def test_a_server_of_somebody_else_that_is_called_hilt_is_left_and_told() -> None:
    file = written(FOREIGN)

    for verb in (lambda: adopt([at()], lambda _: True), lambda: install([at()]), lambda: uninstall([at()])):
        with pytest.raises(ConfigError, match="a server called hilt that is not Hilt"):
            verb()
    assert file.read_bytes() == FOREIGN


def test_a_foreign_server_that_took_our_name_meanwhile_stays() -> None:
    written({"mcpServers": {}})
    install([at()]).commit(records="first")
    file = written(FOREIGN)

    uninstall([at()]).commit(records="last")

    assert file.read_bytes() == FOREIGN


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"command": "x", "args": "a b"}, "its args is no list"),
        ({"command": "x", "args": [None]}, "its args holds something that is no text"),
        ({"command": "x", "args": [["a"]]}, "its args holds something that is no text"),
        ({"command": "x", "env": ["A=1"]}, "its env is no table of names and values"),
        ({"command": "x", "env": {"A": None}}, "its env holds something that is no text"),
        ({"command": {"path": None}}, "it names neither a command nor an address"),
        ({"command": " "}, "it names neither a command nor an address"),
        ({"command": "x", "cwd": {"a": 1}}, "its folder holds something that is no text"),
        ({"command": "a\0b"}, "it holds a NUL character, with which nothing can be started"),
        ({"command": "a", "args": ["\ud83d"]}, "it holds what cannot be written down: half a character, or itself"),
        ({"url": ["https://a"]}, "its address holds something that is no text"),
        ({"url": "wss://a"}, "its address is no http address"),
        ({"type": "ws", "url": "https://a"}, "it is of a type that Hilt does not speak: ws"),
    ],
)
def test_an_entry_that_would_be_started_otherwise_than_it_is_written_stays(entry: object, why: str) -> None:
    assert notes_of(("odd", entry)) == (f"odd stays: {why}",)


@pytest.mark.parametrize("key", ["type", "transport", "transportType"])
def test_the_old_transport_is_known_by_whatever_key_names_it(key: str) -> None:
    (note,) = notes_of(("odd", {key: "SSE", "url": "https://a/sse"}))
    assert note.startswith("odd stays: it speaks SSE")


def test_values_that_are_no_texts_are_handed_on_as_json_writes_them() -> None:
    written({"mcpServers": {"a": {"command": "x", "args": [1, True], "env": {"N": 1.5, "B": False}}}})

    (asked,) = adopt([at()], lambda _: True).asked

    assert (asked.spec.command, asked.spec.env) == (("x", "1", "true"), {"N": "1.5", "B": "false"})


def test_a_name_that_nobody_can_read_stays() -> None:
    notes = notes_of(("", {"command": "x"}), ("a\u202eb", {"command": "x"}), ("a\nb", {"command": "x"}))

    assert notes == (
        " stays: it has no name",
        "a<U+202E>b stays: its name holds characters that nobody sees",
        "a\\nb stays: its name holds characters that nobody sees",
    )


def test_a_table_that_is_null_gets_our_entry_and_is_null_again() -> None:
    file = written(b'{\n  "a": 1,\n  "mcpServers": null\n}\n')

    install([at()]).commit(records="first")
    assert list(forms.entries(file.read_bytes(), "json", ("mcpServers",))) == ["hilt"]
    uninstall([at()]).commit(records="last")

    assert file.read_bytes() == b'{\n  "a": 1,\n  "mcpServers": null\n}\n'


def test_keys_of_yaml_that_are_no_texts_name_no_server_and_stay() -> None:
    content = b"extensions:\n  1: {type: stdio, cmd: u}\n  true: {type: stdio, cmd: v}\n  git: {type: stdio, cmd: w}\n"
    file = written(content, "goose")

    adoption = adopt([at("goose")], lambda _: True)
    adoption.plan.commit(records="first")
    assert adoption.plan.done[0].servers == ("git",)
    assert b"1: {type: stdio, cmd: u}" in file.read_bytes()
    release([at("goose")]).commit(records="last")

    assert file.read_bytes() == content


def test_yaml_that_holds_itself_is_told() -> None:
    written(b"a: &a [*a]\nextensions: {}\n", "goose")
    with pytest.raises(ConfigError, match="alias of itself"):
        install([at("goose")])


def test_all_of_a_flow_mapping_moves_with_its_last_comma() -> None:
    content = b"extensions: {\n  git: {type: stdio, cmd: u}, # one\n  b: {type: stdio, cmd: b},\n}\n"
    file = written(content, "goose")

    adopt([at("goose")], lambda _: True).plan.commit(records="first")
    assert list(forms.entries(file.read_bytes(), "yaml", ("extensions",))) == ["hilt"]
    release([at("goose")]).commit(records="last")

    assert file.read_bytes() == content


def test_a_pipe_in_place_of_a_file_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "pipe")
    with pytest.raises(ConfigError, match="is no file"):
        look(home / "pipe")


def test_what_cannot_be_ended_is_not_begun_and_leaves_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(FOUL)
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != file.parent and may(path, mode))

    with pytest.raises(ConfigError, match=r"cannot be written: the folder .* is read-only"):
        adopt([at()], lambda _: True).plan.commit(records="first")

    assert journal.records() == []
    assert not (Path.home() / ".config" / "hilt" / "hilt.toml").exists()


def test_a_write_that_fails_half_way_is_taken_back(home: Path) -> None:
    file = written(FOUL)
    before = file.read_bytes()
    adoption = adopt([at()], lambda _: True)
    file.write_bytes(b"{}")  # another program, between reading and writing

    with pytest.raises(ConfigError, match="changed in the meantime"):
        adoption.plan.commit(records="first")

    assert not (home / ".config" / "hilt" / "hilt.toml").exists()
    assert journal.records() == []
    assert file.read_bytes() == b"{}" != before


def test_a_full_disk_is_named_with_what_to_do_and_nothing_is_half_done(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(FOUL)
    before, put = file.read_bytes(), files.write_whole

    def full(target: Path, content: bytes, *, mode: int) -> None:
        if target.parent.name == "backups":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(target, content, mode=mode)

    monkeypatch.setattr(files, "write_whole", full)
    with pytest.raises(ConfigError, match=r"no copy of .* can be kept") as told:
        adopt([at()], lambda _: True).plan.commit(records="first")

    assert told.value.next_steps == (f"make room on the disk of {home / 'state' / 'clients' / 'backups'}",)
    assert file.read_bytes() == before
    assert not (home / ".config" / "hilt" / "hilt.toml").exists()
    assert journal.records() == []


def test_a_file_stays_with_whom_it_belongs_to() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root writes files of others")
    file = written(FOUL)
    os.chown(file, 65534, 65534)

    install([at()]).commit(records="first")

    assert (file.stat().st_uid, file.stat().st_gid) == (65534, 65534)


def test_halves_that_a_sudden_end_left_go_with_the_next_write() -> None:
    file = written(FOUL)
    old, fresh, other = (file.with_name(f".mcp.json.{each}") for each in ("0123abcd", "4567cdef", "backup"))
    for each in (old, fresh, other):
        each.write_text("hunter2", encoding="utf-8")
    for each in (old, other):
        os.utime(each, (1, 1))

    install([at()]).commit(records="first")

    assert [each.exists() for each in (old, fresh, other)] == [False, True, True]


def test_which_token_is_sent_to_an_address_is_asked_about() -> None:
    written('[mcp_servers.a]\nurl = "https://h/mcp"\nbearer_token_env_var = "GITHUB_TOKEN"\n', "codex")

    (asked,) = adopt([at("codex")], lambda _: True).asked

    assert asked.spec.asks == "https://h/mcp with the headers Authorization='Bearer ${GITHUB_TOKEN}'"


def test_a_diff_names_a_line_that_is_too_long_to_be_read() -> None:
    written(json.dumps({"history": "x" * LONGEST_LINE, "mcpServers": {}}))

    diff = shown(install([at()]))

    assert f"more than {LONGEST_LINE:,}, is not shown" in diff
    assert len(diff) < LONGEST_LINE
