"""What holds for any arguments and any turn, in every provider's form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.adapters import anthropic, gemini, openai_chat, openai_responses
from hilt.adapters.wire import argument_text, digest, fresh_ids, sendable
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.results.envelope import Status, ToolResult
from hilt.results.parts import Image
from tests.fakes.provider_server import anthropic_pairing, chat_pairing, gemini_pairing, responses_pairing
from tests.unit.adapters.samples import PNG

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
arguments = st.dictionaries(st.text(), values, max_size=4)
written = st.builds(lambda value, ascii: json.dumps(value, ensure_ascii=ascii), arguments, st.booleans())


class Adapter(Protocol):
    def read(self, message: object) -> Turn: ...
    def results(self, answers: Sequence[Answer]) -> list[dict[str, object]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A provider: its adapter, its message with calls (id, argument text or value), and its rules of pairing."""

    adapter: Any
    parsed: bool
    key: str

    def message(self, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        return getattr(self, f"_{self.key}")(calls)

    def _chat(self, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        made = [{"id": id, "type": "function", "function": {"name": "f", "arguments": text}} for id, text in calls]
        return {"role": "assistant", "content": None, "tool_calls": made}

    def _responses(self, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        return {
            "output": [{"type": "function_call", "call_id": id, "name": "f", "arguments": text} for id, text in calls]
        }

    def _anthropic(self, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        blocks = [{"type": "tool_use", "id": id, "name": "f", "input": value} for id, value in calls]
        return {"role": "assistant", "content": blocks}

    def _gemini(self, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        return {"role": "model", "parts": [{"functionCall": {"id": id, "name": "f", "args": v}} for id, v in calls]}

    def faults(self, repaired: Any, results: list[Any]) -> list[str]:
        """What the provider's rules of pairing say of the turn and its results."""
        if self.key == "responses":
            return responses_pairing({"input": [*repaired, *results]})
        whole = [repaired, *results]
        if self.key == "gemini":
            return gemini_pairing({"contents": whole})
        return chat_pairing({"messages": whole}) if self.key == "chat" else anthropic_pairing({"messages": whole})


SPOKEN: Mapping[str, Spoken] = {
    "chat": Spoken(adapter=openai_chat, parsed=False, key="chat"),
    "responses": Spoken(adapter=openai_responses, parsed=False, key="responses"),
    "anthropic": Spoken(adapter=anthropic, parsed=True, key="anthropic"),
    "gemini": Spoken(adapter=gemini, parsed=True, key="gemini"),
}
every_provider = pytest.mark.parametrize("spoken", SPOKEN.values(), ids=SPOKEN)


@every_provider
@given(turn=st.lists(arguments, min_size=1, max_size=4))
def test_any_arguments_come_through_equal_and_in_order(spoken: Spoken, turn: list[dict[str, Any]]) -> None:
    texts = [value if spoken.parsed else json.dumps(value) for value in turn]
    calls = spoken.adapter.read(spoken.message([(f"c{n}", each) for n, each in enumerate(texts)])).calls

    assert [json.loads(call.arguments) for call in calls] == turn
    assert [list(json.loads(call.arguments)) for call in calls] == [list(value) for value in turn]
    assert [(call.id, call.position) for call in calls] == [(f"c{n}", n) for n in range(len(turn))]


@pytest.mark.parametrize("spoken", [SPOKEN["chat"], SPOKEN["responses"]], ids=["chat", "responses"])
@given(text=written | st.text())
def test_argument_text_is_the_text_received_whatever_it_is(spoken: Spoken, text: str) -> None:
    assert spoken.adapter.read(spoken.message([("c", text)])).calls[0].arguments == text


@every_provider
@given(
    ids=st.lists(st.sampled_from(["", "a", "b", "a_1", "call_2"]), min_size=1, max_size=5),
    pictures=st.sets(st.integers(0, 4)),
    errors=st.sets(st.integers(0, 4)),
)
def test_every_call_gets_one_result_in_order_whatever_its_id_and_its_pictures(
    spoken: Spoken, ids: list[str], pictures: set[int], errors: set[int]
) -> None:
    message = spoken.message([(id, {"n": n} if spoken.parsed else f'{{"n":{n}}}') for n, id in enumerate(ids)])
    answers = [
        answered(call, picture=call.position in pictures, error=call.position in errors)
        for call in spoken.adapter.read(message).calls
    ]
    results = spoken.adapter.results(answers)

    assert spoken.faults(spoken.adapter.repaired(message), results) == []
    texts = [json.dumps(results).find(f"result {n}.") for n in range(len(ids))]
    assert -1 not in texts
    assert texts == sorted(texts)


def answered(call: ToolCall, *, picture: bool, error: bool) -> Answer:
    text = f"result {call.position}."
    parts = (Image(content=PNG, media_type="image/png"),) if picture else ()
    status = Status.ERROR if error else Status.SUCCESS
    result: ToolResult[object] = ToolResult(summary=text, parts=parts, status=status)
    return Answer(call=call, result=result, text=text, produced=result)


@given(ids=st.lists(st.sampled_from(["", "a", "a_1", "a_1_", "call_0", "b"]), max_size=7))
def test_fresh_ids_are_distinct_stable_and_keep_what_correlates(ids: list[str]) -> None:
    fresh = fresh_ids(ids)

    assert len(set(fresh)) == len(ids)
    assert "" not in fresh
    assert fresh_ids(fresh) == fresh
    assert all(made == id for n, (made, id) in enumerate(zip(fresh, ids, strict=True)) if id and id not in ids[:n])


@given(text=st.text(alphabet=st.characters(categories=["Cs", "L", "So"])))
def test_text_always_encodes_and_comes_back_from_json_b109(text: str) -> None:
    sent = sendable(text)

    assert json.loads(json.dumps(sent, ensure_ascii=False).encode().decode()) == sent
    if text.encode("utf-8", "ignore").decode() == text:
        assert sent == text


@pytest.mark.parametrize("spoken", [SPOKEN["anthropic"], SPOKEN["gemini"]], ids=["anthropic", "gemini"])
def test_arguments_of_any_depth_are_written_out_for_decode_to_refuse_b97(spoken: Spoken) -> None:
    value: Any = [1, "ü", None]
    for _ in range(20_000):
        value = {"a": [], "b": value}
    (call,) = spoken.adapter.read(spoken.message([("c", value)])).calls

    assert call.arguments.startswith('{"a": [], "b": {"a": [], "b": ')
    assert call.arguments.count("{") == call.arguments.count("}") == 20_000
    assert call.arguments.rstrip("}").endswith('"b": [1, "ü", null]')


def test_bytes_an_sdk_left_in_a_message_have_a_digest() -> None:
    assert digest({"a": b"1"}) != digest({"a": b"2"})


def test_a_missing_argument_text_is_what_the_form_says_it_is() -> None:
    assert (argument_text(None, none="{}"), argument_text("", none="{}")) == ("{}", "")
