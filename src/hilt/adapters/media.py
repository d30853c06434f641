"""Pictures, sound and files beside a result's text: what a provider takes, and a note for what it does not.

Base64 stands in the provider's own place for it and never in text.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hilt.adapters.wire import sendable
from hilt.calls.answer import Answer
from hilt.results.parts import FilePart, Part

LARGEST_PART = 3_750_000
"""Bytes of one part: 5 MB as base64, the smallest bound among the providers (Anthropic, for a picture)."""
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
DOCUMENTS = frozenset({"application/pdf"})

_OPENINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
_TOLD_BY_OPENING = frozenset({"image/webp", *(media_type for _, media_type in _OPENINGS)})
"""Types of which a provider refuses bytes that are none: with the request, and each later one of its session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One answer as a provider gets it: its text with a note for each part left out, and the parts it takes."""

    text: str
    parts: tuple[Part, ...]


def shown(answer: Answer, taken: frozenset[str]) -> Shown:
    """The answer for a provider that takes parts of the media types `taken`."""
    notes: list[str] = []
    parts: list[Part] = []
    for part in answer.result.parts:
        reason = unfit(part, taken)
        if reason:
            notes.append(f"[{_kind(part)} {part.media_type}, {len(part.content):,} bytes, not shown: {reason}]")
        else:
            parts.append(part)
    return Shown(text=sendable("\n".join((answer.text, *notes))), parts=tuple(parts))


def unfit(part: Part, taken: frozenset[str]) -> str:
    """Why a provider that takes `taken` cannot take the part; "" where it can."""
    if part.media_type not in taken:
        return f"only {', '.join(sorted(taken))} can be"
    if len(part.content) > LARGEST_PART:
        return f"the limit is {LARGEST_PART:,} bytes"
    if not part.content:
        return "it is empty"
    really = _really(part.content)
    if really == part.media_type or (not really and part.media_type not in _TOLD_BY_OPENING):
        return ""
    return f"its bytes are {really or f'no {part.media_type}'}"


def _really(content: bytes) -> str:
    """What the first bytes say; "" where they say nothing."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for opening, media_type in _OPENINGS if content.startswith(opening)), "")


def _kind(part: Part) -> str:
    return "file" if isinstance(part, FilePart) else type(part).__name__.lower()


def base64(part: Part) -> str:
    """The part's bytes as base64 text."""
    return b64encode(part.content).decode("ascii")


def inline_url(part: Part) -> str:
    """The part as a data URL."""
    return f"data:{part.media_type};base64,{base64(part)}"


def labelled(answers: Sequence[Answer], all_shown: Sequence[Shown]) -> Iterator[tuple[str, Part]]:
    """Parts that stand apart from their results, each under words that say whose it is."""
    for answer, each in zip(answers, all_shown, strict=True):
        for part in each.parts:
            yield f"{_kind(part)} from {answer.call.name}, result {answer.call.position + 1} of this turn:", part
