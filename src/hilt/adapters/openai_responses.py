"""OpenAI's Responses: a flat list of items, in which calls and their outputs stand beside messages.

    request["tools"] = openai_responses.offer(runtime, session)
    items += openai_responses.repaired(response)
    items += await openai_responses.answer(runtime, session, response)

`answer` gives the outputs only. The response's own items are yours to append, or the server's to
remember (`previous_response_id`, for which ids must be as they came: use no `repaired`).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from hilt.adapters.media import DOCUMENTS, PICTURES, inline_url, shown
from hilt.adapters.schemas import OPENAI_STRICT, base_form, strict_form
from hilt.adapters.transcripts import Block, Form, answered, as_given, completed_plain
from hilt.adapters.wire import Message, argument_text, fresh_ids, objects, plain, plain_object, turn, words
from hilt.calls.adapter import Offer, Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.declarations.names import wire_name
from hilt.declarations.schema import is_array
from hilt.errors import WireError
from hilt.results.parts import FilePart, Part

_PROVIDER = "OpenAI Responses"
_CALL = "function_call"
_OUTPUT = "function_call_output"
_FINISHED = frozenset({"completed", None})
TAKEN = PICTURES | DOCUMENTS
"""What an output item may hold beside text."""
_NAMELESS = "more"
_NOT_SENT_BACK = frozenset({"parsed_arguments", "status"})


SEARCH_TOOL: Message = {"type": "tool_search"}
NAMESPACE_CHARACTERS = 200
"""Characters of names that tell a model what a namespace holds; it sees nothing else of it before it searches."""


def tools(
    offers: Sequence[Offer], *, strict: bool = True, examples: bool = True, defer_loading: bool = False
) -> list[Message]:
    """Declarations in the form of Responses; the same offers give the same bytes.

    `strict` is said of every tool, for the server takes its absence for true: true where the
    strict form can say the parameters without changing what they mean, false elsewhere.
    `defer_loading` leaves deferred tools to OpenAI's own search, each server's in a namespace; models
    from gpt-5.4 on have it.
    """
    if not defer_loading:
        return [_tool(each, strict=strict, examples=examples) for each in offers]
    waiting: dict[str, list[Message]] = {}
    for each in offers:
        if each.deferred:
            marked = _tool(each, strict=strict, examples=examples) | {"defer_loading": True}
            waiting.setdefault(each.server, []).append(marked)
    shown = [_tool(each, strict=strict, examples=examples) for each in offers if not each.deferred]
    return [
        *shown,
        *(_namespace(server, held) for server, held in waiting.items()),
        *([SEARCH_TOOL] if waiting else []),
    ]


def _namespace(server: str, held: list[Message]) -> Message:
    names = ", ".join(words(each.get("name")) for each in held)
    if len(names) > NAMESPACE_CHARACTERS:
        names = names[:NAMESPACE_CHARACTERS].rpartition(", ")[0] + ", ..."
    told = f"{len(held)} tools of {server or _NAMELESS}: {names}"
    return {"type": "namespace", "name": wire_name(server or _NAMELESS), "description": told, "tools": held}


def _tool(offer: Offer, *, strict: bool, examples: bool) -> Message:
    usual = base_form(offer.declaration.parameters, examples=examples)
    enforced = strict_form(usual, OPENAI_STRICT) if strict else None
    return {
        "type": "function",
        "name": offer.declaration.name,
        "description": offer.description,
        "parameters": usual if enforced is None else enforced,
        "strict": enforced is not None,
    }


def read(message: object) -> Turn:
    """The function calls of a response, of its dict, or of a list of its output items.

    Argument text, ids (`call_id`) and order are as received. A response that is not completed
    marks every call `cut`, as an item that is not completed does. Raises `WireError`.
    """
    made = plain(message)
    if is_array(made):
        return _read("", made, cut=False)
    whole = plain_object(made, _PROVIDER)
    output = whole.get("output")
    if not is_array(output):
        raise WireError(f"{_PROVIDER}: the response has no `output`", "pass the whole response or its output items")
    return _read(words(whole.get("id")), output, cut=whole.get("status") not in _FINISHED)


def _read(id: str, output: list[object], *, cut: bool) -> Turn:
    calls = [item for item in objects(output) if item.get("type") == _CALL]
    cut = cut or any(item.get("status") not in _FINISHED for item in calls)
    written = [{key: value for key, value in item.items() if key != "status"} for item in objects(output)]
    return turn(id, written, [_call(item, place, cut=cut) for place, item in enumerate(calls)])


def _call(item: Message, place: int, *, cut: bool) -> ToolCall:
    return ToolCall(
        id=words(item.get("call_id")),
        name=words(item.get("name")),
        arguments=argument_text(item.get("arguments"), none=""),
        position=place,
        cut=cut,
    )


def results(answers: Sequence[Answer]) -> list[Message]:
    """One output item a call, contiguous and in call order; pictures and PDF files stand inside it."""
    ids = fresh_ids([answer.call.id for answer in answers])
    return [
        {"type": _OUTPUT, "call_id": id, "output": _output(answer)} for id, answer in zip(ids, answers, strict=True)
    ]


def _output(answer: Answer) -> str | list[Message]:
    each = shown(answer, TAKEN)
    if not each.parts:
        return each.text
    return [{"type": "input_text", "text": each.text}, *(_part(part) for part in each.parts)]


def _part(part: Part) -> Message:
    if isinstance(part, FilePart):
        return {"type": "input_file", "filename": part.name, "file_data": inline_url(part)}
    return {"type": "input_image", "image_url": inline_url(part)}


def repaired(message: object) -> list[Message]:
    """The response's output items as dicts to append, each call with a `call_id` of its own.

    Ids that correlate stay as they are; an empty or repeated one is replaced as in `results`.
    """
    made = plain(message)
    output = made if is_array(made) else plain_object(made, _PROVIDER).get("output")
    items = list(objects(output))
    ids = iter(fresh_ids([words(item.get("call_id")) for item in items if item.get("type") == _CALL]))
    return [_sent_back(item, next(ids) if item.get("type") == _CALL else None) for item in items]


def _sent_back(item: Message, id: str | None) -> Message:
    kept = {key: value for key, value in item.items() if value is not None and key not in _NOT_SENT_BACK}
    return kept if id is None else {**kept, "call_id": id}


def offer(
    runtime: Road, session: Session, *, strict: bool = True, examples: bool = True, defer_loading: bool = False
) -> list[Message]:
    """The `tools` of a request: what this session offers now. See `tools`.

    With `defer_loading` everything, what is deferred marked so, and OpenAI's search instead of `find_tools`: the
    same bytes every turn, whatever the model has found.
    """
    offers = runtime.offer(session, deferred=defer_loading)
    return tools(offers, strict=strict, examples=examples, defer_loading=defer_loading)


async def answer(runtime: Road, session: Session, response: object, turn: str | None = None) -> list[Message]:
    """Run the calls of a response; the output items to append behind its own, none without calls.

    `turn` names the turn where the response has no id. Raises `WireError`.
    """
    calls = read(response)
    calls = calls if turn is None else replace(calls, id=turn)
    return results(await answered(runtime, session, calls)) if calls.calls else []


async def resume(runtime: Road, session: Session, messages: Sequence[object]) -> list[object]:
    """The items with an output for every call, from the ledger where it was lost. Runs nothing.

    Neighbouring items by the model are one turn; its outputs stand behind it, contiguous and in
    call order. Other items are the ones given.
    """
    items = [plain_object(each, _PROVIDER) for each in messages]
    whole = await completed_plain(_FORM, runtime, session, _grouped(items))
    return as_given([item for each in whole for item in _ungrouped(each)], items, messages)


def _grouped(items: Sequence[Message]) -> list[Message]:
    """Each run of items by the model as one response; the others as they are."""
    groups: list[Message] = []
    for by_the_model, run in groupby(items, key=_by_the_model):
        neighbours = list(run)
        whole: Message = {"output": neighbours}
        groups += [whole] if by_the_model else neighbours
    return groups


def _ungrouped(group: Message) -> list[Message]:
    return list(objects(group["output"])) if set(group) == {"output"} else [group]


def _by_the_model(item: Message) -> bool:
    if item.get("role", "assistant") != "assistant":
        return False
    if item.get("type") == "tool_search_output":
        return item.get("execution") == "server"
    return not words(item.get("type")).endswith(("_output", "_response", "_reference"))


def _blocks(item: Message) -> list[Block]:
    return [Block(id=words(item.get("call_id")), name="", content=item)] if item.get("type") == _OUTPUT else []


_FORM = Form(
    provider=_PROVIDER,
    turn=lambda group: read(group) if set(group) == {"output"} else Turn(),
    blocks=_blocks,
    without=lambda item, taken: None,
    written=results,
    after=lambda answers: [],
    placed=lambda blocks, left: blocks,
    repaired=lambda group: {"output": repaired(group)},
    labelled=lambda block, id: {**block, "call_id": id},
)
