"""What in a declaration deceives: characters that nobody sees, wherever a model would read them.

A declaration is read whole: names, titles, descriptions, parameters with their texts, values and defaults.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hilt.catalog.pins import Declared, Finding, Form, Names, Pin, Pinned, form_of
from hilt.declarations.characters import hidden_points, named_points, shown, unseen
from hilt.declarations.schema import is_array, is_object

LONGEST_QUOTE = 160
"""Characters of a server's text that a finding quotes."""


def suspected(each: Declared, seen: Pin | None) -> Declared:
    """The declaration with what is found in it alone; what was found before in the same one is not looked for again."""
    if seen is not None:
        return replace(each, findings=seen.findings)
    return replace(each, findings=tuple(found_in(form_of(each.document))))


def meetings(server: str, listing: Sequence[Declared], before: Pinned, others: Names) -> list[Declared]:
    """The listing, each with what is found when it meets other tools."""
    return list(listing)


def found_in(form: Form) -> Iterator[Finding]:
    """What speaks against a declaration, taken alone."""
    for where, text in texts(form):
        places = sorted({*unseen(text), *(unseen(text) if where != "name" else ())})
        if places:
            points = ", ".join(named_points(text, places))
            yield Finding(
                kind="hidden",
                grade="grave",
                where=where,
                says=f"characters that nobody sees: {points}",
                quote=shown(text)[:LONGEST_QUOTE],
            )
    name = str(form.get("name", ""))
    if points := hidden_points(name):
        yield Finding(kind="hidden", grade="grave", where="name", says=f"letters of two scripts: {', '.join(points)}")


def texts(form: Form) -> Iterator[tuple[str, str]]:
    """Every text of a declaration, with the place it stands at; names of parameters too."""
    waiting: list[tuple[str, object]] = list(form.items())[::-1]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            yield where, value
        elif is_object(value):
            for key, each in value.items():
                yield where, key
                waiting.append((f"{where}.{key}", each))
        elif is_array(value):
            waiting += [(where, each) for each in value]
