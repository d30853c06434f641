"""One tool as it is searched: which of its texts count, and what each counts."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hilt.catalog.search_words import stems, words
from hilt.declarations.schema import is_array, is_object

WEIGHTS: Mapping[str, float] = {
    "server": 1.0,
    "name": 1.5,
    "title": 1.0,
    "description": 1.0,
    "parameters": 1.0,
    "choices": 0.5,
    "aliases": 2.0,
}
MOST_TEXT = 20_000
"""Characters read of one tool's description, and of its parameters; a longer one is a mistake or an attack."""
MOST_NODES = 2_000
"""Pieces of a schema that are read."""

MEANING_CHARACTERS = 300
"""Characters of a description that are compared in meaning: what follows is detail that blurs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One tool as it is searched; `aliases` are other words for it, in any language."""

    server: str
    name: str
    description: str
    parameters: Mapping[str, object]
    title: str = ""
    aliases: tuple[str, ...] = ()


def bag(document: Document) -> Mapping[str, float]:
    """What a tool is found by, and how much it has of each."""
    names, choices = schema_texts(document.parameters)
    texts = {
        "server": document.server,
        "name": document.name,
        "title": document.title,
        "description": document.description[:MOST_TEXT],
        "parameters": names,
        "choices": choices,
        "aliases": " ".join(document.aliases),
    }
    weighed: dict[str, float] = {}
    for part, text in texts.items():
        for stem, times in Counter(stems(text)).items():
            weighed[stem] = weighed.get(stem, 0.0) + WEIGHTS[part] * times
    return weighed


def schema_texts(schema: Mapping[str, object]) -> tuple[str, str]:
    """Names and descriptions of a schema's parameters, and its choices."""
    named: list[str] = []
    chosen: list[str] = []
    waiting: list[object] = [schema]
    for _ in range(MOST_NODES):
        if not waiting:
            break
        node = waiting.pop()
        if is_array(node):
            waiting += reversed(node)
        elif is_object(node):
            named += _named(node)
            choices = node.get("enum")
            chosen += [each for each in choices if isinstance(each, str)] if is_array(choices) else []
            waiting += _below(node)
    return " ".join(named)[:MOST_TEXT], " ".join(chosen)[:MOST_TEXT]


def _named(node: Mapping[str, object]) -> Iterator[str]:
    text, properties = node.get("description"), node.get("properties")
    if isinstance(text, str):
        yield text
    if is_object(properties):
        yield from properties


def _below(node: Mapping[str, object]) -> list[object]:
    """The schemas inside one, last first, for they are taken from the end."""
    properties = node.get("properties")
    inner = list(properties.values()) if is_object(properties) else []
    inner += [node[key] for key in ("items", "anyOf", "oneOf", "allOf") if key in node]
    definitions = node.get("$defs")
    inner += list(definitions.values()) if is_object(definitions) else []
    return inner[::-1]


def meaning_text(document: Document) -> str:
    """What of a tool is compared in meaning: its name, how its description begins, its parameters' names."""
    named = " ".join(words(f"{document.name} {document.title}"))
    properties = document.parameters.get("properties")
    asked = " ".join(words(" ".join(properties))) if is_object(properties) else ""
    return f"{named}. {document.description[:MEANING_CHARACTERS]} {asked[:MEANING_CHARACTERS]}"
