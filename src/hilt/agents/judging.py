"""A judge made of a model: one request without tools, and an answer that is one JSON object or no verdict.

    judge = ModelJudge(partial(openai_endpoint, "some-model"))

What is judged stands in the request as JSON, apart from the rules, so that no text in it can pass for one.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import anyio

from hilt.adapters.wire import Message
from hilt.agents.endpoint import Endpoint
from hilt.agents.model import Model
from hilt.agents.replies import cut_by_limit, text_of
from hilt.declarations.schema import is_object
from hilt.review.judging import JudgeQuestion
from hilt.review.verdict import WORDS, Verdict, no_verdict

LONGEST_REASON = 600
"""Characters of a judge's reason, and of its suggestion, that are read."""

ANSWER_FORM = """\
Answer with one JSON object and nothing else, not even a code fence:
{"verdict": "approve" | "reject" | "escalate", "reason": "<one sentence>", "suggestion": "<another way, or empty>"}
"""
_FIELDS = frozenset({"verdict", "reason", "suggestion"})


@dataclass(slots=True)
class ModelJudge:
    """A `Judge` that asks a model. `make` is called at the first question; `close` lets go of an endpoint."""

    make: Callable[[], Model]
    _model: Model | None = None
    _making: anyio.Lock = field(default_factory=anyio.Lock)

    async def __call__(self, question: JudgeQuestion) -> Verdict:
        """The model's verdict. Raises what the endpoint raises, which escalates."""
        async with self._making:
            model = self._model = self._model or self.make()
        response = await model.turn(judge_messages(question), ())
        if cut_by_limit(response):
            return no_verdict("the judge's answer was cut by its output limit")
        return read_verdict(text_of(response))

    async def close(self) -> None:
        """Let go of the connections, if there are any."""
        if isinstance(self._model, Endpoint):
            await self._model.close()


def judge_messages(question: JudgeQuestion) -> list[Message]:
    """The request: the rules, the form of the answer, and the call as one JSON object."""
    call: dict[str, object] = {"tool": question.tool, "arguments": question.arguments}
    optional = {
        "does": question.does,
        "why_it_is_asked": question.reasons,
        "the_person_asked": question.user_words,
        "what_it_would_do": question.preview,
        "what_it_came_to": question.outcome,
    }
    call |= {name: value for name, value in optional.items() if value}
    shown = json.dumps(call, ensure_ascii=False, indent=1)
    return [{"role": "user", "content": f"{question.rules}\n\n{ANSWER_FORM}\nThe call, as JSON:\n{shown}"}]


def read_verdict(text: str) -> Verdict:
    """The verdict in an answer; anything but the one object that was asked for is none."""
    try:
        found: object = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return no_verdict("the judge's answer is not the JSON object that was asked for")
    if not is_object(found) or not found.keys() <= _FIELDS:
        return no_verdict("the judge's answer is not the JSON object that was asked for")
    for word in WORDS:
        if found.get("verdict") == word:
            return Verdict(word=word, reason=_text(found, "reason"), suggestion=_text(found, "suggestion"))
    return no_verdict("the judge's answer names no verdict")


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys stand once: one that says both no and yes says nothing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    return " ".join(value.split())[:LONGEST_REASON] if isinstance(value, str) else ""
