"""Rules of settings: read whole, tried on their own examples, refused where they are too wide, each in its layer."""

import json
from pathlib import Path

import pytest

from hilt import schema_tool
from hilt.assembly.config import Config, read_config
from hilt.assembly.rules import policy_of
from hilt.calls.resolver import PathFact
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import Deed, Effects
from hilt.errors import ConfigError
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.policy.policy import Policy
from hilt.workspace import Workspace

RUNS = Effects(does=frozenset({"run"}), roles={"command": "command"}, isolated=True)


def rules(project: Path, *tables: str) -> Config:
    file = project / "mine.toml"
    file.write_text("".join(f"[[policy.rules]]\n{each}\n" for each in tables), encoding="utf-8")
    return read_config(file=file)


def policy(project: Path, config: Config) -> Policy:
    return policy_of(config, roots=[project], prove=Workspace([project]).command)


def deciding(project: Path, config: Config, command: str) -> Decision:
    facts = Facts(tool="run_command", effects=RUNS, commands=(Workspace([project]).command(command),))
    return policy(project, config).decide(facts)


def doing(deed: Deed, tool: str = "mail_send", **arguments: object) -> Facts:
    return Facts(tool=tool, effects=Effects(does=frozenset({deed})), arguments=arguments)


def test_every_condition_of_a_table_is_read(project: Path) -> None:
    config = rules(
        project,
        """
        word = "allow"
        tools = "mail_*"
        namespace = "mail"
        actions = ["send", "read"]
        risk = "high"
        irreversible = true
        paths = ["docs/**"]
        hosts = ["example.org"]
        commands = ["git push"]
        arguments = { to = "*@example.org", count = "/[0-9]/" }
        after = ["private"]
        most = 2
        window_s = 3600
        per = "principal"
        name = "all"
        reason = "because"
        """,
    )

    (rule,) = policy(project, config).rules

    assert (rule.word, rule.layer, rule.tools, rule.namespace) == ("allow", "project", "mail_*", "mail")
    assert (rule.actions, rule.risk, rule.irreversible) == (("read", "send"), "high", True)
    assert (rule.paths, rule.hosts, rule.commands) == (("docs/**",), ("example.org",), ("git push",))
    assert (dict(rule.arguments), rule.after) == ({"to": "*@example.org", "count": "/[0-9]/"}, ("private",))
    assert (rule.most, rule.window_s, rule.per, rule.name, rule.reason) == (2, 3600, "principal", "all", "because")


def test_a_rule_without_a_name_is_told_by_what_it_says_and_where_it_stands(project: Path) -> None:
    (rule,) = policy(project, rules(project, 'word = "deny"\ncommands = ["git push"]')).rules

    assert rule.label == f"deny * running git push ({project / 'mine.toml'})"


def test_paths_begin_at_a_root_at_home_or_where_they_really_are(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "real").mkdir()
    (project / "named").symlink_to(project / "real")
    monkeypatch.setenv("HOME", str(project / "named"))

    config = rules(project, f'word = "deny"\npaths = ["docs/", "~/.ssh/**", "{project}/named/x", "/"]')

    real = str(project / "real")
    assert policy(project, config).rules[0].paths == ("docs/", f"{real}/.ssh/**", f"{real}/x", "/")
    assert policy(project, config).world.roots == (str(project),)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('word = "allow"', "every tool everything"),
        ('word = "allow"\ncommands = ["bash"]', "runs whatever it is given"),
        ('word = "allow"\nhosts = ["*"]', "anybody's"),
        ('word = "allow"\nactions = ["run"]\ntools = "run_command"', "name commands"),
        ('word = "limit"', "how many"),
        ('word = "deny"\narguments = { a = "/(/" }', "no regular expression"),
        ('word = "deny"\ncommands = ["git push"]\nmatch = ["git pull"]', "'git pull', which stands in its match"),
        ('word = "allow"\ncommands = ["npm test"]\nnot_match = ["npm test -w a"]', "'npm test -w a'"),
        ('word = "deny"\ntools = "pay"\nmatch = [{ tool = "pay", arguments = { n = 1 } }, { path = "x" }, 1]', "match"),
    ],
)
def test_a_rule_that_is_none_or_too_wide_or_breaks_its_promise_is_refused(project: Path, table: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        policy(project, rules(project, table))

    assert str(project / "mine.toml") in caught.value.problem
    assert says in caught.value.problem


def test_examples_are_commands_as_a_shell_reads_them_and_tables_of_arguments(project: Path) -> None:
    sound = rules(
        project,
        'word = "deny"\ncommands = ["git push"]\nmatch = ["ls; git push", "(git push)"]\nnot_match = ["git log"]',
        'word = "deny"\ntools = "pay"\narguments = { n = "/[5-9]/" }\n'
        'match = [{ tool = "pay", does = ["spend"], arguments = { n = 7 } }]\nnot_match = [{ arguments = { n = 3 } }]',
    )

    assert len(policy(project, sound).rules) == 2
    with pytest.raises(ConfigError, match="ls; git push"):
        policy_of(sound)  # nothing reads commands here, so only plain ones can be examples


def test_an_allow_that_reaches_a_tool_that_runs_what_it_is_given_is_refused_by_its_name(project: Path) -> None:
    async def do(arguments: object) -> str:
        return str(arguments)

    def tool(name: str, effects: Effects) -> AnyTool:
        return schema_tool(name, do, parameters={"type": "object"}, effects=effects)

    runner = tool("run_it", RUNS)
    saver = tool("save_it", Effects(does=frozenset({"write"})))
    config = rules(project, 'word = "allow"\ntools = "*_it"')
    named = rules(project, 'word = "allow"\ntools = "*_it"\ncommands = ["git push"]')

    with pytest.raises(ConfigError, match="allows run_it to run anything"):
        policy_of(config, tools=[runner, saver])
    assert policy_of(config, tools=[saver]).rules
    assert policy_of(named, tools=[runner]).rules
    assert policy_of(rules(project, 'word = "allow"\ntools = "*"\nactions = ["fetch"]'), tools=[runner]).rules


def test_an_allow_on_commands_of_a_trusted_file_runs_them_and_nothing_more(project: Path) -> None:
    config = rules(project, 'word = "allow"\ncommands = ["git push"]')

    assert deciding(project, config, "git push origin main").layer == "project"
    assert deciding(project, config, "git push; rm -r x").word == "ask"


def test_a_limit_of_a_strangers_file_counts_and_its_regular_expressions_are_not_tried(project: Path) -> None:
    (project / "hilt.toml").write_text(
        '[[policy.rules]]\nword = "limit"\ntools = "mail_*"\nmost = 2\nwindow_s = 60\nname = "few"\n'
        '[[policy.rules]]\nword = "deny"\narguments = { a = "/(a+)+/" }\n',
        encoding="utf-8",
    )
    config = read_config()

    (claim,) = policy(project, config).decide(doing("send")).claims
    assert (claim.key, claim.most) == (f"session:/limit mail_* ({project / 'hilt.toml'})", 2)
    assert len(policy(project, config).rules) == 1
    assert "left out" in config.notes[0]


@pytest.fixture
def machines(tmp_path: Path) -> Path:
    return tmp_path / "etc" / "hilt.toml"


def bound(machines: Path, text: str, *settings: str) -> Config:
    machines.parent.mkdir(exist_ok=True)
    machines.write_text(text, encoding="utf-8")
    return read_config(settings=settings, organisation=machines)


def test_nobody_loosens_what_the_organisation_says(project: Path, home: Path, machines: Path) -> None:
    (home / "config" / "hilt" / "hilt.toml").write_text(
        "[policy]\npreset = 'unattended'\n[[policy.rules]]\nword = 'allow'\ntools = 'mail_*'\n", encoding="utf-8"
    )
    text = "[policy]\npreset = 'workspace'\n[[policy.rules]]\nword = 'deny'\nactions = ['send']\nname = 'no mail'\n"

    config = bound(machines, text, "policy.preset=unattended")
    decision = policy(project, config).decide(doing("send"))

    assert config.text("policy.preset") == "workspace"
    assert len([note for note in config.notes if "may only be tightened" in note]) == 2
    assert (decision.word, decision.layer, decision.rule) == ("deny", "organisation", "no mail")
    assert bound(machines, text, "policy.preset=read-only").text("policy.preset") == "read-only"


def test_the_organisations_other_settings_are_everybodys_defaults(project: Path, machines: Path) -> None:
    config = bound(machines, "[review]\nwait = 7\n[results]\nturn_tokens = 9000\n", "review.wait=8")

    assert (config.number("review.wait"), config.number("results.turn_tokens")) == (8, 9000)
    assert [each.layer for each in config.origins] == ["organisation", "flag"]


def test_rules_of_a_flag_and_of_ones_own_file_are_the_users(project: Path) -> None:
    config = read_config(settings=("policy.rules=[{word='allow', tools='mail_*'}]",))
    inside = PathFact(asked="/x", real="/x", inside=True, kind="file")

    assert policy(project, config).decide(doing("send")).layer == "user"
    reading = Facts(tool="read_file", effects=Effects(does=frozenset()), paths=(inside,))
    assert policy(project, config).decide(reading).layer == "preset"
    assert json.dumps(config.rules[0].value)
