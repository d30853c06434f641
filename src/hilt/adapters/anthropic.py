"""Anthropic's messages: calls are `tool_use` blocks, and one user message holds all their results.

    request["tools"] = anthropic.offer(runtime, session)
    messages.append(anthropic.repaired(response))
    messages += await anthropic.answer(runtime, session, response)

`answer` gives the user message only; the assistant's own is yours to append. The SDK of the same
name is not imported here, nor needed.
"""

from collections.abc import Sequence
from dataclasses import replace

from hilt.adapters.media import DOCUMENTS, PICTURES, base64, shown
from hilt.adapters.schemas import ANTHROPIC_STRICT, base_form, strict_form
from hilt.adapters.transcripts import Block, Form, answered, completed
from hilt.adapters.wire import Message, argument_text, fresh_ids, objects, plain_object, turn, words
from hilt.calls.adapter import Offer, Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.declarations.schema import is_array, is_object
from hilt.errors import WireError
from hilt.results.parts import FilePart, Part

_PROVIDER = "Anthropic"
_INTERRUPTED = frozenset({"max_tokens", "model_context_window_exceeded", "refusal", None})
"""Stop reasons of a message that ended before the model ended it; null is a stream that did not end."""
_TAKEN = PICTURES | DOCUMENTS

MOST_STRICT_TOOLS = 20
MOST_STRICT_OPTIONALS = 24
"""Per request, together: platform.claude.com/docs/en/build-with-claude/structured-outputs, complexity limits."""

SEARCH_TOOL: Message = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


def tools(
    offers: Sequence[Offer], *, strict: bool = False, examples: bool = True, defer_loading: bool = False
) -> list[Message]:
    """Declarations in Anthropic's form; the same offers give the same bytes.

    `examples` are whole calls, in `input_examples`, and the parameters' own. `strict` marks tools
    that the strict form can say, in order, within Anthropic's limits for one request; it is off
    unless asked for, because all strict tools of a request become one grammar, which the server
    refuses when it is too large. `defer_loading` leaves deferred tools to Anthropic's own search
    tool, which is then offered first; it needs no beta header.
    """
    written: list[Message] = [dict(SEARCH_TOOL)] if defer_loading and any(each.deferred for each in offers) else []
    strict_tools = optionals = 0
    for each in offers:
        usual = base_form(each.declaration.parameters, examples=examples)
        enforced = strict_form(usual, ANTHROPIC_STRICT) if strict and strict_tools < MOST_STRICT_TOOLS else None
        more = 0 if enforced is None else _optionals(enforced)
        if optionals + more > MOST_STRICT_OPTIONALS:
            enforced, more = None, 0
        strict_tools, optionals = strict_tools + (enforced is not None), optionals + more
        schema = usual if enforced is None else enforced
        marks = {"strict": enforced is not None, "defer_loading": defer_loading and each.deferred}
        written.append(_tool(each, schema, examples=examples) | {mark: True for mark, on in marks.items() if on})
    return written


def _tool(offer: Offer, schema: Message, *, examples: bool) -> Message:
    calls = [dict(each) for each in offer.declaration.examples] if examples else []
    named: Message = {"name": offer.declaration.name, "description": offer.description, "input_schema": schema}
    return {**named, "input_examples": calls} if calls else named


def _optionals(node: object) -> int:
    """Properties that may be left out, at every depth."""
    if is_array(node):
        return sum(_optionals(each) for each in node)
    if not is_object(node):
        return 0
    properties, required = node.get("properties"), node.get("required")
    always = required if is_array(required) else []
    here = [name for name in properties if name not in always] if is_object(properties) else []
    return len(here) + sum(_optionals(each) for each in node.values())


def read(message: object) -> Turn:
    """The `tool_use` blocks of a message, of its dict, or of a transcript's assistant message.

    Ids and order are as received; arguments arrive parsed and are written out again, key order
    kept (an `input` that is text is taken as it is: see `anthropic_stream`). A message that was cut
    marks every call `cut`: its arguments may look whole, for SDKs complete half-received JSON.
    Raises `WireError`.
    """
    whole = plain_object(message, _PROVIDER)
    blocks = _content(whole)
    cut = "stop_reason" in whole and whole["stop_reason"] in _INTERRUPTED
    calls = [_call(block, place, cut=cut) for place, block in enumerate(_uses(blocks))]
    written = [{**block, "input": argument_text(block.get("input"), none="{}")} for block in _uses(blocks)]
    other = [block for block in blocks if block.get("type") != "tool_use"]
    return turn(words(whole.get("id")), [*other, *written], calls)


def _content(whole: Message) -> list[Message]:
    content = whole.get("content")
    if not is_array(content) and not isinstance(content, str):
        raise WireError(f"{_PROVIDER}: the message has no `content`", "pass the whole response, not one block or event")
    return list(objects(content))


def _uses(blocks: Sequence[Message]) -> list[Message]:
    return [block for block in blocks if block.get("type") == "tool_use"]


def _call(block: Message, place: int, *, cut: bool) -> ToolCall:
    return ToolCall(
        id=words(block.get("id")),
        name=words(block.get("name")),
        arguments=argument_text(block.get("input"), none="{}"),
        position=place,
        cut=cut,
    )


def results(answers: Sequence[Answer]) -> list[Message]:
    """One user message with a `tool_result` block a call, in call order; no message without answers.

    Pictures and PDF files stand inside their result; `is_error` marks what failed or was refused.
    """
    return _placed(_written(answers), None) if answers else []


def _written(answers: Sequence[Answer]) -> list[Message]:
    ids = fresh_ids([answer.call.id for answer in answers])
    return [_result(id, answer) for id, answer in zip(ids, answers, strict=True)]


def _result(id: str, answer: Answer) -> Message:
    each = shown(answer, _TAKEN)
    text: list[Message] = [{"type": "text", "text": each.text}] if each.text else []
    content = [*text, *(_part(part) for part in each.parts)] if each.parts else each.text
    block: Message = {"type": "tool_result", "tool_use_id": id, "content": content}
    return {**block, "is_error": True} if answer.result.is_error else block


def _part(part: Part) -> Message:
    source = {"type": "base64", "media_type": part.media_type, "data": base64(part)}
    if isinstance(part, FilePart):
        return {"type": "document", "source": source, "title": part.name}
    return {"type": "image", "source": source}


def repaired(message: object) -> Message:
    """The assistant's message as a dict to append, each call with an id of its own and its `input` an object.

    Ids that correlate stay as they are; an empty or repeated one is replaced, the same way as in
    `results`, because a transcript in which two calls share an id is refused.
    """
    whole = plain_object(message, _PROVIDER)
    blocks = _content(whole)
    if isinstance(whole["content"], str):
        return {"role": "assistant", "content": whole["content"]}
    ids = iter(fresh_ids([words(block.get("id")) for block in _uses(blocks)]))
    content = [_sent_back(block, next(ids) if block.get("type") == "tool_use" else None) for block in blocks]
    return {"role": "assistant", "content": content}


def _sent_back(block: Message, id: str | None) -> Message:
    kept = {key: value for key, value in block.items() if value is not None and key != "parsed_output"}
    if id is None:
        return kept
    arguments = block.get("input")
    return {**kept, "id": id, "input": arguments if is_object(arguments) else {}}


def offer(
    runtime: Road, session: Session, *, strict: bool = False, examples: bool = True, defer_loading: bool = False
) -> list[Message]:
    """The `tools` of a request: what this session offers now.

    With `defer_loading` everything, what is deferred marked so, and Anthropic's search tool instead of `find_tools`:
    the same bytes every turn, whatever the model has found.
    """
    offers = runtime.offer(session, deferred=defer_loading)
    return tools(offers, strict=strict, examples=examples, defer_loading=defer_loading)


async def answer(runtime: Road, session: Session, response: object, turn: str | None = None) -> list[Message]:
    """Run the calls of a response; one user message with their results, none without calls.

    The assistant's message is not among them: append `repaired(response)` first. `turn` names the
    turn where the response has no id, so that it is known when it is presented again. Raises `WireError`.
    """
    calls = read(response)
    calls = calls if turn is None else replace(calls, id=turn)
    return results(await answered(runtime, session, calls)) if calls.calls else []


async def resume(runtime: Road, session: Session, messages: Sequence[object]) -> list[object]:
    """The transcript with a result for every call, from the ledger where it was lost. Runs nothing.

    Results stand first in the user message behind their turn, in call order, which is inserted
    where there is none; other messages are the ones given.
    """
    return await completed(_FORM, runtime, session, messages)


def _blocks(message: Message) -> list[Block]:
    if message.get("role") != "user":
        return []
    blocks = [block for block in objects(message.get("content")) if block.get("type") == "tool_result"]
    return [Block(id=words(block.get("tool_use_id")), name="", content=block) for block in blocks]


def _without(message: Message, taken: Sequence[Message]) -> Message | None:
    left = [block for block in objects(message.get("content")) if not any(block is each for each in taken)]
    return {**message, "content": left} if left else None


def _placed(blocks: list[Message], left: Message | None) -> list[Message]:
    rest = list(objects(left["content"])) if left is not None else []
    return [{"role": "user", **(left or {}), "content": [*blocks, *rest]}]


_FORM = Form(
    provider=_PROVIDER,
    turn=lambda message: read(message) if message.get("role") == "assistant" else Turn(),
    blocks=_blocks,
    without=_without,
    written=_written,
    after=lambda answers: [],
    placed=_placed,
    repaired=repaired,
    labelled=lambda block, id: {**block, "tool_use_id": id},
)
