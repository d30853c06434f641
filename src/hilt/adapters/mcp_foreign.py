"""Other people's MCP servers, read: their declarations as tools, their results as ours.

Nothing here talks to a server: `tool_from_mcp` is given the function that does, and `upstream_tool` one that also
takes the call's Context. What an upstream says of itself counts for nothing with policy, so its tools have every
effect until a host says less.
"""

import json
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hilt.adapters.mcp_claims import ErrorClaims, claim_of, reading_of
from hilt.adapters.mcp_forms import TAKEN
from hilt.adapters.media import shown
from hilt.adapters.wire import objects, plain, plain_object, words
from hilt.calls.answer import Answer
from hilt.calls.artifacts import Artifacts
from hilt.calls.call import ToolCall
from hilt.calls.context import Context
from hilt.calls.returns import BrokenReturn, SchemaReturns
from hilt.calls.tool import AnyTool, Handling, schema_tool
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.declarations.schema import is_array, is_object
from hilt.errors import DeclarationError
from hilt.results.envelope import Artifact, Failure, Status, ToolResult
from hilt.results.failures import FailureKind, Outcome
from hilt.results.parts import Audio, FilePart, Image, Part
from hilt.results.render import compact_json

Schema = Mapping[str, object]
Call = Callable[[str, dict[str, object]], Awaitable[object]]
"""Calls an upstream's tool by its own name; returns its `CallToolResult`, the SDK's object or a dict."""
Reach = Callable[[str, dict[str, object], Context], Awaitable[object]]
"""As `Call`, with the Context of the call: for progress, and for what is put aside."""
Keep = Callable[[bytes, str], Awaitable[Artifact]]
"""Puts content of a media type aside."""

MOST_BLOCKS = 10_000
"""Blocks of one result that are read."""
MOST_PARTS = 20
"""Pictures, sounds and files of one result that are handed on."""
MOST_LEFT_OUT = 20
"""Blocks left out that are each told of, and put aside where that can be; of more, how many there are."""
LONGEST_WORD = 100
"""Characters of a type, a media type or an address that a note repeats."""
MOST_VALUES = 200_000
"""Values of a structured content that are looked at one by one; one of more is a text."""

NEXT_AFTER_ERROR = "change what its words name, or take another way"
_NEXT_AFTER: Mapping[FailureKind, str] = {
    FailureKind.INVALID_ARGUMENTS: "change the argument that its words name",
    FailureKind.RETRYABLE: "repeat the same call in a while",
}
NEXT_AFTER_CUT = "check whether it took effect before repeating it"
NEXT_AFTER_BREACH = "go on with the text, if it answers the question; report the server's fault to the person"


@dataclass(slots=True, kw_only=True)
class _Read:
    """What the content blocks of one result came to, in their order."""

    texts: list[str]
    parts: list[Part]
    notes: list[str]
    kept: Artifact | None = None
    left_out: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def tells(self) -> bool:
        """Whether what is left out next is told of."""
        return self.left_out < MOST_LEFT_OUT

    def leave_out(self, note: str) -> None:
        """A block that is not shown."""
        if self.tells:
            self.notes.append(note)
        self.left_out += 1


def tool_from_mcp(
    declaration: Mapping[str, object], call: Call, *, keep: Keep | None = None, effects: Effects = UNDECLARED
) -> AnyTool:
    """A tool for one entry of an upstream's `tools/list`; the upstream is called by the name it gave.

    `keep` puts aside what a model cannot be shown. Raises `DeclarationError` for a schema that
    cannot be used.
    """

    async def reach(name: str, arguments: dict[str, object], context: Context) -> object:
        del context
        return await call(name, arguments)

    return upstream_tool(declaration, reach, keep=keep, keeps=False, effects=effects)


def upstream_tool(
    declaration: Mapping[str, object],
    reach: Reach,
    *,
    keep: Keep | None = None,
    keeps: bool = True,
    effects: Effects = UNDECLARED,
    handling: Handling | None = None,
    server: str = "",
    aliases: Sequence[str] = (),
    claims: ErrorClaims = "report",
) -> AnyTool:
    """As `tool_from_mcp`, of a named server; what a model cannot be shown becomes an artifact of its session.

    `claims` is what a success counts as whose words say error.
    """
    name = words(declaration.get("name"))
    if not _is_text(declaration):
        raise DeclarationError(f"{name}: its declaration holds halves of characters, which are no text", "report it")
    promised, given = declaration.get("outputSchema"), declaration.get("inputSchema")
    hints = declaration.get("annotations")
    promise = SchemaReturns(promised, name) if is_object(promised) else None

    async def function(arguments: Mapping[str, object], context: Context) -> ToolResult[object]:
        result = await reach(name, dict(arguments), context)
        aside = keep or (_aside(context) if keeps else None)
        return await read_result(result, tool=name, promise=promise, keep=aside, claims=claims)

    made = schema_tool(
        name,
        function,
        parameters=given if is_object(given) else {},
        description=words(declaration.get("description")) or words(declaration.get("title")),
        kind="perceive" if effects.read_only else "act",
        effects=effects,
        handling=handling,
        annotations=hints if is_object(hints) else None,
        server=server,
        aliases=aliases,
        asks_context=True,
    )
    if promise is None:
        return made
    # The promise is checked when a result is read, where a broken one keeps its text.
    return replace(made, declaration=replace(made.declaration, returns=promise.schema))


def _aside(context: Context) -> Keep:
    async def keep(content: bytes, media_type: str) -> Artifact:
        return await context.part(Artifacts).keep(context.session, content, media_type)

    return keep


async def read_result(
    result: object,
    *,
    tool: str,
    promise: SchemaReturns | None = None,
    keep: Keep | None = None,
    claims: ErrorClaims = "ignore",
) -> ToolResult[object]:
    """An upstream's `CallToolResult` as a result.

    Its text comes first, then its structured content unless the text says the same. An error
    keeps its words and need not fit the promise; a promise broken by a success is a failure that
    keeps the text. `claims` is what a success counts as whose words say error.
    """
    form, structured = _taken_apart(result)
    read = await _content(form, keep)
    is_vast = _is_vast(structured)
    if is_vast:
        structured = compact_json(structured)
        read.notes.append(f"[its structured content has over {MOST_VALUES:,} values: it is given as text, unchecked]")
    if form.get("isError") is True:
        return _failed(read, structured, tool)
    claim = claim_of(read.texts, structured) if claims != "ignore" else ""
    if claim and claims == "fail":
        return _failed(read, structured, tool)
    if claim:
        read.notes.append(f"[{tool} was answered as a success, and its words say error: {claim}]")
    how = "" if promise is None or is_vast else _breach(promise, structured)
    if promise is not None and how:
        return _broken(read, structured, tool, promise, how)
    items: list[object] = [read.text] if read.texts else []
    if structured is not None and _bare(structured) not in read.texts:
        items = [structured] if _says(read.texts, structured) else [*items, structured]
    return ToolResult(
        summary=_summary(items, read.parts),
        items=tuple(items),
        parts=tuple(read.parts),
        notes=tuple(read.notes),
        artifact=read.kept,
    )


def _taken_apart(result: object) -> tuple[Mapping[str, object], object]:
    """A result's fields, and of them the structured content, which is JSON already where the result is."""
    if not is_object(result):
        form = plain_object(result, "MCP")
        return form, form.get("structuredContent")
    form = plain_object({key: value for key, value in result.items() if key != "structuredContent"}, "MCP")
    structured = result.get("structuredContent")
    return form, structured if is_object(structured) or is_array(structured) else plain(structured)


def _is_vast(value: object) -> bool:
    """Whether it holds more values than can be looked at one by one without holding up others."""
    left = MOST_VALUES
    waiting = [value]
    while waiting:
        each = waiting.pop()
        inner = list(each.values()) if is_object(each) else each if is_array(each) else ()
        left -= len(inner)
        if left < 0:
            return True
        waiting += inner
    return False


def _is_text(declaration: Mapping[str, object]) -> bool:
    """Whether all of its texts can be sent: half of a character in one would cost a client the whole list."""
    try:
        json.dumps(declaration, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True  # what it is then, the schema's reader says
    return True


def _summary(items: Sequence[object], parts: Sequence[Part]) -> str:
    """What came, counted: a result of pictures alone is not an empty one."""
    kinds = ["text" if isinstance(each, str) else "object" for each in items]
    kinds += ["file" if isinstance(part, FilePart) else type(part).__name__.lower() for part in parts]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)) or "done, and nothing returned"


def _bare(structured: object) -> object:
    """The value itself where servers of the SDKs put one that is no object into one, as its `result`."""
    return structured["result"] if is_object(structured) and set(structured) == {"result"} else structured


def _breach(promise: SchemaReturns, structured: object) -> str:
    """How a structured content is not what was promised; "" where it is."""
    try:
        if structured is None:
            raise BrokenReturn("it returned none")
        promise.items(structured)
    except BrokenReturn as broken:
        return str(broken)
    return ""


def _says(texts: Sequence[str], structured: object) -> bool:
    """Whether one of the texts is the structured content, or the bare value in it, written as JSON."""
    for text in texts:
        try:
            if json.loads(text) in (structured, _bare(structured)):
                return True
        except (ValueError, RecursionError):
            continue
    return False


def _failed(read: _Read, structured: object, tool: str) -> ToolResult[object]:
    """An error in the upstream's own words; why it failed, only they say."""
    problem = read.text or (compact_json(structured) if structured is not None else f"{tool} failed without a word")
    read_as = reading_of(problem)
    step = NEXT_AFTER_CUT if read_as.outcome is Outcome.UNKNOWN else _NEXT_AFTER.get(read_as.kind, NEXT_AFTER_ERROR)
    return ToolResult(
        status=Status.ERROR,
        summary=problem,
        failure=Failure(
            kind=read_as.kind,
            problem=problem,
            next_steps=(step,),
            retry_after_s=read_as.retry_after_s,
            outcome=read_as.outcome,
        ),
        notes=tuple(read.notes),
        parts=tuple(read.parts),
        artifact=read.kept,
    )


def _broken(read: _Read, structured: object, tool: str, promise: SchemaReturns, how: str) -> ToolResult[object]:
    """A success that is not what was declared: told as the server's fault, with all it did return."""
    declared = promise.schema.get("required") or promise.schema.get("type")
    problem = f"{tool} broke its declared output: expected an object ({compact_json(declared)}), {how}"
    items = [*([read.text] if read.texts else []), *([structured] if structured is not None else [])]
    return ToolResult(
        status=Status.ERROR,
        summary=problem,
        items=tuple(items),
        failure=Failure(
            kind=FailureKind.ENVIRONMENT, problem=problem, next_steps=(NEXT_AFTER_BREACH,), outcome=Outcome.DONE
        ),
        notes=tuple(read.notes),
        parts=tuple(read.parts),
        artifact=read.kept,
    )


async def _content(form: Mapping[str, object], keep: Keep | None) -> _Read:
    read = _Read(texts=[], parts=[], notes=[])
    for place, block in enumerate(objects(form.get("content"))):
        if place == MOST_BLOCKS:
            read.notes.append(f"[only its first {MOST_BLOCKS:,} blocks are read]")
            break
        part = _part(block, read)
        if part is not None:
            await _sort(part, read, keep)
    if read.left_out > MOST_LEFT_OUT:
        read.notes.append(f"[{read.left_out - MOST_LEFT_OUT:,} more blocks are left out]")
    return read


async def _sort(part: Part, read: _Read, keep: Keep | None) -> None:
    """Have a part shown, or else put aside."""
    note = _unfit(part, len(read.parts))
    if not note:
        read.parts.append(part)
        return
    if keep is not None and read.tells:
        read.kept = await keep(part.content, part.media_type)
        note = f"{note[:-1]}; kept as {read.kept.path or read.kept.id}]"
    read.leave_out(note)


def _part(block: Mapping[str, object], read: _Read) -> Part | None:
    """What a block holds beside text; its text goes to `read`, and what cannot be read becomes a note there."""
    kind, resource = block.get("type"), block.get("resource")
    if kind == "text":
        read.texts.append(words(block.get("text")))
    elif kind in ("image", "audio"):
        media_type = _word(block.get("mimeType"))
        content = _bytes(block.get("data"), f"{kind} {media_type}", read)
        made = Audio if kind == "audio" else Image
        return None if content is None else made(content=content, media_type=media_type)
    elif kind == "resource" and is_object(resource):
        return _resource(resource, read)
    elif kind == "resource_link":
        read.texts.append(" ".join(filter(None, (words(block.get("name")), words(block.get("uri"))))))
    else:
        named = _word(kind) if isinstance(kind, str) else type(kind).__name__
        read.leave_out(f"[content of the unknown type {named!r} is left out]")
    return None


def _resource(resource: Mapping[str, object], read: _Read) -> Part | None:
    uri, media_type = words(resource.get("uri")), _word(resource.get("mimeType"))
    if "text" in resource:
        read.texts.append(f"{uri}\n{words(resource['text'])}" if uri else words(resource["text"]))
        return None
    content = _bytes(resource.get("blob"), f"file {_word(uri)}", read)
    name = _word(uri.rpartition("/")[2])
    return None if content is None else FilePart(content=content, media_type=media_type, name=name)


def _word(value: object) -> str:
    """A short text of an upstream's on one line, which no note can be flooded with."""
    text = words(value)[: LONGEST_WORD * 2]
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= LONGEST_WORD else f"{line[:LONGEST_WORD]}..."


def _bytes(text: object, what: str, read: _Read) -> bytes | None:
    try:
        return b64decode(words(text), validate=True)
    except (NotBase64, ValueError):
        read.leave_out(f"[{what} is left out: it is not base64]")
        return None


def _unfit(part: Part, before: int) -> str:
    """The note for a part that no model could be shown, behind so many of its result; "" for one that fits."""
    if before >= MOST_PARTS:
        return f"[{part.media_type}, {len(part.content):,} bytes, not shown: at most {MOST_PARTS} of one result can be]"
    result: ToolResult[object] = ToolResult(summary="", parts=(part,))
    return shown(Answer(call=ToolCall(name=""), result=result, text="", produced=result), TAKEN).text.strip()
