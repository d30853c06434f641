"""May it? The strictest word of every layer, with the reasons; nothing lifts what the built-in layer denies."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt import Effects
from hilt.calls.resolver import PathFact
from hilt.declarations.effects import Action, Deed
from hilt.policy.decision import STRICTNESS, Word
from hilt.policy.facts import Facts
from hilt.policy.policy import Policy
from hilt.policy.presets import PRESETS, Preset
from hilt.policy.rules import Rule

INSIDE = PathFact(asked="/w/a", real="/w/a", inside=True, kind="file")
OUTSIDE = PathFact(asked="/etc/passwd", real="/etc/passwd", inside=False, kind="file", why="it is in no root")
DEEDS: tuple[Deed, ...] = get_args(Deed)


def facts(*deeds: Deed, paths: tuple[PathFact, ...] = (), tool: str = "tool") -> Facts:
    return Facts(tool=tool, effects=Effects(does=frozenset(deeds)), paths=paths)


@pytest.mark.parametrize(
    ("preset", "deeds", "paths", "word"),
    [
        ("read-only", (), (), "allow"),
        ("read-only", ("fetch",), (), "ask"),
        ("read-only", ("write",), (INSIDE,), "deny"),
        ("workspace", (), (), "allow"),
        ("workspace", ("write",), (INSIDE,), "allow"),
        ("workspace", ("write",), (), "ask"),
        ("workspace", ("run",), (), "ask"),
        ("workspace", ("spend",), (INSIDE,), "ask"),
        ("unattended", ("write",), (INSIDE,), "allow"),
        ("unattended", ("run",), (INSIDE,), "deny"),
        ("unattended", ("fetch",), (INSIDE,), "deny"),
        ("unattended", ("write",), (), "deny"),
        ("unattended", ("send",), (), "deny"),
        ("unattended", DEEDS, (INSIDE,), "deny"),
    ],
)
def test_a_preset_has_one_word_for_each_deed(
    preset: Preset, deeds: tuple[Deed, ...], paths: tuple[PathFact, ...], word: Word
) -> None:
    decision = Policy(preset=preset).decide(facts(*deeds, paths=paths))

    assert decision.word == word
    assert decision.layer == "preset"
    assert decision.rule.startswith(f"{preset}/")
    assert decision.reasons


@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_lifts_a_path_outside_the_roots(preset: Preset) -> None:
    policy = Policy(preset=preset, rules=(Rule(word="allow"),))

    decision = policy.decide(facts(paths=(INSIDE, OUTSIDE)))

    assert (decision.word, decision.layer, decision.rule) == ("deny", "built-in", "outside-roots")
    assert "it is in no root" in decision.reasons[0]


def test_a_path_outside_without_a_reason_is_named_all_the_same() -> None:
    bare = PathFact(asked="/x", real="/x", inside=False, kind="missing")

    assert Policy().decide(facts(paths=(bare,))).reasons == ("/x is outside the workspace",)


def test_deny_wins_over_allow_whatever_their_order_b83() -> None:
    allow, deny = Rule(word="allow", tools="pay_*"), Rule(word="deny", tools="pay_all", name="no paying of all")
    for rules in ((allow, deny), (deny, allow)):
        policy = Policy(rules=rules)
        assert policy.decide(facts("spend", tool="pay_one")).word == "allow"
        decision = policy.decide(facts("spend", tool="pay_all"))
        assert (decision.word, decision.layer, decision.rule) == ("deny", "host", "no paying of all")


def test_a_rule_speaks_only_of_its_tools_and_actions_and_names_itself() -> None:
    policy = Policy(rules=(Rule(word="allow", tools="mail", actions=("send",)), Rule(word="ask", actions=("read",))))

    sending = policy.decide(facts("send", tool="mail"))
    assert (sending.word, sending.rule) == ("ask", "ask * that read")
    assert sending.reasons == ("the host's rule says ask to this call of mail",)
    assert Policy(rules=policy.rules[:1]).decide(facts("send", tool="mail")).word == "allow"
    assert Policy(rules=policy.rules[:1]).decide(facts("send", tool="chat")).word == "ask"


@pytest.mark.parametrize("action", ["fetch", "write"])
def test_under_read_only_a_rule_of_the_host_only_tightens(action: Deed) -> None:
    allowing = Policy(preset="read-only", rules=(Rule(word="allow"),))
    denying = Policy(preset="read-only", rules=(Rule(word="deny"),))

    assert allowing.decide(facts(action)).word == Policy(preset="read-only").decide(facts(action)).word
    assert denying.decide(facts(action)).word == "deny"


@pytest.mark.parametrize(
    ("deeds", "kind", "notes"),
    [
        ((), "proved", ()),
        (("write",), "proved", ()),
        (("run",), None, ("not isolated",)),
        (("fetch",), None, ()),
        (("send",), None, ()),
        (("spend", "write"), None, ()),
    ],
    ids=str,
)
def test_a_yes_is_proved_only_where_facts_prove_it(
    deeds: tuple[Deed, ...], kind: str | None, notes: tuple[str, ...]
) -> None:
    decision = Policy(rules=(Rule(word="allow"),)).decide(facts(*deeds, paths=(INSIDE,)))

    assert decision.word == "allow"
    assert decision.kind == kind
    assert decision.notes == notes
    assert decision.proof == {"paths": ["/w/a"]}
    assert Policy().decide(facts()).proof == {}


rules = st.builds(
    Rule,
    word=st.sampled_from(STRICTNESS),
    tools=st.sampled_from(("*", "tool", "other", "to*")),
    actions=st.lists(st.sampled_from(get_args(Action)), max_size=2).map(tuple),
)


@given(
    deeds=st.sets(st.sampled_from(DEEDS)),
    preset=st.sampled_from(PRESETS),
    given_rules=st.lists(rules, max_size=4).map(tuple),
    more=rules.filter(lambda rule: rule.word == "deny"),
)
@settings(max_examples=200, derandomize=True)
def test_a_further_deny_never_loosens(
    deeds: set[Deed], preset: Preset, given_rules: tuple[Rule, ...], more: Rule
) -> None:
    before = Policy(preset=preset, rules=given_rules).decide(facts(*deeds)).word
    after = Policy(preset=preset, rules=(*given_rules, more)).decide(facts(*deeds)).word

    assert STRICTNESS.index(after) >= STRICTNESS.index(before)


def test_a_yes_names_the_riskiest_thing_it_allows() -> None:
    effects = Effects(reads="private", does=frozenset({"write"}))
    inside = PathFact(asked="/w/a", real="/w/a", inside=True, kind="file")

    decision = Policy().decide(Facts(tool="write_file", effects=effects, paths=(inside,)))

    assert (decision.word, decision.rule) == ("allow", "workspace/write")
    assert decision.reasons == ("preset workspace: write is allow",)
