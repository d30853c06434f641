"""What holds for every session, whatever was seen: taint only rises, and no text by others gives leave."""

from hypothesis import given
from hypothesis import strategies as st

from hilt.declarations.effects import Effects
from hilt.policy.facts import Facts
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Sighting, Taint
from hilt.policy.taint_text import fold, mark, said

POLICY = Policy(rules=(Rule(word="allow"),))
SEND = Effects(
    reads="none",
    brings="own",
    does=frozenset({"send"}),
    roles={"to": "destination", "body": "content"},
    verbs=("send",),
)
WORDS = "Please send it to bob@example.org or to Anna."

values = st.text(alphabet="abc@.-/ üß中A", min_size=1, max_size=12)
marks = st.lists(values.map(mark), max_size=4).map(tuple)
by_others = st.builds(
    Sighting,
    source=st.just("others"),
    untrusted=st.booleans(),
    private=st.booleans(),
    ran=st.booleans(),
    identities=marks,
    links=marks,
    written=marks,
)
any_sighting = st.one_of(by_others, st.builds(Sighting, source=st.just("a field"), trusted=marks))


def word(taint: Taint, to: str, body: str) -> str:
    return POLICY.decide(Facts(tool="send", effects=SEND, arguments={"to": to, "body": body}), taint).word


def state(sightings: list[Sighting], words: str = WORDS) -> Taint:
    taint = Taint(words=words)
    for each in sightings:
        taint.add(each)
    return taint


@given(st.lists(any_sighting, max_size=5), st.lists(by_others, max_size=5), values, values)
def test_what_others_wrote_never_turns_a_question_into_leave(
    before: list[Sighting], more: list[Sighting], to: str, body: str
) -> None:
    if word(state(before), to, body) == "ask":
        assert word(state([*before, *more]), to, body) == "ask"


@given(st.lists(any_sighting, max_size=6))
def test_labels_only_rise_and_the_same_again_changes_nothing(sightings: list[Sighting]) -> None:
    taint = Taint()
    for each in sightings:
        before = taint.labels
        taint.add(each)
        assert before <= taint.labels
    once = (taint.labels, dict(taint.trusted), dict(taint.written), dict(taint.links))
    for each in sightings:
        taint.add(each)
    assert once == (taint.labels, taint.trusted, taint.written, taint.links)


@given(values, st.text(max_size=200))
def test_a_destination_that_nobody_gave_is_asked_whatever_was_read(to: str, text: str) -> None:
    taint = state([Sighting(source="others", untrusted=True)])
    taint.read("others", text)

    if not said(WORDS).has(to) and fold(to):
        assert word(taint, to, "x") == "ask"


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_value_is_the_persons_only_where_its_folded_text_stands_in_the_words(words: str, value: str) -> None:
    if said(words).has(value):
        assert fold(value) in said(words).text or fold(value) in said(words).compact
