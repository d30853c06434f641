"""Tools that get in each other's way: families that differ by one value, and pairs that are easily confused.

Precision comes first: what is proposed must be right, and what is missed costs only what it costs today. Tools merge
where one sentence says what the result does; where the name differs in what is done, they stay apart.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hilt.catalog.bill import declared_text
from hilt.catalog.nearness import Meaning, Nearness
from hilt.catalog.overlap_words import ACTIONS, GENERIC
from hilt.catalog.search_document import Document, meaning_text
from hilt.catalog.search_words import words
from hilt.declarations.schema import Frozen, compact, is_array, is_object
from hilt.results.counting import Counter, utf8_length

LEAST_SHARED = 2
"""Words that names of a family have in common; with one alone the differing word is what the tool is."""
MOST_DIFFERENT = 2
"""Words in which the names of a family may differ, beside each other."""
NEAR = 0.86
"""The cosine from which on two tools mean nearly the same: a first guess that held on public servers, never varied."""
ALIKE = 0.75
"""The share of parameters that two tools of a pair have in common."""
SAME_WORDS = 0.7
"""The share of words that first sentences of a family have in common, its values left out."""
SHORTEST_PART = 3
"""Letters of a word from which on it is looked for in a value, as `local` in `localstorage`."""
LISTS = frozenset({"list"})
"""One sentence says what a list of things of one kind is, whatever the kind."""
HOW = frozenset({"by", "with"})
"""Words that begin a way to do the same."""
OF = frozenset({"of", "for"})
"""Words before which an attribute stands."""
_TEXTS = ("description", "title", "default", "examples", "$schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What the tools could be in one: its name, the parameter that says which, its values, what that saves."""

    name: str
    parameter: str
    values: tuple[str, ...]
    sentence: str
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Tools, by `server/name`, that overlap, and why; with a merge, or `merge=None` where they should stay apart."""

    kind: str
    tools: tuple[str, ...]
    reason: str
    merge: Merge | None = None


def families(documents: Sequence[Document], counter: Counter) -> tuple[Overlap, ...]:
    """Tools of one server with the same parameters whose names differ in one place; the largest family wins a tool."""
    grouped: dict[tuple[str, ...], dict[str, Document]] = {}
    for document in documents:
        for template, value in _templates(tuple(words(document.name))):
            key = (document.server, shape(document.parameters), *template)
            grouped.setdefault(key, {}).setdefault(value, document)
    names = {(each.server, "_".join(words(each.name))) for each in documents}
    found: list[Overlap] = []
    taken: set[str] = set()
    for key, members in sorted(grouped.items(), key=lambda each: (-len(each[1]), each[0])):
        template = key[2:]
        free = {value: each for value, each in members.items() if path(each) not in taken and _is_thing(value)}
        there = template[template.index("") - 1] in ACTIONS and (key[0], "_".join(filter(None, template))) in names
        kin = free if there or LISTS & set(template) else _of_one_sentence(free, template)
        if len(kin) > 1 and not _share_an_end(kin):
            found.append(_family(template, kin, counter, there=there))
            taken |= {path(each) for each in kin.values()}
    return tuple(sorted(found, key=lambda each: -(each.merge.tokens if each.merge else 0)))


def _is_thing(value: str) -> bool:
    return ACTIONS.isdisjoint(value.split("_"))


def _share_an_end(values: Iterable[str]) -> bool:
    """Whether all begin or end with the same word: then they differ in less, and are another family or none."""
    split = [each.split("_") for each in values]
    return len({each[0] for each in split if each[0] not in HOW}) == 1 or len({each[-1] for each in split}) == 1


def _of_one_sentence(members: Mapping[str, Document], template: Sequence[str]) -> Mapping[str, Document]:
    """Those of which one sentence says what the result is: but for the value, they are described by the same words.

    What stands behind a thing that something is done to, or before `of` it, is an attribute: each is another result.
    """
    place = template.index("")
    done = next(number for number, word in enumerate(template) if word in ACTIONS)
    last = place == len(template) - 1
    if (last and done < place - 1) or (not last and template[place + 1] in OF):
        members = {value: each for value, each in members.items() if value.split("_")[0] in HOW}
    kin: Mapping[str, Document] = {}
    for value, seed in members.items():
        said = _described(seed, value)
        near = {other: each for other, each in members.items() if _share(said, _described(each, other)) >= SAME_WORDS}
        kin = near if len(near) > len(kin) else kin
    return kin


def _described(document: Document, value: str) -> set[str]:
    """Words of the first sentence, without those that are in the value."""
    joined = value.replace("_", "")
    sentence = re.split(r"(?<=[.!?])\s|\n", document.description.strip(), maxsplit=1)[0]
    said = {each.removesuffix("s") for each in words(sentence)}
    return {each for each in said if len(each) < SHORTEST_PART or each not in joined}


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _templates(named: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The name with one place left open, and what stands there; what is left says what is done, and to what."""
    for size in range(1, MOST_DIFFERENT + 1):
        for start in range(len(named) - size + 1):
            left = (*named[:start], "", *named[start + size :])
            rest = [each for each in left if each]
            if len(rest) >= LEAST_SHARED and ACTIONS.intersection(rest):
                yield left, "_".join(named[start : start + size])


def _family(template: Sequence[str], members: Mapping[str, Document], counter: Counter, *, there: bool) -> Overlap:
    said = "_".join(each for each in template if each)
    values = tuple(members)
    first = next(iter(members.values()))
    name = f"{said}_{_parameter(first)}" if there else said
    slot = f"<{_parameter(first)}>"
    sentence = " ".join(each or slot for each in template)
    before = [declared_text(each.name, each.description, each.parameters) for each in members.values()]
    after = declared_text(name, first.description, with_choice(first.parameters, _parameter(first), values))
    return Overlap(
        kind="family",
        tools=tuple(path(each) for each in members.values()),
        reason=f"the same parameters, and names that differ only in {', '.join(values)}",
        merge=Merge(
            name=name,
            parameter=_parameter(first),
            values=values,
            sentence=sentence,
            bytes=sum(map(utf8_length, before)) - utf8_length(after),
            tokens=sum(map(counter.count, before)) - counter.count(after),
        ),
    )


def _parameter(document: Document) -> str:
    """A name for the parameter that the tool does not have yet."""
    return next(each for each in ("kind", "which", "kind_of_thing") if each not in _properties(document.parameters))


def with_choice(schema: Mapping[str, object], name: str, values: Sequence[str]) -> Frozen:
    """The schema with one more required parameter, which is one of these."""
    required = schema.get("required")
    return {
        **schema,
        "properties": {name: {"enum": list(values)}, **_properties(schema)},
        "required": [name, *(required if is_array(required) else ())],
    }


def pairs(documents: Sequence[Document], meaning: Meaning, known: Callable[[str, str], bool]) -> tuple[Overlap, ...]:
    """Tools that mean nearly the same and take nearly the same; those `known` to overlap are left out.

    What is done must be the same too: to read and to write a thing are near in meaning, and never confused.
    """
    vectors = meaning.vectors([meaning_text(each) for each in documents])
    near = Nearness(vectors)
    found: list[tuple[float, Overlap]] = []
    for place, vector in enumerate(vectors):
        for other, cosine in enumerate(near.cosines(vector)[:place]):
            if cosine >= NEAR and _confusable(documents[other], documents[place]):
                tools = path(documents[other]), path(documents[place])
                if not known(*tools):
                    found.append((cosine, _pair(tools, documents[other], documents[place])))
    return tuple(each for _, each in sorted(found, key=lambda each: -each[0]))


def _pair(tools: tuple[str, str], one: Document, other: Document) -> Overlap:
    both = sorted(_properties(one.parameters).keys() & _properties(other.parameters))
    where = "of one server" if one.server == other.server else "of two servers: leave one of them out"
    taken = f"both take {', '.join(both)}" if both else "neither takes anything"
    return Overlap(kind="pair", tools=tools, reason=f"nearly the same words, and {taken}; {where}")


def _confusable(one: Document, other: Document) -> bool:
    mine, theirs = _said(one), _said(other)
    if not mine & theirs - ACTIONS - GENERIC or (mine & ACTIONS) != (theirs & ACTIONS):
        return False
    if len(mine - theirs - GENERIC) + len(theirs - mine - GENERIC) > 0:
        return False
    return alike(one.parameters, other.parameters) >= ALIKE


def _said(document: Document) -> set[str]:
    server = set(words(document.server))
    return {each.removesuffix("s") for each in words(document.name) if each not in server}


def alike(one: Mapping[str, object], other: Mapping[str, object]) -> float:
    """The share of parameters, by name and type, that two schemas have in common; 1 where neither has any."""
    mine, theirs = ({(name, _type(each)) for name, each in _properties(schema).items()} for schema in (one, other))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def _type(schema: object) -> str:
    return compact({"type": schema.get("type")}) if is_object(schema) else ""


def shape(schema: Mapping[str, object]) -> str:
    """A schema without its words: equal for two tools that take the same."""
    required = schema.get("required")
    return compact(
        {
            "properties": {name: _bare(each) for name, each in sorted(_properties(schema).items())},
            "required": sorted(str(each) for each in required) if is_array(required) else [],
        }
    )


def _bare(node: object) -> object:
    if is_array(node):
        return [_bare(each) for each in node]
    return {name: _bare(each) for name, each in node.items() if name not in _TEXTS} if is_object(node) else node


def _properties(schema: Mapping[str, object]) -> Mapping[str, object]:
    properties = schema.get("properties")
    return properties if is_object(properties) else {}


def path(document: Document) -> str:
    """A tool among those of every server."""
    return f"{document.server}/{document.name}"


def together(overlaps: Sequence[Overlap]) -> set[frozenset[str]]:
    """Every two tools that these overlaps name together."""
    return {frozenset(two) for each in overlaps for two in combinations(each.tools, 2)}
