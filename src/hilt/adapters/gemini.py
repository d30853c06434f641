"""Gemini's contents: calls are `functionCall` parts of a model's content, and one user content holds their responses.

    config = {"tools": gemini.offer(runtime, session)}
    contents.append(gemini.repaired(response))
    contents += await gemini.answer(runtime, session, response)

Written in the API's own names (camelCase), which the SDK takes as well. `answer` gives the user's
content only; the model's own is yours to append, whole, for its parts carry thought signatures.
Turn off the SDK's automatic function calling: it would run functions without the road.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hilt.adapters.media import base64, shown
from hilt.adapters.schemas import GEMINI_KEYWORDS, base_form, narrowed
from hilt.adapters.transcripts import Block, Form, completed
from hilt.adapters.wire import Message, argument_text, objects, plain_object, turn, words
from hilt.calls.adapter import Offer, Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.declarations.schema import is_object
from hilt.errors import WireError
from hilt.results.parts import Part

_PROVIDER = "Gemini"
_FINISHED = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED"})
_TAKEN = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf"})
"""ai.google.dev/gemini-api/docs/function-calling, multimodal function responses."""
_ESCAPE = "_."
"""In front of a name that Gemini refuses, for it wants a letter first; no wire name holds a dot."""


def tools(offers: Sequence[Offer], *, examples: bool = True) -> list[Message]:
    """Declarations in Gemini's form, as one tool; none without offers. The same offers give the same bytes.

    Keywords Gemini does not read are told in the descriptions of what they belong to. There is no strict form.
    """
    declarations = [_declaration(each, examples=examples) for each in offers]
    return [{"functionDeclarations": declarations}] if declarations else []


def _declaration(offer: Offer, *, examples: bool) -> Message:
    schema = narrowed(base_form(offer.declaration.parameters, examples=examples), GEMINI_KEYWORDS)
    return {"name": _escaped(offer.declaration.name), "description": offer.description, "parametersJsonSchema": schema}


def _escaped(name: str) -> str:
    return name if name[:1].isalpha() or name[:1] == "_" else _ESCAPE + name


def read(message: object) -> Turn:
    """The function calls of a response's first candidate, of a content, or of either as a dict.

    Ids (often there are none) and order are as received; arguments arrive parsed and are written
    out again, key order kept. A candidate that did not stop by itself marks every call `cut`. Raises `WireError`.
    """
    whole = plain_object(message, _PROVIDER)
    content, cut = _content(whole)
    calls = [_call(call, place, cut=cut) for place, call in enumerate(_calls(content))]
    texts = [words(part.get("text")) for part in _parts(content)]
    return turn(words(_field(whole, "responseId")), [texts, [[call.name, call.arguments] for call in calls]], calls)


def _content(whole: Message) -> tuple[Message, bool]:
    if "candidates" not in whole:
        return whole, False
    for candidate in objects(whole["candidates"]):
        content, reason = candidate.get("content"), _field(candidate, "finishReason")
        reason = getattr(reason, "value", reason)
        return content if is_object(content) else {}, reason is not None and reason not in _FINISHED
    raise WireError(f"{_PROVIDER}: the response has no candidate", "look at the response's `promptFeedback`")


def _field(node: Mapping[str, object], name: str) -> object:
    """A field by the API's name, or by the SDK's for the same."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return node.get(name) if node.get(name) is not None else node.get(snake)


def _parts(content: Message) -> list[Message]:
    return list(objects(content.get("parts")))


def _calls(content: Message) -> list[Message]:
    return [call for part in _parts(content) if is_object(call := _field(part, "functionCall"))]


def _call(call: Message, place: int, *, cut: bool) -> ToolCall:
    return ToolCall(
        id=words(call.get("id")),
        name=words(call.get("name")).removeprefix(_ESCAPE),
        arguments=argument_text(call.get("args"), none="{}"),
        position=place,
        cut=cut or _field(call, "willContinue") is True,
    )


def results(answers: Sequence[Answer]) -> list[Message]:
    """One user content with a `functionResponse` part a call, in call order; none without answers.

    The text stands under `output`, or under `error` for what failed or was refused. A response
    names its call's id where there was one, and correlates by order where not.
    """
    return _placed(_written(answers), None) if answers else []


def _written(answers: Sequence[Answer]) -> list[Message]:
    return [{"functionResponse": _response(answer)} for answer in answers]


def _response(answer: Answer) -> Message:
    each = shown(answer, _TAKEN)
    key = "error" if answer.result.is_error else "output"
    named: Message = {"id": answer.call.id} if answer.call.id else {}
    whole: Message = {**named, "name": _escaped(answer.call.name), "response": {key: each.text}}
    return {**whole, "parts": [_part(part) for part in each.parts]} if each.parts else whole


def _part(part: Part) -> Message:
    return {"inlineData": {"mimeType": part.media_type, "data": base64(part)}}


def repaired(message: object) -> Message:
    """The model's content as a dict to append. Ids are left as they came: order correlates as well."""
    content, _ = _content(plain_object(message, _PROVIDER))
    return {"role": "model", "parts": [_sent_back(part) for part in _parts(content)]}


def _sent_back(part: Message) -> Message:
    """The part without nulls, which the arguments of a call may hold and nothing else; bytes as base64."""
    kept: Message = {}
    for key, value in part.items():
        if isinstance(value, bytes):
            kept[key] = b64encode(value).decode("ascii")
        elif is_object(value):
            kept[key] = {name: each for name, each in value.items() if each is not None}
        elif value is not None:
            kept[key] = value
    return kept


def offer(runtime: Road, session: Session, *, examples: bool = True) -> list[Message]:
    """The `tools` of a request: what this session offers now. See `tools`."""
    return tools(runtime.offer(session), examples=examples)


async def answer(runtime: Road, session: Session, response: object, turn: str | None = None) -> list[Message]:
    """Run the calls of a response; one user content with their results, none without calls.

    The model's content is not among them: append it first. `turn` names the turn where the
    response has no id, so that it is known when it is presented again. Raises `WireError`.
    """
    calls = read(response)
    calls = calls if turn is None else replace(calls, id=turn)
    return results(await runtime.answer(session, calls)) if calls.calls else []


async def resume(runtime: Road, session: Session, messages: Sequence[object]) -> list[object]:
    """The contents with a response for every call, from the ledger where it was lost. Runs nothing.

    Responses stand first in the user content behind their turn, in call order, which is inserted
    where there is none; other contents are the ones given.
    """
    return await completed(_FORM, runtime, session, messages)


def _blocks(content: Message) -> list[Block]:
    responses = [(part, _field(part, "functionResponse")) for part in _parts(content)]
    return [
        Block(id=words(each.get("id")), name=words(each.get("name")).removeprefix(_ESCAPE), content=part)
        for part, each in responses
        if is_object(each)
    ]


def _without(content: Message, taken: Sequence[Message]) -> Message | None:
    left = [part for part in _parts(content) if not any(part is each for each in taken)]
    return {**content, "parts": left} if left else None


def _placed(blocks: list[Message], left: Message | None) -> list[Message]:
    rest = _parts(left) if left is not None else []
    return [{"role": "user", **(left or {}), "parts": [*blocks, *rest]}]


_FORM = Form(
    provider=_PROVIDER,
    ids_are_mended=False,
    turn=lambda content: read(content) if content.get("role") == "model" else Turn(),
    blocks=_blocks,
    without=_without,
    written=_written,
    after=lambda answers: [],
    placed=_placed,
    repaired=lambda content: content,
    labelled=lambda block, id: block,
)
