"""OpenAI's chat completions, as OpenAI and the many servers that speak its form write them.

    request["tools"] = openai_chat.offer(runtime, session)
    messages.append(openai_chat.repaired(response))
    messages += await openai_chat.answer(runtime, session, response)

`answer` gives the tool messages only; the assistant's own message is yours to append. `repaired`
is that message as a dict, with an id for each call that came without one or with another's.
"""

from collections.abc import Sequence
from dataclasses import replace

from hilt.adapters.media import DOCUMENTS, PICTURES, inline_url, labelled, shown
from hilt.adapters.schemas import OPENAI_STRICT, base_form, strict_form
from hilt.adapters.transcripts import Block, Form, answered, completed
from hilt.adapters.wire import Message, argument_text, fresh_ids, objects, plain_object, turn, words
from hilt.calls.adapter import Offer, Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.declarations.schema import is_object
from hilt.errors import WireError
from hilt.results.parts import FilePart, Part

_PROVIDER = "OpenAI chat"
_INTERRUPTED = frozenset({"length", "content_filter"})
"""Finish reasons of a message that ended before the model ended it."""
_TAKEN = PICTURES | DOCUMENTS


def tools(offers: Sequence[Offer], *, strict: bool = True, examples: bool = True) -> list[Message]:
    """Declarations in OpenAI's form; the same offers give the same bytes.

    With `strict`, `"strict": true` stands at each tool whose parameters the strict form can say
    without changing what they mean (see `strict_form`); the others go in the usual form.
    `examples` are the parameters' own; whole calls as examples have no place in this form.
    """
    return [{"type": "function", "function": _function(each, strict=strict, examples=examples)} for each in offers]


def _function(offer: Offer, *, strict: bool, examples: bool) -> Message:
    usual = base_form(offer.declaration.parameters, examples=examples)
    enforced = strict_form(usual, OPENAI_STRICT) if strict else None
    named: Message = {"name": offer.declaration.name, "description": offer.description}
    return {**named, "parameters": usual} if enforced is None else {**named, "parameters": enforced, "strict": True}


def read(message: object) -> Turn:
    """The calls of an assistant message: a completion's first choice, a message, or either as a dict.

    Argument text, ids and order are as received. A message that was cut (`length`,
    `content_filter`, or a stream that did not end) marks every call `cut`. The turn's id needs the
    completion's, which a bare message does not have. Raises `WireError`.
    """
    whole = plain_object(message, _PROVIDER)
    made, cut = _message(whole)
    id = words(whole.get("id")) if "choices" in whole else ""
    return turn(id, made, [_call(call, place, cut=cut) for place, call in enumerate(_function_calls(made))])


def _message(whole: Message) -> tuple[Message, bool]:
    if "choices" not in whole:
        return whole, False
    for choice in objects(whole["choices"]):
        made, reason = choice.get("message"), choice.get("finish_reason", "stop")
        if is_object(made):
            return made, reason is None or reason in _INTERRUPTED
    raise WireError(f"{_PROVIDER}: the response has no choice with a message", "look at the response's `error`")


def _function_calls(made: Message) -> list[Message]:
    """Calls of declared functions; a `custom` tool is the host's own and answered by it."""
    return [call for call in objects(made.get("tool_calls")) if call.get("type") in (None, "function")]


def _call(call: Message, place: int, *, cut: bool) -> ToolCall:
    function = call.get("function")
    if not is_object(function):
        raise WireError(f"{_PROVIDER}: tool call {place} has no `function`", "ask what form the endpoint speaks")
    return ToolCall(
        id=words(call.get("id")),
        name=words(function.get("name")),
        arguments=argument_text(function.get("arguments"), none=""),
        position=place,
        cut=cut,
    )


def results(answers: Sequence[Answer]) -> list[Message]:
    """One tool message a call, contiguous and in call order; pictures and files follow in one user message.

    Tool messages hold text only in this form, and a message between two of them is refused.
    """
    return [*_written(answers), *_after(answers)]


def _written(answers: Sequence[Answer]) -> list[Message]:
    ids = fresh_ids([answer.call.id for answer in answers])
    return [
        {"role": "tool", "tool_call_id": id, "content": shown(answer, _TAKEN).text}
        for id, answer in zip(ids, answers, strict=True)
    ]


def _after(answers: Sequence[Answer]) -> list[Message]:
    content: list[Message] = []
    for label, part in labelled(answers, [shown(answer, _TAKEN) for answer in answers]):
        content.append({"type": "text", "text": label})
        content.append(_part(part))
    return [{"role": "user", "content": content}] if content else []


def _part(part: Part) -> Message:
    if isinstance(part, FilePart):
        return {"type": "file", "file": {"filename": part.name, "file_data": inline_url(part)}}
    return {"type": "image_url", "image_url": {"url": inline_url(part)}}


def repaired(message: object) -> Message:
    """The assistant's message as a dict to append, each call with an id of its own.

    Ids that correlate stay as they are; an empty or repeated one is replaced, the same way as in
    `results`, because providers refuse a transcript in which two calls share an id.
    """
    made, _ = _message(plain_object(message, _PROVIDER))
    kept = {key: value for key, value in made.items() if key not in _NOT_SENT_BACK and value is not None}
    calls = _function_calls(made)
    ids = fresh_ids([words(call.get("id")) for call in calls])
    named = {id(call): fresh for call, fresh in zip(calls, ids, strict=True)}
    if not calls:
        return {key: value for key, value in kept.items() if key != "tool_calls" or value}
    written = [_sent_back(call, named.get(id(call))) for call in objects(made.get("tool_calls"))]
    return {**kept, "content": made.get("content"), "tool_calls": written}


_NOT_SENT_BACK = frozenset({"parsed", "annotations"})
"""What responses and SDKs add to a message and a request does not take."""


def _sent_back(call: Message, id: str | None) -> Message:
    if id is None:
        return call
    function = call.get("function")
    named = function if is_object(function) else {}
    text = argument_text(named.get("arguments"), none="")
    return {"id": id, "type": "function", "function": {"name": words(named.get("name")), "arguments": text}}


def offer(runtime: Road, session: Session, *, strict: bool = True, examples: bool = True) -> list[Message]:
    """The `tools` of a request: what this session offers now. See `tools`."""
    return tools(runtime.offer(session), strict=strict, examples=examples)


async def answer(runtime: Road, session: Session, response: object, turn: str | None = None) -> list[Message]:
    """Run the calls of a response; the messages to append behind the assistant's own, none without calls.

    The assistant's message is not among them: append `repaired(response)` first. `turn` names the
    turn where the response has no id, so that it is known when it is presented again. Raises `WireError`.
    """
    calls = read(response)
    calls = calls if turn is None else replace(calls, id=turn)
    return results(await answered(runtime, session, calls)) if calls.calls else []


async def resume(runtime: Road, session: Session, messages: Sequence[object]) -> list[object]:
    """The transcript with a result for every call, from the ledger where it was lost. Runs nothing.

    Results stand behind their turn, contiguous and in call order; other messages are the ones
    given. A turn whose ids do not correlate is written anew, as by `repaired`.
    """
    return await completed(_FORM, runtime, session, messages)


def _transcript_turn(message: Message) -> Turn:
    return read(message) if message.get("role") == "assistant" else Turn()


def _blocks(message: Message) -> list[Block]:
    if message.get("role") != "tool":
        return []
    return [Block(id=words(message.get("tool_call_id")), name="", content=message)]


_FORM = Form(
    provider=_PROVIDER,
    turn=_transcript_turn,
    blocks=_blocks,
    without=lambda message, taken: None,
    written=_written,
    after=_after,
    placed=lambda blocks, left: blocks,
    repaired=repaired,
    labelled=lambda block, id: {**block, "tool_call_id": id},
)
