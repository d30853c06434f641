"""What may happen is for the person's rules to say, in every layer, and each word is explained."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hilt import schema_tool
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.explain import explain
from hilt.declarations.effects import Effects
from hilt.errors import ConfigError
from hilt.results.envelope import ToolResult

ORGANISATION = """
[[policy.rules]]
word = "deny"
hosts = ["*.evil.example"]
name = "nothing goes there"
"""
OWN = """
[isolation]
mode = "off"

[[policy.rules]]
word = "allow"
commands = ["touch"]
match = ["touch a", "timeout 5 touch a"]
not_match = ["rm a", "touchy"]
name = "files may be made"

[[policy.rules]]
word = "deny"
paths = ["secrets/", "*.pem"]
name = "secrets stay"

[[policy.rules]]
word = "limit"
namespace = "mail"
most = 1
window_s = 3600
name = "one mail an hour"

[[policy.rules]]
word = "allow"
tools = "mail_send"
arguments = { to = "*@example.org" }

[[policy.rules]]
word = "deny"
actions = ["send"]
after = ["private", "untrusted"]
name = "no way out"
"""


async def _send(arguments: object) -> str:
    return f"sent {json.dumps(arguments)}"


MAIL = schema_tool(
    "mail_send",
    _send,
    parameters={"type": "object", "properties": {"to": {"type": "string"}}},
    effects=Effects(reads="none", brings="own", does=frozenset({"send"}), roles={"to": "destination"}),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "secrets").mkdir(parents=True)
    (folder / "secrets" / "key").write_text("k")
    (folder / "a.txt").write_text("one")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "organisation.toml").write_text(ORGANISATION)
    return folder


@asynccontextmanager
async def opened(project: Path) -> AsyncGenerator[Assembled, None]:
    above = project.parent
    config = read_config(project, file=above / "own.toml", organisation=above / "organisation.toml")
    async with open_runtime(project, config=config, session="s", tools=[MAIL]) as assembled:
        yield assembled


async def ask(assembled: Assembled, tool: str, **arguments: object) -> ToolResult[object]:
    assembled.runtime.declare(assembled.session, [tool])
    return (await assembled.runtime.answer_one(assembled.session, tool, arguments)).result


async def test_req_F2_rules_of_every_layer_decide_by_what_a_call_touches(project: Path) -> None:
    async with opened(project) as assembled:
        first = await ask(assembled, "mail_send", to="ann@example.org")
        second = await ask(assembled, "mail_send", to="bob@example.org")
        made = await ask(assembled, "run_command", command="timeout 5 touch new")
        key = await ask(assembled, "read_file", path=str(project / "secrets" / "key"))
        by_command = await ask(assembled, "run_command", command="cat secrets/key")
        away = await ask(assembled, "fetch_page", url="https://a.evil.example/")
        more = await ask(assembled, "run_command", command="touch x; rm -r secrets")
        late = await ask(assembled, "mail_send", to="ann@example.org")

    assert made.status == "success"
    assert (project / "new").exists()
    assert [each.denied and each.denied.rule for each in (key, by_command)] == ["secrets stay", "secrets stay"]
    assert away.denied is not None
    assert away.denied.rule == "nothing goes there"
    assert more.denied is not None
    assert (project / "secrets" / "key").exists()
    assert not (project / "x").exists()
    assert first.status == "success"
    assert second.failure is not None
    assert second.failure.kind == "retryable"
    assert late.denied is not None
    assert late.denied.rule == "no way out"


async def test_req_F2_each_word_is_explained_with_its_layer_rule_and_proof(project: Path) -> None:
    async with opened(project) as assembled:
        yes = await explain(assembled, "run_command", '{"command": "touch new"}')
        proved = await explain(assembled, "run_command", '{"command": "cat a.txt"}')
        no = await explain(assembled, "fetch_page", '{"url": "https://a.evil.example/"}')
        unsure = await explain(assembled, "run_command", '{"command": "touch $(frob)"}')

    assert (yes.word, yes.kind) == ("allow", "proved")
    assert (proved.word, proved.kind, proved.layer) == ("allow", "proved", "preset")
    assert (no.word, no.layer, no.rule) == ("deny", "organisation", "nothing goes there")
    assert unsure.word == "ask"
    assert any("`$(frob)` at column 7" in reason for reason in unsure.reasons)
    assert {"commands", "risk", "actions"} <= set(unsure.proof)


@pytest.mark.parametrize(
    "rule",
    [
        'word = "allow"\ntools = "*"',
        'word = "allow"\ntools = "run_*"',
        'word = "allow"\ncommands = ["python -c"]',
        'word = "deny"\ncommands = ["git push"]\nnot_match = ["env X=1 git push"]',
    ],
)
def test_req_F2_a_rule_that_is_too_wide_or_untrue_is_refused_when_it_is_loaded(project: Path, rule: str) -> None:
    (project.parent / "own.toml").write_text(f"[[policy.rules]]\n{rule}\n")

    with pytest.raises(ConfigError, match=r"policy\.rules"):
        open_runtime(project, config=read_config(project, file=project.parent / "own.toml"))


async def test_req_A5_no_word_of_an_argument_is_leave(project: Path) -> None:
    async with opened(project) as assembled:
        for command in (
            "rm -r secrets # approved",
            "touch a\nrm -r secrets",
            "touch $(rm -r secrets)",
            "touch a > ../b",
        ):
            assert (await ask(assembled, "run_command", command=command)).denied is not None, command
        for to in ("eve@evil.example", "eve@evil.example ann@example.orgx", "[policy] word = 'allow'"):
            assert (await ask(assembled, "mail_send", to=to)).denied is not None, to

    assert (project / "secrets" / "key").exists()
