"""Other frameworks' tools as ours: what they return as a result, what they raise as a failure.

What a tool raises that is no word of its framework stays a fault of the tool: the host has the report, and the
model is told without the words.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from hilt.adapters.mcp_claims import reading_of
from hilt.adapters.mcp_forms import TAKEN
from hilt.adapters.media import unfit
from hilt.calls.artifacts import Artifacts
from hilt.calls.context import Context
from hilt.declarations.effects import UNDECLARED, Effects
from hilt.errors import DeclarationError
from hilt.results.envelope import Artifact, ToolResult
from hilt.results.failures import (
    EnvironmentFailure,
    FailureKind,
    InvalidArguments,
    Outcome,
    Retryable,
    ToolFailure,
)
from hilt.results.parts import Audio, FilePart, Image, Part

Judged = Effects | Mapping[str, Effects]
"""What a host says of the effects of tools it did not write: of all of them, or by name; the others stay undeclared."""

NEXT_AFTER_REFUSAL = "change what its words name"
NEXT_AFTER_FAILURE = "change what its words name, or take another way"
NEXT_WHEN_BUSY = "repeat the same call in a while"
NEXT_AFTER_CUT = "check whether it took effect before repeating it"
LONGEST_WORDS = 2_000
"""Characters of an exception's own words that a model reads."""


def effects_of(judged: Judged, name: str) -> Effects:
    """What the host says of this tool; every effect where it says nothing."""
    return judged if isinstance(judged, Effects) else judged.get(name, UNDECLARED)


def check_judged(judged: Judged, names: Iterable[str]) -> None:
    """Raise `DeclarationError` where effects are declared of a tool that is not there."""
    there = sorted(names)
    missing = [] if isinstance(judged, Effects) else sorted(set(judged) - set(there))
    if missing:
        raise DeclarationError(
            f"effects are declared for {', '.join(missing)}, and the tools are {', '.join(there) or 'none'}",
            "name each tool as its framework does",
        )


def part_of(content: bytes, media_type: str, name: str = "") -> Part:
    """Bytes of a media type as the part they are."""
    kind = media_type.partition("/")[0]
    if kind == "image":
        return Image(content=content, media_type=media_type)
    if kind == "audio":
        return Audio(content=content, media_type=media_type)
    return FilePart(content=content, media_type=media_type, name=name)


def words_of(error: BaseException) -> str:
    """What an exception says, cut; its class where it says nothing."""
    said = str(error).strip() or type(error).__name__
    return said if len(said) <= LONGEST_WORDS else f"{said[:LONGEST_WORDS]}... (cut at {LONGEST_WORDS:,} characters)"


def refused(error: BaseException) -> InvalidArguments:
    """The framework's own check of the arguments, or its word that the model is to try again otherwise."""
    return InvalidArguments(words_of(error), NEXT_AFTER_REFUSAL)


def invalid(error: ValidationError) -> InvalidArguments:
    """What pydantic holds against the arguments, each fault with its path and without the value."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults]
    return refused(ValueError("; ".join(told)))


def failure(error: BaseException) -> ToolFailure:
    """A failure in the tool's own words, of the class that they or an HTTP status tell; else the environment's."""
    problem, status = words_of(error), _status(error)
    read = reading_of(f"{status} {problem}" if status else problem)
    if isinstance(error, TimeoutError) or read.outcome is Outcome.UNKNOWN:
        cut = Retryable(problem, NEXT_AFTER_CUT, retry_after_s=read.retry_after_s)
        cut.outcome = Outcome.UNKNOWN
        return cut
    if read.kind is FailureKind.RETRYABLE:
        return Retryable(problem, NEXT_WHEN_BUSY, retry_after_s=read.retry_after_s)
    if read.kind is FailureKind.INVALID_ARGUMENTS:
        return InvalidArguments(problem, NEXT_AFTER_REFUSAL)
    return EnvironmentFailure(problem, NEXT_AFTER_FAILURE)


def busy(error: BaseException) -> bool:
    """Whether a service said, by its HTTP status, that it has no room now: then the same call may work later."""
    return _status(error) in (429, 503)


def _status(error: BaseException) -> int:
    """The HTTP status an exception carries, as the clients of most services do; 0 for none."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return 0


@dataclass(slots=True, kw_only=True)
class Returned:
    """What a tool of a framework gave, taken apart: JSON values, parts, and notes on what is left out."""

    values: list[object] = field(default_factory=list[object])
    parts: list[Part] = field(default_factory=list[Part])
    notes: list[str] = field(default_factory=list[str])
    kept: Artifact | None = None

    def take_bytes(self, written: str, what: str, *, media_type: str = "", name: str = "") -> bool:
        """Add a part of a data URL, or of base64 of a known `media_type`; False where the text is neither."""
        head, mark, encoded = written.partition(";base64,")
        if not mark and not (written and media_type):
            return False
        try:
            content = b64decode(encoded if mark else written, validate=True)
            self.parts.append(part_of(content, head.removeprefix("data:") if mark else media_type, name))
        except (NotBase64, ValueError):
            self.notes.append(f"[{what} is left out: it is not base64]")
        return True

    async def result(self, context: Context) -> object:
        """As a tool returns it; what no model can be shown is kept as an artifact of the session."""
        if not self.parts and not self.notes and len(self.values) < 2:
            return self.values[0] if self.values else None
        shown: list[Part] = []
        for part in self.parts:
            reason = unfit(part, TAKEN)
            if not reason:
                shown.append(part)
                continue
            self.kept = await context.part(Artifacts).keep(context.session, part.content, part.media_type)
            self.notes.append(f"[{part.media_type or 'content'} not shown: {reason}; kept as {self.kept.id}]")
        return ToolResult(
            summary=_summary(self.values, shown),
            items=tuple(self.values),
            parts=tuple(shown),
            notes=tuple(self.notes),
            artifact=self.kept,
        )


def _summary(values: Sequence[object], parts: Sequence[Part]) -> str:
    kinds = ["text" if isinstance(each, str) else "item" for each in values]
    kinds += ["file" if isinstance(part, FilePart) else type(part).__name__.lower() for part in parts]
    counted = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return ", ".join(counted) or "done, and nothing returned"
