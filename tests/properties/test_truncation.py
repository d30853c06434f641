"""What is cut is never over its budget, never inside a character, and can be had to the last item or byte."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt import Budget, Param, Runtime, Session, tool
from hilt.calls.answer import Answer
from hilt.results.counting import QUARTER_BYTES
from hilt.results.cutting import Keep
from hilt.tools.artifact_read import artifact_read
from tests.kit import answered, perceiving, runtime, turn
from tests.properties.strategies import texts

LINE = st.one_of(texts, st.text(st.sampled_from("ab 🦊中é\n|"), max_size=30))
KEEPS: tuple[Keep, ...] = ("head", "tail", "ends")
budgets = st.builds(
    Budget,
    tokens=st.none() | st.integers(60, 400),
    bytes=st.none() | st.integers(250, 1500),
    lines=st.none() | st.integers(5, 40),
).filter(lambda budget: budget != Budget())


def lister(items: Sequence[Any], hint: Any, budget: Budget, limit: int) -> Any:
    def entries(offset: Any = 0) -> Any:
        return list(items[offset:])

    entries.__annotations__ = {"offset": Annotated[int, Param("entries to skip")], "return": list[hint]}
    return tool(**perceiving(limit=limit, continues="offset", noun="entry", budget=budget))(entries)


def teller(text: str, budget: Budget, keep: Keep) -> Any:
    def tell() -> str:
        return text

    return tool(**perceiving(budget=budget, keep=keep))(tell)


async def walked(of: Runtime, session: Session, budget: Budget) -> tuple[list[object], list[Answer]]:
    """Every item that following `next` shows, and the answers on the way."""
    items: list[object] = []
    answers: list[Answer] = []
    arguments: Mapping[str, object] = {}
    while True:
        answer = await answered(of, "entries", json.dumps(arguments), session)
        keeps(budget, answer.text)
        answers.append(answer)
        items += answer.result.items
        cut = answer.result.truncation
        if cut is None or not cut.next:
            return items, answers
        assert cut.shown == len(answer.result.items) > 0
        arguments = cut.next


def keeps(budget: Budget, text: str) -> None:
    encoded = text.encode()
    assert encoded.decode() == text
    assert budget.bytes is None or len(encoded) <= budget.bytes
    assert budget.lines is None or text.count("\n") + 1 <= budget.lines
    assert budget.tokens is None or QUARTER_BYTES.count(text) <= budget.tokens


async def stored(of: Runtime, session: Session, answer: Answer) -> str:
    assert answer.result.artifact is not None
    blob = await of.store.blob(session.id, answer.result.artifact.id)
    assert blob is not None
    assert blob.size == answer.result.artifact.bytes
    return (await blob.read(0, blob.size)).decode()


@given(items=st.lists(LINE, max_size=60), budget=budgets, limit=st.integers(2, 80))
@settings(max_examples=60, derandomize=True)
async def test_following_next_gives_every_text_once_to_the_exact_total(
    items: list[str], budget: Budget, limit: int
) -> None:
    session = Session()
    shown, answers = await walked(runtime(lister(items, str, budget, limit)), session, budget)

    if all(answer.result.truncation is None or answer.result.truncation.next for answer in answers):
        assert shown == items
    for answer in answers:
        cut = answer.result.truncation
        if cut is not None and cut.total_is == "exact" and cut.unit == "items":
            assert cut.total == len(items)
        elif cut is not None and cut.unit == "items":
            assert cut.total <= len(items)
    assert answers[-1].result.truncation is None or not answers[-1].result.truncation.next


@given(rows=st.lists(st.tuples(st.integers(), LINE), max_size=40), budget=budgets)
@settings(max_examples=40, derandomize=True)
async def test_following_next_gives_every_record_once_whatever_its_table_looks_like(
    rows: list[tuple[int, str]], budget: Budget
) -> None:
    items = [{"id": number, "text": text} for number, text in rows]
    shown, answers = await walked(runtime(lister(items, dict[str, Any], budget, 50)), Session(), budget)

    if all(answer.result.truncation is None or answer.result.truncation.next for answer in answers):
        assert shown == items


@given(text=st.lists(LINE, min_size=5, max_size=400).map("".join), budget=budgets, keep=st.sampled_from(KEEPS))
@settings(max_examples=120, derandomize=True)
async def test_a_long_text_is_cut_between_characters_and_its_whole_is_kept_b109(
    text: str, budget: Budget, keep: Keep
) -> None:
    session = Session()
    of = runtime(teller(text, budget, keep), artifact_read)

    answer = await answered(of, "tell", session=session)

    keeps(budget, answer.text)
    cut = answer.result.truncation
    if cut is None:
        assert answer.result.items == (text,)
        return
    assert await stored(of, session, answer) in (text, answer.produced.summary)
    assert cut.total == len((await stored(of, session, answer)).encode())
    assert cut.otherwise is not None
    offset = cut.otherwise.arguments["offset"]
    assert isinstance(offset, int)
    if keep == "head" and answer.result.items:
        assert str(answer.result.items[0]).encode() + text.encode()[offset:] == text.encode()
        assert cut.shown == offset
    if keep != "head":
        assert offset == 0


@given(
    lines=st.lists(st.text("abc 🦊", min_size=12, max_size=20), min_size=80, max_size=90),
    place=st.integers(0, 30),
    budget=st.builds(Budget, bytes=st.integers(300, 900)),
)
@settings(max_examples=40, derandomize=True)
async def test_masking_a_secret_in_the_kept_whole_makes_no_gap_behind_the_cut(
    lines: list[str], place: int, budget: Budget
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    text = "\n".join([*lines[:place], f"token {secret[:40]}", *lines[place:]])
    session = Session()
    of = runtime(teller(text, budget, "head"), artifact_read)

    answer = await answered(of, "tell", session=session)

    cut = answer.result.truncation
    assert cut is not None
    assert cut.otherwise is not None
    whole = await stored(of, session, answer)
    rest = whole.encode()[int(str(cut.otherwise.arguments["offset"])) :].decode()
    unseen = text[len(str(answer.result.items[0])) :]
    assert secret[:40] not in whole
    assert rest.endswith(unseen) or "masked" in rest


@given(budget=st.builds(Budget, bytes=st.integers(1, 200)), text=LINE.map(lambda each: each * 50))
@settings(max_examples=60, derandomize=True)
async def test_a_budget_too_small_for_any_notice_is_still_kept(budget: Budget, text: str) -> None:
    answer = await answered(runtime(teller(text, budget, "head")), "tell")

    keeps(budget, answer.text)


@given(
    sizes=st.lists(st.integers(1, 6000), min_size=2, max_size=6),
    tokens=st.integers(2000, 6000),
)
@settings(max_examples=30, derandomize=True)
async def test_the_results_of_a_turn_share_one_budget_and_small_ones_stay_whole(sizes: list[int], tokens: int) -> None:
    @tool(**perceiving())
    def letters(count: Annotated[int, Param("letters")]) -> str:
        return "x" * count

    of = runtime(letters, turn_budget=Budget(tokens=tokens))
    answers = await of.answer(Session(), turn(*(("letters", json.dumps({"count": size})) for size in sizes)))

    assert sum(QUARTER_BYTES.count(each.text) for each in answers) <= tokens
    cut = [size for size, each in zip(sizes, answers, strict=True) if each.result.truncated]
    whole = [size for size, each in zip(sizes, answers, strict=True) if not each.result.truncated]
    assert not cut or not whole or min(cut) >= max(whole)


@pytest.mark.parametrize("keep", KEEPS)
async def test_the_json_form_keeps_its_budget_and_stays_json(keep: Keep) -> None:
    budget = Budget(bytes=700)
    of = runtime(teller("line 🦊\n" * 500, budget, keep), artifact_read, form="json")

    answer = await answered(of, "tell")

    keeps(budget, answer.text)
    assert json.loads(answer.text)["truncated"] is True
