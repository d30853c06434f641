"""Rules: an allow covers the whole call or nothing; an ask or a deny speaks of any part, and asks where unsure."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hilt.calls.resolver import CommandFact, PathFact, SimpleCommand, Unproved, UrlFact
from hilt.declarations.effects import Deed, Effects
from hilt.policy.facts import Facts, namespace_of
from hilt.policy.matching import World, speaks
from hilt.policy.patterns import MOST_MATCHED
from hilt.policy.policy import Policy
from hilt.policy.presets import CONFINED
from hilt.policy.rules import Rule
from hilt.policy.shapes import shape_of
from hilt.workspace import Workspace

Run = Callable[..., Facts]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "w"
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "secrets").mkdir()
    for name in ("docs/a.md", "docs/deep/b.md", "secrets/key", ".env"):
        (root / name).write_text("x")
    return Workspace([root])


@pytest.fixture
def run(workspace: Workspace) -> Run:
    """The facts of a command, as the road finds them."""

    def facts(command: str, **more: Any) -> Facts:
        effects = Effects(reads="private", does=frozenset({"run"}), roles={"command": "command"}, isolated=True)
        known = {"arguments": {"command": command}, "commands": (workspace.command(command),), **more}
        return Facts(tool="run_command", effects=effects, **known)

    return facts


def files(workspace: Workspace, *names: str, does: frozenset[Deed] = frozenset(), tool: str = "read_file") -> Facts:
    paths = tuple(workspace.path(str(workspace.roots[0] / name)) for name in names)
    return Facts(tool=tool, effects=Effects(does=does, roles={"path": "path"}), paths=paths)


def fetching(url: str, host: str, tool: str = "fetch_page") -> Facts:
    effects = Effects(does=frozenset({"fetch"}), roles={"url": "url"})
    return Facts(tool=tool, effects=effects, urls=(UrlFact(asked=url, host=host, scheme="https"),))


def policy(workspace: Workspace, *rules: Rule, preset: Any = "workspace") -> Policy:
    return Policy(preset=preset, rules=rules, world=World(roots=tuple(str(each) for each in workspace.roots)))


@pytest.mark.parametrize(
    ("pattern", "speaks_of", "leaves"),
    [
        (".env", (".env",), ("docs/a.md",)),
        ("secrets", ("secrets/key",), ("docs/a.md",)),
        ("secrets/", ("secrets/key",), (".env",)),
        ("docs/*.md", ("docs/a.md",), ("docs/deep/b.md",)),
        ("docs/**", ("docs/a.md", "docs/deep/b.md"), ("secrets/key",)),
        ("./docs/**/*.md", ("docs/a.md", "docs/deep/b.md"), (".env",)),
        ("*.md", ("docs/a.md", "docs/deep/b.md"), (".env",)),
        ("[!.]*/?.md", ("docs/a.md",), ("docs/deep/b.md",)),
    ],
)
def test_a_path_is_a_pattern_as_in_a_gitignore(
    workspace: Workspace, pattern: str, speaks_of: tuple[str, ...], leaves: tuple[str, ...]
) -> None:
    rules = policy(workspace, Rule(word="deny", paths=(pattern,)))

    assert {rules.decide(files(workspace, name)).word for name in speaks_of} == {"deny"}
    assert {rules.decide(files(workspace, name)).word for name in leaves} == {"allow"}


def test_a_deny_on_a_path_holds_whatever_tool_reads_it(workspace: Workspace, run: Run) -> None:
    rules = policy(workspace, Rule(word="deny", paths=(".env",), name="no keys"))

    assert rules.decide(files(workspace, ".env")).word == "deny"
    assert rules.decide(run("cat .env")).word == "deny"
    assert rules.decide(run("cat docs/a.md; head -n 1 ./docs/../.env")).word == "deny"
    assert rules.decide(run("cat docs/a.md")).word == "allow"
    assert rules.decide(run("echo x >> .env")).word == "deny"


def test_a_deny_on_a_path_is_not_slipped_past_by_code_nor_by_a_folder_that_holds_it(
    workspace: Workspace, run: Run
) -> None:
    rules = policy(workspace, Rule(word="deny", paths=(".env",), name="no keys"))

    by_code = rules.decide(run("python -c 'print(open(\".env\").read())'", confinement=CONFINED))
    by_folder = rules.decide(files(workspace, "docs", tool="search_code"))

    assert (by_code.word, by_code.rule) == ("ask", "no keys")
    assert "not all that this does is known" in by_code.reasons[0]
    assert by_folder.word == "ask"
    apart = policy(workspace, Rule(word="deny", paths=("secrets/key",)))
    assert apart.decide(files(workspace, "docs", tool="search_code")).word == "allow"
    assert apart.decide(files(workspace, "secrets", tool="search_code")).word == "ask"


def test_what_isolation_hides_needs_no_leave(workspace: Workspace, run: Run) -> None:
    walls = CONFINED | {"fs_read_confined"}
    rules = policy(workspace, Rule(word="deny", paths=("/home/me/.ssh/**",)))

    assert rules.decide(run("npm test", confinement=walls)).word == "allow"
    assert rules.decide(run("npm test", confinement=CONFINED)).word == "ask"
    assert (
        policy(workspace, Rule(word="deny", paths=("/etc/*.key",))).decide(run("make", confinement=walls)).word == "ask"
    )
    assert policy(workspace, Rule(word="deny", paths=("key",))).decide(run("make", confinement=walls)).word == "ask"


def test_a_deny_knows_a_link_by_its_name_and_by_what_it_leads_to(workspace: Workspace) -> None:
    root = workspace.roots[0]
    (root / "plain").symlink_to(root / "secrets" / "key")

    for pattern in ("secrets/**", "plain"):
        assert policy(workspace, Rule(word="deny", paths=(pattern,))).decide(files(workspace, "plain")).word == "deny"


def test_an_allow_on_paths_covers_every_path_or_nothing(workspace: Workspace, run: Run) -> None:
    rules = policy(workspace, Rule(word="allow", tools="drop_*", paths=("docs/**",)))
    destroys = {"does": frozenset({"destroy"}), "tool": "drop_file"}

    assert rules.decide(files(workspace, "docs/a.md", **destroys)).word == "allow"
    assert rules.decide(files(workspace, "docs/a.md", ".env", **destroys)).word == "ask"
    assert rules.decide(files(workspace, **destroys)).word == "ask"
    rootless = Policy(rules=(Rule(word="allow", tools="drop_*", paths=("docs/**",)),))
    assert rootless.decide(files(workspace, "docs/a.md", **destroys)).word == "ask"
    runs = policy(workspace, Rule(word="allow", paths=("docs/**",)))
    assert runs.decide(run("python docs/a.md")).word == "ask"


def test_without_a_root_a_deny_speaks_of_the_path_anywhere(workspace: Workspace) -> None:
    rules = Policy(rules=(Rule(word="deny", paths=("docs/a.md",)),))

    assert rules.decide(files(workspace, "docs/a.md")).word == "deny"
    assert rules.decide(files(workspace, "secrets/key")).word == "allow"


@pytest.mark.parametrize(
    ("host", "patterns", "word"),
    [
        ("example.org", ("example.org",), "allow"),
        ("Example.ORG.", ("example.org",), "allow"),
        ("api.example.org", ("*.example.org",), "allow"),
        ("example.org", ("*.example.org",), "ask"),
        ("evil-example.org", ("example.org", "*.example.org"), "ask"),
        ("example.org.evil.net", ("example.org",), "ask"),
        ("bücher.example", ("xn--bcher-kva.example",), "allow"),
        ("", ("example.org",), "ask"),
    ],
)
def test_an_allow_on_hosts_is_for_these_hosts(host: str, patterns: tuple[str, ...], word: str) -> None:
    rules = Policy(rules=(Rule(word="allow", hosts=patterns),))

    assert rules.decide(fetching(f"https://{host}/x", host)).word == word


def test_an_address_that_readers_may_take_for_another_is_no_ones() -> None:
    rules = Policy(rules=(Rule(word="allow", hosts=("example.org",)),))

    for odd in ("https://example.org\\@evil.net/", "https://example.org /", "https://example.org\n.evil.net/"):
        assert rules.decide(fetching(odd, "example.org")).word == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "curl https://evil.example/x",
        "curl evil.example",
        "git clone git@evil.example:a/b.git",
        "python -c 'get(\"http://EVIL.example/\")'",
        "python -c 'get(\"evil.example\")'",
        "ssh me@evil.example",
    ],
)
def test_a_deny_on_hosts_finds_them_in_commands(run: Run, command: str) -> None:
    assert Policy(rules=(Rule(word="deny", hosts=("evil.example",)),)).decide(run(command)).word == "deny"


def test_a_deny_on_hosts_asks_about_what_may_reach_them_and_not_where_no_way_leads_out(run: Run) -> None:
    rules = Policy(rules=(Rule(word="deny", hosts=("evil.example", "*.evil.example"), name="not there"),))

    assert rules.decide(run("npm test")).rule == "not there"
    assert rules.decide(run("npm test", confinement=CONFINED)).word == "allow"
    assert rules.decide(run("echo evil.example")).word == "allow"
    assert rules.decide(run("python x.py notevil.example", confinement=CONFINED)).word == "allow"


GIT_PUSH = Rule(word="deny", commands=("git push",), name="nothing is pushed")


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push origin main",
        "git -C docs push",
        "git --no-pager -c a=b push",
        "/usr/bin/git push",
        "env X=1 git push",
        "timeout 5 git push",
        "xargs git push",
        "{ git push; }",
        "(git push)",
        "ls\ngit push",
        "ls & git push",
        "! git push",
        "bash -c 'git push'",
        "echo $(git push)",
        "if true; then git push; fi",
        "sudo -n git push",
        "x=git; $x push",
    ],
)
def test_a_deny_finds_a_command_wherever_it_stands(run: Run, command: str) -> None:
    decision = Policy(rules=(GIT_PUSH,)).decide(run(command, confinement=CONFINED))

    assert (decision.word, decision.rule) == ("deny", "nothing is pushed")


@pytest.mark.parametrize(
    "command",
    [
        "git $X push",
        "git --git-dir $X push",
        "$(echo git) push",
        "read x; $x push",
        "python -c 'push()'",
        "make release",
        "eval $A",
    ],
)
def test_a_deny_asks_where_it_cannot_know(run: Run, command: str) -> None:
    decision = Policy(rules=(GIT_PUSH,)).decide(run(command, confinement=CONFINED))

    assert (decision.word, decision.rule) == ("ask", "nothing is pushed")


@pytest.mark.parametrize("command", ["git status", "git log --grep push", "ls push", "cat docs/a.md", "echo git push"])
def test_a_deny_leaves_alone_what_is_known_to_be_something_else(run: Run, command: str) -> None:
    assert Policy(rules=(GIT_PUSH,)).decide(run(command)).word == "allow"


@pytest.mark.parametrize(
    ("prefix", "command", "word"),
    [
        ("rm -rf", "rm -fr docs", "deny"),
        ("rm -rf", "rm -r docs", "ask"),
        ("git push --force", "git push origin --forc", "deny"),
        ("git push --force", "git push --forc", "deny"),
        ("git push --force", "git push --force=x", "deny"),
        ("git push --force", "git push", "ask"),
        ("sudo", "sudo ls", "deny"),
        ("rm*", "rmdir docs", "deny"),
    ],
)
def test_a_deny_looks_through_clustered_and_shortened_options(run: Run, prefix: str, command: str, word: str) -> None:
    assert Policy(rules=(Rule(word="deny", commands=(prefix,)),)).decide(run(command)).word == word


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("git push", "allow"),
        ("git push origin main", "allow"),
        ("/usr/bin/git push", "allow"),
        ("cd docs && git push", "allow"),
        ("timeout 5 git push && git status", "allow"),
        ("npm test; git push", "allow"),
        ("git pushy", "ask"),
        ("./git push", "ask"),
        ("docs/git push", "ask"),
        ("git -c core.pager=x push", "ask"),
        ("env X=1 git push", "ask"),
        ("GIT_SSH_COMMAND=x git push", "ask"),
        ("sudo git push", "ask"),
        ("git push; rm -rf .", "ask"),
        ("git push\nrm -rf .", "ask"),
        ("git push & rm -rf .", "ask"),
        ("git push $(rm x)", "ask"),
        ("git push $X", "ask"),
        ("git push > /etc/x", "ask"),
        ("time -o /etc/x git push", "ask"),
        ("bash -c 'git push'", "ask"),
        ("git(){ rm x; }; git push", "ask"),
        ("alias git=rm; git push", "ask"),
        ("printf -v PATH %s /tmp; git push", "ask"),
        ("python -c 'x'", "ask"),
    ],
)
def test_an_allow_covers_every_part_of_a_command_or_nothing(run: Run, command: str, word: str) -> None:
    rules = (Rule(word="allow", commands=("git push",)), Rule(word="allow", commands=("npm test",), layer="user"))

    assert Policy(rules=rules).decide(run(command)).word == word


def test_an_allow_on_commands_lifts_no_path_but_those_it_names(workspace: Workspace, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "other"
    outside.write_text("x")

    alone = policy(workspace, Rule(word="allow", commands=("cat",)))
    named = policy(workspace, Rule(word="allow", commands=("cat",), paths=(str(outside),)))

    assert alone.decide(run(f"cat {outside}")).word == "ask"
    assert named.decide(run(f"cat {outside}")).word == "allow"
    assert named.decide(run(f"cat {outside} /etc/hosts")).word == "ask"


def test_a_rule_of_a_file_that_names_no_command_lets_nothing_run_that_it_is_given(run: Run) -> None:
    for layer, word in (("user", "ask"), ("organisation", "ask"), ("project", "ask"), ("host", "allow")):
        rule: Any = Rule(word="allow", tools="run_command", layer=layer)  # type: ignore[arg-type]  # a layer
        assert Policy(rules=(rule,)).decide(run("git push")).word == word


def test_an_allow_on_hosts_lets_a_command_run_only_where_it_names_the_command_too(run: Run) -> None:
    curl = run("curl https://example.org/x")

    assert Policy(rules=(Rule(word="allow", hosts=("example.org",)),)).decide(curl).word == "ask"
    both = Policy(rules=(Rule(word="allow", hosts=("example.org",), commands=("curl",)),))
    assert both.decide(curl).word == "allow"
    assert both.decide(run("curl https://evil.example/x")).word == "ask"
    assert both.decide(run("curl --version x")).word == "ask"


def sending(**arguments: object) -> Facts:
    effects = Effects(does=frozenset({"send"}), roles={"to": "destination"}, irreversible=True)
    return Facts(tool="mail_send", effects=effects, arguments=arguments)


@pytest.mark.parametrize(
    ("patterns", "arguments", "word"),
    [
        ({"to": "*@example.org"}, {"to": "ann@example.org"}, "allow"),
        ({"to": "*@example.org"}, {"to": "ann@example.org.evil"}, "ask"),
        ({"to": "*@example.org"}, {}, "ask"),
        ({"to": "*@example.org"}, {"to": ["ann@example.org", "eve@evil"]}, "ask"),
        ({"count": "/[0-3]/"}, {"count": 3}, "allow"),
        ({"count": "/[0-3]/"}, {"count": 31}, "ask"),
        ({"urgent": "true"}, {"urgent": True}, "allow"),
        ({"body.subject": "hi*"}, {"body": {"subject": "hi all"}}, "allow"),
        ({"to": "*"}, {"to": "x" * (MOST_MATCHED + 1)}, "ask"),
    ],
    ids=str,
)
def test_an_allow_on_arguments_wants_the_whole_value_to_fit(
    patterns: dict[str, str], arguments: dict[str, object], word: str
) -> None:
    assert Policy(rules=(Rule(word="allow", arguments=patterns),)).decide(sending(**arguments)).word == word


def test_a_deny_on_an_argument_that_is_too_long_to_look_at_holds() -> None:
    rules = Policy(rules=(Rule(word="deny", arguments={"to": "*@evil"}),))

    assert rules.decide(sending(to="x" * (MOST_MATCHED + 1))).word == "deny"
    assert rules.decide(sending(to="ann")).word == "ask"


def test_a_rule_may_wait_for_what_the_session_has_seen() -> None:
    both = Policy(rules=(Rule(word="deny", actions=("send",), after=("untrusted", "private"), name="no way out"),))
    call = sending(to="ann")

    def seen(*labels: str) -> Facts:
        return Facts(tool=call.tool, effects=call.effects, arguments=call.arguments, labels=frozenset(labels))

    assert both.decide(seen("untrusted")).word == "ask"
    assert both.decide(seen("untrusted", "private")).rule == "no way out"


def test_rules_speak_of_a_risk_of_what_cannot_be_taken_back_and_of_a_namespace() -> None:
    reading = Facts(tool="mail_read", effects=Effects(does=frozenset()))

    for rule in (
        Rule(word="deny", risk="high"),
        Rule(word="deny", irreversible=True),
        Rule(word="deny", namespace="mail", actions=("send",)),
    ):
        assert Policy(rules=(rule,)).decide(sending(to="x")).word == "deny"
        assert Policy(rules=(rule,)).decide(reading).word == "allow"
    assert [namespace_of(each) for each in ("git_hub__search", "mail_send", "search")] == ["git_hub", "mail", "search"]


def test_what_an_argument_adds_is_judged_like_what_the_tool_does() -> None:
    effects = Effects(does=frozenset(), also={"participants": "send"})

    def word(**arguments: object) -> str:
        facts = Facts(tool="make_event", effects=effects, arguments=arguments)
        return Policy(rules=(Rule(word="deny", actions=("send",)),)).decide(facts).word

    assert [word(), word(participants=[]), word(participants=["ann"])] == ["allow", "allow", "deny"]


def test_a_limit_allows_nothing_and_is_counted_as_it_says(run: Run) -> None:
    def limits(per: Any, **more: Any) -> tuple[str, ...]:
        rule = Rule(word="limit", most=3, window_s=60, per=per, name="few", **more)
        facts = Facts(tool="mail_send", effects=Effects(does=frozenset({"send"})), session="s", principal="ann")
        decision = Policy(rules=(rule,)).decide(facts)
        assert decision.word == "ask"
        assert {(each.most, each.window_s) for each in decision.claims} == {(3, 60)}
        return tuple(each.key for each in decision.claims)

    assert limits("tool") == ("tool:mail_send/few",)
    assert limits("session") == ("session:s/few",)
    assert limits("principal") == ("principal:ann/few",)
    assert limits("host") == ("host:unknown/few",)
    by_host = Policy(rules=(Rule(word="limit", hosts=("*.example.org",), most=1, window_s=9, per="host", name="x"),))
    assert [each.key for each in by_host.decide(fetching("https://a.example.org", "a.example.org")).claims] == [
        "host:a.example.org/x"
    ]
    assert by_host.decide(fetching("https://b.net", "b.net")).claims == ()
    granted = Policy(rules=(Rule(word="allow", tools="mail_*", most=1, window_s=9),)).decide(sending(to="a"))
    assert (granted.word, len(granted.claims)) == ("allow", 1)


def test_what_a_rule_says_of_itself_is_told() -> None:
    named = Rule(word="deny", tools="mail_*", name="quiet", reason="mail is read by people first")
    bare = Rule(
        word="deny", tools="mail_*", arguments={"to": "*@evil"}, risk="low", irreversible=True, namespace="mail"
    )

    assert Policy(rules=(named,)).decide(sending(to="a")).reasons == ("mail is read by people first",)
    assert named.label == "quiet"
    assert bare.label == "deny mail_* in mail with to=*@evil"


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (Rule(word="limit"), "how many"),
        (Rule(word="deny", most=1, window_s=1), "belongs to a limit"),
        (Rule(word="allow", most=1), "above 0"),
        (Rule(word="deny", arguments={"a": "/(/"}), "no regular expression"),
        (Rule(word="deny", commands=(" ",)), "a program and the words"),
        (Rule(word="deny", paths=("~/x",)), "write the home folder out"),
        (Rule(word="deny"), ""),
    ],
    ids=lambda each: each if isinstance(each, str) else each.word,
)
def test_a_rule_that_is_none_says_why(rule: Rule, says: str) -> None:
    assert says in rule.fault()
    assert bool(rule.fault()) == bool(says)


def test_a_fact_without_words_or_text_is_judged_as_unknown() -> None:
    doubt = Unproved(node="if", line=7, column=1, reason="odd")
    bare = CommandFact(text="x", commands=(SimpleCommand(words=(), folder=None),), unproved=(doubt,))
    facts = Facts(tool="t", effects=Effects(does=frozenset({"run"})), commands=(bare,))

    assert speaks(GIT_PUSH, facts, World()) == "maybe"
    assert list(facts.unproved()) == ["`if` at column 1 of line 7 cannot be proved: odd"]
    assert Policy(rules=(Rule(word="allow", commands=("git push",)),)).decide(facts).word == "ask"


def test_a_hard_link_or_a_protected_name_is_asked_about_unless_a_rule_names_it() -> None:
    hook = PathFact(asked="/w/.git/hooks/x", real="/w/.git/hooks/x", inside=True, kind="missing", hole=".git/hooks")
    linked = PathFact(asked="/w/a", real="/w/a", inside=True, kind="file", links=3)
    world = World(roots=("/w",))

    def decide(fact: PathFact, *rules: Rule, preset: Any = "workspace", does: Deed = "write") -> Any:
        facts = Facts(tool="write_file", effects=Effects(does=frozenset({does})), paths=(fact,))
        return Policy(rules=rules, world=world, preset=preset).decide(facts)

    assert (decide(hook).word, decide(hook).rule) == ("ask", "protected-name")
    assert (decide(linked).word, decide(linked).rule) == ("ask", "second-name")
    assert "2 other names" in decide(linked).reasons[0]
    assert {decide(each, preset=preset).word for each in (hook, linked) for preset in ("read-only", "unattended")} == {
        "deny"
    }
    assert decide(hook, Rule(word="allow")).word == "ask"
    assert decide(hook, Rule(word="allow", paths=("**",))).word == "ask"
    assert decide(hook, Rule(word="allow", paths=(".git/**",))).word == "ask"
    assert decide(hook, Rule(word="allow", paths=(".git/hooks/*",))).word == "allow"
    assert decide(hook, Rule(word="allow", paths=(".git/hooks/*",), layer="project")).word == "ask"
    assert decide(linked, Rule(word="allow", paths=("/w/a",), layer="user")).word == "allow"
    assert decide(linked, Rule(word="allow", paths=("/w/*",))).word == "ask"
    reading = Facts(tool="read_file", effects=Effects(does=frozenset()), paths=(hook, linked))
    assert Policy().decide(reading).word == "allow"


def test_an_allow_on_a_command_is_for_the_workspace(workspace: Workspace, run: Run) -> None:
    allows = Rule(word="allow", commands=("git push",))

    assert policy(workspace, allows).decide(run("cd docs && git push")).word == "allow"
    assert policy(workspace, allows).decide(run("cd /usr && git push")).word == "ask"


def test_leave_for_calls_like_one_is_not_for_other_folders(run: Run) -> None:
    assert shape_of(run("cd docs && git push")) == "git push"
    assert shape_of(run("cd /usr && git push")) == ""
    assert shape_of(run("cd .. && make test")) == ""
