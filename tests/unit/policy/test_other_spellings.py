"""A word that forbids is not slipped past by another spelling, and an allow of anything is known in its disguises."""

import pytest

from hilt.calls.resolver import CommandFact, PathFact, SimpleCommand, UrlFact
from hilt.declarations.effects import Effects
from hilt.policy.facts import Facts
from hilt.policy.matching import World
from hilt.policy.patterns import path_expressions
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.saving import savable

WORLD = World(roots=("/w",))


def word(rule: Rule, facts: Facts) -> str:
    return Policy(rules=(rule,), world=WORLD).decide(facts).word


def running(*words: str) -> Facts:
    effects = Effects(does=frozenset({"run"}), roles={"command": "command"}, isolated=True)
    fact = CommandFact(text=" ".join(words), commands=(SimpleCommand(words=words, folder="/w"),), unproved=())
    return Facts(tool="run_command", effects=effects, commands=(fact,))


def fetching(host: str) -> Facts:
    effects = Effects(does=frozenset({"fetch"}), roles={"url": "url"})
    return Facts(tool="get", effects=effects, urls=(UrlFact(asked=f"http://{host}/", host=host, scheme="http"),))


def sending(to: object) -> Facts:
    return Facts(tool="mail", effects=Effects(does=frozenset({"send"})), arguments={"to": to})


def reading(real: str) -> Facts:
    fact = PathFact(asked=real, real=real, inside=True, kind="file")
    return Facts(tool="read", effects=Effects(roles={"path": "path"}), paths=(fact,))


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("*", "example.org"),
        ("example.org", "example.org\u3002"),
        ("example.org", "EXAMPLE\uff0eorg."),
        ("example.org", "ex%61mple.org"),
        ("*.example.org", "a%2Eexample.org"),
        ("127.0.0.1", "2130706433"),
        ("127.0.0.1", "0x7f.1"),
        ("127.0.0.1", "0177.0.0.1"),
        ("127.0.0.1", "::ffff:7f00:1"),
        ("[::1]", "0:0:0:0:0:0:0:1"),
    ],
)
def test_a_deny_knows_a_host_however_it_is_written(pattern: str, host: str) -> None:
    assert word(Rule(word="deny", hosts=(pattern,)), fetching(host)) == "deny"


@pytest.mark.parametrize("host", ["127.0.0.300", "0x.1.1.1", "08.0.0.1", "1.2.3.4.5", "9" * 5000, "300.1"])
def test_what_is_no_address_is_taken_as_it_is_written(host: str) -> None:
    assert word(Rule(word="deny", hosts=("127.0.0.1",)), fetching(host)) == "ask"


def test_a_percent_sign_in_a_host_gets_no_leave() -> None:
    assert word(Rule(word="allow", hosts=("example.org",)), fetching("ex%61mple.org")) == "ask"


@pytest.mark.parametrize(
    ("named", "command", "said"),
    [
        ("/bin/rm", ("rm", "x"), "deny"),
        ("./deploy.sh", ("./deploy.sh",), "deny"),
        ("rm -rf", ("rm", "-r", "-f", "x"), "deny"),
        ("rm -rf", ("rm", "x", "-f", "-r"), "deny"),
        ("rm -rf", ("rm", "--recursive", "--force", "x"), "ask"),
        ("git push -f", ("git", "push", "origin", "--force"), "ask"),
    ],
)
def test_a_deny_knows_a_program_by_its_name_and_options_by_their_letters(
    named: str, command: tuple[str, ...], said: str
) -> None:
    assert word(Rule(word="deny", commands=(named,)), running(*command)) == said


@pytest.mark.parametrize(("named", "command"), [("rm -rf", ("rm", "-r", "x")), ("git push -f", ("git", "log", "-f"))])
def test_options_that_lack_a_letter_are_others(named: str, command: tuple[str, ...]) -> None:
    rule = Rule(word="limit", commands=(named,), most=1, window_s=60)
    assert Policy(rules=(rule,), world=WORLD).decide(running(*command)).claims == ()


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("*@evil.example", ["eve@evil.example"]),
        ("*@evil.example", [{"address": "eve@evil.example"}, "ann@example.org"]),
        ("*@evil.example", "Eve@EVIL.example"),
        ("*@evil.example", " eve@evil.example\n"),
        ("*@evil.example", "eve\uff20evil.example"),
        ("/.*@evil\\.example/", ["ann@example.org", "eve@evil.example"]),
        ("1000", 1000.0),
        ("*@evil.example", ["ann@example.org", "x" * 10_001]),
    ],
)
def test_a_deny_finds_a_value_in_lists_in_another_case_and_as_another_number(pattern: str, value: object) -> None:
    assert word(Rule(word="deny", arguments={"to": pattern}), sending(value)) == "deny"


def test_a_deny_on_a_value_leaves_other_values_alone() -> None:
    assert word(Rule(word="deny", arguments={"to": "*@evil.example"}), sending(["ann@example.org", {}, None])) == "ask"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("/", "/etc/passwd"), (".", "/w/a"), ("./", "/w/a/b"), ("**/**/*.pem", "/w/a/b.pem"), ("a//b", "/w/a/b")],
)
def test_a_deny_on_a_folder_holds_for_all_below_it(pattern: str, path: str) -> None:
    assert word(Rule(word="deny", paths=(pattern,)), reading(path)) == "deny"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("a/" + "**/b/" * 12 + "c", "/w/a" + "/b" * 1000),
        ("*a" * 24 + "b", "/w/" + "a" * 255),
        ("*a*/" * 10 + "x", "/w/" + ("a" * 255 + "/") * 10 + "y"),
        ("x/" + "**/*a*/" * 10 + "x", "/w/x/" + ("a" * 255 + "/") * 14 + "y"),
    ],
)
def test_a_pattern_of_many_wildcards_is_tried_without_going_over_the_same_ground(pattern: str, path: str) -> None:
    assert not any(each.fullmatch(path) for each in path_expressions(pattern, ("/w",)))


@pytest.mark.parametrize(
    "rule",
    [
        Rule(word="deny", hosts=("https://evil.example/",)),
        Rule(word="deny", hosts=("evil.example:443",)),
        Rule(word="deny", hosts=("evil.*",)),
        Rule(word="deny", paths=("../x",)),
        Rule(word="deny", paths=("docs**",)),
        Rule(word="deny", paths=("[z-a]",)),
        Rule(word="deny", commands=("'git' push",)),
        Rule(word="deny", commands=("A=1 git push",)),
        Rule(word="deny", commands=("git push; ls",)),
        Rule(word="deny", commands=("bin/ x",)),
    ],
)
def test_a_pattern_that_never_fits_anything_is_said(rule: Rule) -> None:
    assert rule.fault()


@pytest.mark.parametrize("host", ["*", "example.org", "*.example.org", "münchen.example", "my_host", "[::1]", "::1"])
def test_hosts_are_names_and_numbers(host: str) -> None:
    assert Rule(word="deny", hosts=(host,)).fault() == ""


@pytest.mark.parametrize(
    "rule",
    [
        *(Rule(word="allow", tools=each) for each in ("*_*", "[a-z]*", "[!x]*", "*e*", "*[!x]", "??*")),
        Rule(word="allow", namespace="[!x]*"),
        *(Rule(word="allow", paths=(each,)) for each in ("/?*", "?*", "/*/**", "/[a-z]*", "**/?*", "./**/*", "[!x]*")),
        *(
            Rule(word="allow", arguments={"to": each})
            for each in ("*?", "/(.*)/", r"/[\s\S]*/", "/.|.*/", "/^.*$/", "[!\0]*")
        ),
        *(
            Rule(word="allow", commands=(each,))
            for each in (
                "python3.12",
                "python3.11 -c",
                "PYTHON3",
                "nodejs",
                "rbash",
                "lua5.4",
                "bash5",
                "/lib64/ld-linux-x86-64.so.2",
                "gosu",
                "tmux",
                "uv run python",
                "uv run --with x",
                "npm exec --",
                "pipx run",
                "docker run --privileged",
                "conda run bash",
            )
        ),
    ],
)
def test_an_allow_of_anything_is_known_in_its_disguises(rule: Rule) -> None:
    assert savable(rule) is not None


@pytest.mark.parametrize(
    "rule",
    [
        Rule(word="allow", tools="git_*"),
        Rule(word="allow", tools="x*"),
        Rule(word="allow", paths=("*.md",)),
        Rule(word="allow", arguments={"to": "*@example.org"}),
        Rule(word="allow", commands=("uv run pytest",)),
        Rule(word="allow", commands=("python3.12 manage.py",)),
    ],
)
def test_an_allow_that_names_what_it_means_is_kept(rule: Rule) -> None:
    assert savable(rule) is None
