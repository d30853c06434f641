"""MCP's forms of what Hilt declares, answers and asks: pure, and without the SDK.

An answer is text, complete on its own. No tool promises an `outputSchema` unless the server is
started `structured`: a client that gets `structuredContent` shows the model that instead of the
text (Claude Code does), or both, and either costs more tokens than the text.
"""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from hilt.adapters.media import DOCUMENTS, PICTURES, base64, shown
from hilt.adapters.schemas import base_form
from hilt.adapters.wire import sendable
from hilt.calls.adapter import Offer
from hilt.calls.answer import Answer
from hilt.declarations.declaration import Declaration
from hilt.declarations.schema import is_array, is_object
from hilt.results.envelope import Status
from hilt.results.form import to_json
from hilt.results.parts import Audio, FilePart, Part
from hilt.review.people import Question
from hilt.review.scopes import covers
from hilt.workspace.names import visible

Message = dict[str, object]

COMPLETE: Message = {"resultType": "complete"}
"""What protocol 2026-07-28 asks of each result that is final; older ones do not have it."""
SESSION_KEY = "hilt/session"
"""The key of the session's handle in the `_meta` of its first result."""
APPROVAL = "approval"
"""The name of the one question a call may wait for."""
ALLOW = "allow"
"""The field of the form in which a person says yes."""
REACH = "reach"
"""The field of the form in which a person says how far their yes reaches, where there is a choice."""
REASON = "reason"
"""The field of the form in which a person says why not, for the model to read."""
SHOWN_ARGUMENTS = 2_000
"""Characters of a call's arguments that a person is shown. Each argument has its share: none hides another."""
MOST_NAMED = 40
"""Arguments that are shown where all together are too long."""

SOUNDS = frozenset({
    "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm", "audio/x-wav",
})  # fmt: skip
TAKEN = PICTURES | SOUNDS | DOCUMENTS


def tools(offers: Sequence[Offer], *, structured: bool = False) -> list[Message]:
    """Declarations as `tools/list` gives them; the same offers give the same bytes."""
    return [_tool(each, structured=structured) for each in offers]


def _tool(offer: Offer, *, structured: bool) -> Message:
    declaration = offer.declaration
    form: Message = {
        "name": declaration.name,
        "title": _title(declaration.name),
        "description": offer.description,
        "inputSchema": base_form(declaration.parameters, examples=True),
        "annotations": annotations(declaration),
    }
    return {**form, "outputSchema": envelope_schema(declaration.returns)} if structured else form


def _title(name: str) -> str:
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def annotations(declaration: Declaration) -> Message:
    """MCP's hints, each said: what a client assumes of one left out differs from client to client."""
    hints = declaration.effects.hints(perceives=declaration.kind == "perceive", idempotent=declaration.idempotent)
    return {
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    }


def envelope_schema(item: Mapping[str, object]) -> Message:
    """The schema every answer keeps that is no error: the envelope, around items of this schema."""
    own = {keyword: value for keyword, value in item.items() if keyword != "$defs"}
    schema: Message = {
        "type": "object",
        "properties": {
            "status": {"enum": [Status.SUCCESS.value, Status.PARTIAL.value, Status.PENDING.value]},
            "summary": {"type": "string"},
            "items": {"type": "array", "items": own},
            "truncated": {"type": "boolean"},
        },
        "required": ["status", "summary", "items", "truncated"],
    }
    return {**schema, "$defs": item["$defs"]} if "$defs" in item else schema


def result(answer: Answer, *, structured: bool = False, session: str = "") -> Message:
    """One answer as a `CallToolResult`: the text, then what stands beside it; failures and refusals are `isError`.

    `structured` adds the envelope to every answer that is no error; `session` is told in `_meta`.
    """
    seen = shown(answer, TAKEN)
    form: Message = {
        **COMPLETE,
        "content": [{"type": "text", "text": seen.text}, *(_content(part) for part in seen.parts)],
        "isError": answer.result.is_error,
    }
    if structured and not answer.result.is_error:
        envelope = {key: each for key, each in to_json(answer.result).items() if key != "parts"}
        form["structuredContent"] = _sendable(envelope)
    if session:
        form["_meta"] = {SESSION_KEY: session}
    return form


def failure(problem: str) -> Message:
    """A result for a call that the road itself could not answer."""
    return {**COMPLETE, "content": [{"type": "text", "text": sendable(problem)}], "isError": True}


def _content(part: Part) -> Message:
    if isinstance(part, FilePart):
        held = {"uri": f"hilt://part/{quote(part.name)}", "mimeType": part.media_type, "blob": base64(part)}
        return {"type": "resource", "resource": held}
    kind = "audio" if isinstance(part, Audio) else "image"
    return {"type": kind, "data": base64(part), "mimeType": part.media_type}


def _sendable(value: object) -> object:
    """A JSON value whose texts every encoder takes."""
    if isinstance(value, str):
        return sendable(value)
    if is_object(value):
        return {sendable(key): _sendable(each) for key, each in value.items()}
    return [_sendable(each) for each in value] if is_array(value) else value


def question_text(question: Question) -> str:
    """What a person reads who is asked for leave: the call, whole where it is short, what it would do, and why.

    Of what is too long the beginning and the end are shown, for either may be what matters.
    """
    asked = f"Allow this call of {question.tool}?"
    why = "; ".join(question.reasons)
    parts = (
        asked,
        made_visible(_arguments(question.arguments)),
        f"It would do this:\n{made_visible(_cut(question.preview, SHOWN_ARGUMENTS))}" if question.preview else "",
        f"Why you are asked: {made_visible(why)}" if why else "",
    )
    return sendable("\n".join(part for part in parts if part))


def _arguments(text: str) -> str:
    """The arguments, JSON: each by itself where all together are too long."""
    if len(text) <= SHOWN_ARGUMENTS:
        return text
    found: object = json.loads(text)
    given = [(name, json.dumps(each, ensure_ascii=False)) for name, each in found.items()] if is_object(found) else []
    if not given:
        return _cut(text, SHOWN_ARGUMENTS)
    named = given[:MOST_NAMED]
    room = SHOWN_ARGUMENTS // len(named)
    lines = [f"{_cut(json.dumps(name, ensure_ascii=False), room)}: {_cut(value, room)}" for name, value in named]
    left = len(given) - len(named)
    return "\n".join([*lines, f"... and {left} more arguments"] if left else lines)


def _cut(text: str, room: int) -> str:
    left = len(text) - room
    if left <= 0:
        return text
    head = room - room // 3
    return f"{text[:head]} ... ({left:,} characters left out of {len(text):,}) ... {text[len(text) - room + head :]}"


def made_visible(text: str) -> str:
    """The text with every character that would not be seen, or would turn others round, as its escape."""
    return "\n".join(visible(line.expandtabs(4)) for line in text.split("\n"))


def approval_form(question: Question) -> Message:
    """The form a person fills in: one box, which has to be ticked, how far the yes reaches, and why not."""
    fields: Message = {ALLOW: {"type": "boolean", "title": "Allow this call", "default": False}}
    if len(question.scopes) > 1:
        fields[REACH] = {
            "type": "string",
            "title": "How far the yes reaches",
            "enum": list(question.scopes),
            "enumNames": [made_visible(covers(each, question.tool, question.shape)) for each in question.scopes],
            "default": question.usual,
        }
    fields[REASON] = {"type": "string", "title": "Why not (the model reads it)"}
    return {"type": "object", "properties": fields, "required": [ALLOW]}


def input_required(question: Question) -> Message:
    """The answer of protocol 2026-07-28 to a call that a person must allow first; the client asks, and calls again."""
    params = {"mode": "form", "message": question_text(question), "requestedSchema": approval_form(question)}
    return {
        "resultType": "input_required",
        "inputRequests": {APPROVAL: {"method": "elicitation/create", "params": params}},
        "requestState": question.handle,
    }
