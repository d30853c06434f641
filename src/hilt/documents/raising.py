"""Raised, lowered and struck text in plain characters: 10^6 is not 106, and ~~old~~ is crossed out."""

from collections.abc import Iterable

UP, DOWN, STRUCK = "^", "_", "~"
"""Looks of a run of text; several stand together in one word."""


def raised(mark: str, text: str) -> str:
    """`text` kept apart from what it stands at; a mark of a note is apart already."""
    words = text.strip()
    if not words or words[0] in "[(":
        return text
    return text.replace(words, f"{mark}{words}" if words.isalnum() else f"{mark}({words})", 1)


def marked(runs: Iterable[tuple[str, str]]) -> str:
    """Runs of text, each with its look, as one text; neighbours of one look get one mark."""
    parts: list[str] = []
    look, held = "", ""
    for each, text in runs:
        if text and each != look:
            parts.append(_closed(look, held))
            look, held = each, ""
        held += text
    return "".join((*parts, _closed(look, held)))


def _closed(look: str, text: str) -> str:
    for mark in (UP, DOWN):
        text = raised(mark, text) if mark in look else text
    words = text.strip()
    return text.replace(words, f"~~{words}~~", 1) if STRUCK in look and words else text
