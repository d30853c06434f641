"""The presets on facts: what is proved runs, what isolation bears runs confined, and a person is asked for the rest."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hilt.calls.resolver import CommandFact, PathFact, Property, SimpleCommand, Unproved
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.policy.policy import NOT_ISOLATED, Policy
from hilt.policy.presets import CONFINED, MOST_REASONS, TO_DECLARE, Preset
from hilt.policy.proof import proof_of
from hilt.policy.rules import Rule
from hilt.policy.taint import Taint
from hilt.workspace import Workspace

RUNS = Effects(reads="private", brings="own", does=frozenset({"run"}), roles={"command": "command"}, isolated=True)
EVERY: frozenset[Property] = frozenset({"fs_read_confined", "kill_complete"})
WALLS = CONFINED | EVERY
Decide = Callable[..., Decision]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w" / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "w" / "a.txt").write_text("x")
    return tmp_path / "w"


@pytest.fixture
def decide(root: Path) -> Decide:
    workspace = Workspace([root])

    def decision(command: str, preset: Preset, walls: frozenset[Property] = frozenset(), **more: Any) -> Decision:
        facts = Facts(tool="run_command", effects=RUNS, commands=(workspace.command(command),), confinement=walls)
        return Policy(preset=preset, **more).decide(facts)

    return decision


@pytest.mark.parametrize(
    ("command", "read_only", "free", "confined", "unattended"),
    [
        # under workspace: without isolation, with it; under unattended without it
        ("cat a.txt", "allow/proved", "allow/proved", "allow/proved", "allow/proved"),
        ("cat a.txt > b.txt", "deny", "allow/proved", "allow/proved", "allow/proved"),
        ("cat /etc/hosts", "deny", "ask", "allow/confined", "deny"),
        ("echo x > /etc/x", "deny", "ask", "allow/confined", "deny"),
        ("echo x > .git/hooks/pre-commit", "deny", "ask", "allow/confined", "deny"),
        ("npm test", "deny", "ask", "allow/confined", "deny"),
        ("python -c 1", "deny", "ask", "allow/confined", "deny"),
        ("$(cat a.txt)", "deny", "ask", "allow/confined", "deny"),
        ("curl https://example.org", "deny", "ask", "allow/confined", "deny"),
    ],
)
def test_what_a_preset_says_to_a_command(
    decide: Decide, command: str, read_only: str, free: str, confined: str, unattended: str
) -> None:
    def told(decision: Decision) -> str:
        return decision.word + (f"/{decision.kind}" if decision.kind else "")

    assert told(decide(command, "read-only", WALLS)) == read_only
    assert told(decide(command, "workspace")) == free
    assert told(decide(command, "workspace", WALLS)) == confined
    assert told(decide(command, "unattended")) == unattended
    assert told(decide(command, "unattended", WALLS)) == confined


def test_a_read_outside_is_confined_only_where_reads_are(decide: Decide) -> None:
    assert decide("cat /etc/hosts", "workspace", CONFINED).word == "ask"
    assert decide("cat /etc/hosts", "unattended", CONFINED).word == "deny"
    assert decide("npm test", "workspace", CONFINED).kind == "confined"
    assert decide("npm test", "workspace", CONFINED - {"net_blocked"}).word == "ask"


def test_without_isolation_a_driver_asks_once_and_a_program_each_time(decide: Decide) -> None:
    driver, program = decide("npm test", "workspace"), decide("frobnicate", "workspace")

    assert (driver.asks_once, driver.shape) == (True, "driver:npm")
    assert (program.asks_once, program.shape) == (False, "frobnicate")


def test_a_refusal_quotes_the_construct_and_its_column_and_says_what_to_do(decide: Decide) -> None:
    decision = decide("cat $(frob x) a.txt", "unattended")

    assert any("`$(frob x)` at column 5 cannot be proved" in reason for reason in decision.reasons)
    assert decision.ways[0] == "run it as two calls, each a plain program with plain arguments"
    many = decide("; ".join(f"frob{n}" for n in range(9)), "unattended")
    assert many.reasons[1 + MOST_REASONS] == "and 5 more of its parts"


def test_code_that_no_fact_describes_is_confined_or_asked_about() -> None:
    runs = Effects(reads="private", brings="own", does=frozenset({"run"}), isolated=True, roles={"code": "content"})

    def facts(walls: frozenset[Property]) -> Facts:
        return Facts(tool="run_code", effects=runs, arguments={"code": "1"}, confinement=walls)

    assert Policy().decide(facts(frozenset())).word == "ask"
    assert Policy().decide(facts(WALLS)).kind == "confined"
    denied = Policy(preset="unattended").decide(facts(frozenset()))
    assert (denied.word, len(denied.ways)) == ("deny", 2)


def test_a_path_beyond_is_told_with_a_way(decide: Decide) -> None:
    decision = decide("cat /etc/hosts", "unattended")

    assert "it reads outside the workspace: /etc/hosts" in decision.reasons
    assert decision.ways[0] == "keep to paths inside the workspace"


def test_under_unattended_an_ask_of_any_layer_is_a_deny_that_says_so(root: Path) -> None:
    inside = Workspace([root]).path(str(root / "a.txt"))
    reading = Facts(tool="read_file", effects=Effects(does=frozenset()), paths=(inside,))

    def hook(_: Facts) -> Decision:
        return Decision(word="ask", layer="mine", rule="mine", reasons=("I ask",))

    for policy in (
        Policy(preset="unattended", rules=(Rule(word="ask"),)),
        Policy(preset="unattended", hooks=(hook,)),
    ):
        decision = policy.decide(reading)
        assert decision.word == "deny"
        assert "nobody is asked" in decision.reasons[0]
        assert decision.claims == ()


def test_a_hook_is_heard_where_it_tightens_and_nowhere_else(decide: Decide) -> None:
    def yes(facts: Facts) -> Decision | None:
        return Decision(word="allow", layer="x", rule="x") if facts.tool == "run_command" else None

    def broken(facts: Facts) -> Decision:
        raise ValueError(facts.tool)

    def no(_: Facts) -> Decision:
        return Decision(word="deny", layer="x", rule="mine", reasons=("not today",))

    assert decide("npm test", "workspace", hooks=(yes,)).word == "ask"
    assert decide("npm test", "workspace", rules=(Rule(word="deny"),), hooks=(yes,)).word == "deny"
    failed = decide("cat a.txt", "workspace", hooks=(broken,))
    assert (failed.word, failed.layer, failed.reasons) == (
        "deny",
        "hook",
        ("the host's hook broken failed: ValueError",),
    )
    refused = decide("cat a.txt", "workspace", rules=(Rule(word="allow"),), hooks=(yes, no))
    assert (refused.word, refused.layer, refused.rule) == ("deny", "hook", "mine")


def test_that_nothing_isolates_is_noted_only_where_something_unknown_runs(decide: Decide) -> None:
    free = (Rule(word="allow"),)

    assert decide("cat a.txt", "workspace").notes == ()
    assert decide("npm test", "workspace", rules=free).notes == (NOT_ISOLATED,)
    assert decide("npm test", "workspace", WALLS, rules=free).notes == ()


def test_the_strictest_of_all_layers_has_the_word_and_none_is_skipped(decide: Decide) -> None:
    allow = Rule(word="allow", commands=("npm test",), layer="session")
    ask = Rule(word="ask", tools="run_*", layer="organisation", name="theirs")
    deny = Rule(word="deny", commands=("npm",), layer="project", name="ours")

    assert decide("npm test", "workspace", rules=(allow,)).layer == "session"
    assert decide("npm test", "workspace", rules=(allow, ask)).rule == "theirs"
    assert decide("npm test", "workspace", rules=(ask, allow, deny)).rule == "ours"
    assert decide("npm test", "read-only", rules=(allow,)).word == "deny"


def test_rules_may_be_added_for_a_session_and_change_what_leave_is_bound_to() -> None:
    base = Policy()
    more = base.adding(Rule(word="deny", tools="x", layer="session"))

    assert base.version != more.version
    assert Policy().version == base.version
    assert Policy(hooks=(print,)).version != base.version
    assert base.static
    assert not Policy(hooks=(lambda _: None,)).static
    assert more.static
    assert not base.adding(Rule(word="limit", most=1, window_s=1)).static


def test_what_the_session_has_seen_is_asked_about_last() -> None:
    facts = Facts(tool="t", effects=Effects(does=frozenset({"send"})))

    assert Policy(preset="read-only").decide(facts, Taint(untrusted=True)).layer == "preset"
    assert Policy().decide(facts, Taint()).word == "ask"


def test_the_proof_writes_out_every_fact() -> None:
    hole = PathFact(asked="x", real="/w/x", inside=True, kind="file", hole=".git/hooks", links=2)
    command = CommandFact(
        text="npm x",
        commands=(SimpleCommand(words=("npm", None), folder="/w", wrappers=("time",)),),
        writes=(hole,),
        unproved=(Unproved(node="word", line=1, column=5, reason="odd"),),
        driver="npm",
    )
    facts = Facts(
        tool="run_command", effects=RUNS, commands=(command,), confinement=WALLS, labels=frozenset({"private"})
    )

    assert proof_of(facts) == {
        "actions": ["read", "run"],
        "risk": "high",
        "commands": [
            {
                "text": "npm x",
                "proved": False,
                "runs": [{"words": ["npm", "?"], "folder": "/w", "wrappers": ["time"]}],
                "unproved": [{"node": "word", "line": 1, "column": 5, "reason": "odd"}],
                "reads": [],
                "writes": [
                    {"asked": "x", "real": "/w/x", "inside": True, "kind": "file", "hole": ".git/hooks", "links": 2}
                ],
                "driver": "npm",
            }
        ],
        "properties": sorted(WALLS),
        "labels": ["private"],
    }


def test_a_tool_of_which_nobody_has_said_what_it_does_is_told_so_and_a_rule_lets_it() -> None:
    facts = Facts(tool="git__log", effects=UNDECLARED)
    policy = Policy()

    asked = policy.decide(facts)
    assert (asked.word, asked.rule, asked.ways) == ("ask", "workspace/undeclared", (TO_DECLARE,))
    assert asked.reasons == ("what git__log does is not declared, so it counts as able to do everything",)
    assert policy.decide(facts).reasons == asked.reasons
    assert policy.adding(Rule(word="allow", tools="git__log")).decide(facts).word == "allow"
    assert Policy(preset="unattended").decide(facts).word == "deny"


def test_what_is_known_of_a_tool_is_forgotten_when_it_declares_something_else() -> None:
    policy = Policy()
    reads = Effects(reads="private", brings="own", does=frozenset({"send"}))

    assert policy.decide(Facts(tool="t", effects=reads)).word == "ask"
    lifted = Policy(rules=(Rule(word="allow", risk="medium"),))
    for undoable in (False, True):
        effects = Effects(reads="none", brings="own", does=frozenset({"write"}), undoable=undoable)
        facts = Facts(tool="t", effects=effects)
        assert lifted.decide(facts) == Policy(rules=lifted.rules).decide(facts)
