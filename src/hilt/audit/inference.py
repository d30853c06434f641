"""The legs of a tool that somebody else wrote, from what its declaration shows.

Names, descriptions and schemas are evidence of what a tool is for; a hint is a claim about how safe it is. So hints add
legs and take none away, and only what a schema makes impossible excludes one. What nothing shows stays `possible`; a
tool of which nothing at all is shown counts as everything.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hilt.audit.arguments import REST, SQL, Argument, arguments
from hilt.audit.legs import LEGS, Audited, Leg, Showing
from hilt.audit.origins import origins
from hilt.audit.reading import Things, Verb, first_sentence, governing, stem, things, words
from hilt.audit.words import (
    ALWAYS_RUN,
    CODE_WORDS,
    LETTING_IN,
    PUBLISHING,
    RUN_WORDS,
    RUNNABLE,
    SQL_WRITES,
    TELLING,
    THINGS,
    VERBS,
)
from hilt.declarations.declaration import Declaration
from hilt.declarations.effects import UNDECLARED, Brings, Deed, Effects, Reads, Role

NOTHING_SHOWS = "nothing in its declaration shows what it does, so it counts as everything"
SAYS_SOMETHING = 3
"""Words of a description that is not called empty, whether or not the tables know one of them."""
NOT_EXCLUDED = "nothing in its declaration excludes it"
_CHANGING: Mapping[str, Deed] = {
    "make": "write",
    "destroy": "destroy",
    "send": "send",
    "spend": "spend",
    "grant": "credential",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One foreign declaration as read: its verb, its things, its arguments, its hints."""

    declaration: Declaration
    text: str
    sentence: str
    verb: Verb | None
    things: Things
    arguments: tuple[Argument, ...]

    @property
    def doing(self) -> str:
        """What its verb does, or nothing."""
        return self.verb.doing if self.verb else ""

    @property
    def commands(self) -> tuple[Argument, ...]:
        """Arguments whose text is run."""
        if self.queries:
            return ()
        said = set(words(f"{self.declaration.name} {self.sentence}"))
        runs = self.doing == "run" or bool(said & RUN_WORDS)
        acts = runs or self.doing in ("make", "send")
        named = tuple(
            each
            for each in self.arguments
            if each.role == "command" and (runs or each.runs or (acts and each.path in ALWAYS_RUN))
        )
        if named or not runs or not said & CODE_WORDS:
            return named
        return tuple(each for each in self.arguments if each.path in RUNNABLE)

    @property
    def queries(self) -> bool:
        """Whether what it runs is SQL that is said to read only: it can do no more than say so."""
        said = set(words(f"{self.declaration.name} {self.sentence}"))
        sql = "sql" in said or any(each.why.endswith(SQL) for each in self.arguments)
        reads = bool({"readonly", "select"} & said) or {"read", "only"} <= said
        return sql and reads and not said & SQL_WRITES

    def hint(self, name: str) -> object:
        """One annotation."""
        return self.declaration.annotations.get(name)


def read(declaration: Declaration, text: str) -> Read:
    """A foreign declaration, with its description as a model reads it."""
    sentence = first_sentence(text)
    verb = governing(declaration.name, sentence)
    return Read(
        declaration=declaration,
        text=text,
        sentence=sentence,
        verb=verb,
        things=things(declaration.name, sentence, verb),
        arguments=arguments(declaration.parameters),
    )


def inferred(declaration: Declaration, text: str, *, server: str, label: str) -> Audited:
    """A foreign tool with the legs that its declaration shows."""
    seen = read(declaration, text)
    shown = list(_shown(seen))
    executor = bool(seen.commands)
    if not shown and _opaque(seen):
        shown = [Showing(leg=leg, basis="undeclared", why=NOTHING_SHOWS) for leg in _possible(seen, ())]
    possible = [Showing(leg=leg, basis="possible", why=NOT_EXCLUDED) for leg in _possible(seen, shown)]
    made = Audited(
        server=server,
        name=declaration.name,
        label=label,
        showings=(*shown, *possible),
        effects=_effects(seen, shown),
        foreign=True,
        executor=executor,
        telling=bool(TELLING & set(seen.things.words)),
        unclear=_unclear(seen, shown),
        secrets=seen.doing == "read" and "credential" in seen.things.traits,
    )
    return replace(made, hinted=tuple(_contradicted(seen, made)))


def _opaque(seen: Read) -> bool:
    """Whether there is nothing to read: no word is known, and there is no sentence that a person would understand."""
    told = words(seen.text)
    shown = seen.verb or seen.things.words or any(each.role for each in seen.arguments)
    return not shown and len(told) < SAYS_SOMETHING and not any(_known(each) for each in told)


def _known(word: str) -> bool:
    return stem(word, verb=True) in VERBS or stem(word) in THINGS


def _unclear(seen: Read, shown: Sequence[Showing]) -> bool:
    """Whether it reads something, or does something, and nothing shows what."""
    vague = _reads(seen) and not seen.things.words
    return not shown and (vague or seen.doing in ("", "run"))


def _shown(seen: Read) -> Iterator[Showing]:
    for each in seen.commands:
        for leg in LEGS:
            yield _because(leg, f"an executor: {each.why}, and can do whatever it says", each)
    yield from _what_comes_in(seen)
    yield from _ways_out(seen)


def _because(leg: Leg, why: str, argument: Argument | None = None) -> Showing:
    return Showing(leg=leg, basis="shown", why=why, argument=argument.path if argument else None)


def _reads(seen: Read) -> bool:
    return seen.doing == "read" or seen.queries or (seen.doing in ("", "run") and bool(seen.things.words))


def _what_comes_in(seen: Read) -> Iterator[Showing]:
    addressed = next((each for each in seen.arguments if each.role == "url"), None)
    if seen.doing not in ("", "read", "compute", "run"):
        return
    if not _reads(seen):
        yield from _from_outside(seen, addressed)
        return
    about, traits = _about(seen)
    if "private" in traits:
        yield _because("private", about)
    if "third-party" in traits:
        yield _because("third_party", about)
    else:
        yield from _from_outside(seen, addressed)


def _from_outside(seen: Read, addressed: Argument | None) -> Iterator[Showing]:
    if addressed is not None:
        yield _because("third_party", f"it reads what an address leads to: {addressed.why}")
    elif seen.hint("openWorldHint") is True:
        yield _because("third_party", "openWorldHint says that it reaches the open world")


def _about(seen: Read) -> tuple[str, frozenset[str]]:
    """What is read: the things of name or description, else the file of a path argument."""
    verb = seen.verb.word if seen.verb else "gives"
    if seen.things.words:
        listed = ", ".join(seen.things.words)
        return f'"{verb}" with "{listed}" in its {seen.things.place}', frozenset(seen.things.traits)
    if seen.queries:
        return "what a database holds, by SQL that is said to read only", frozenset(("private", "third-party"))
    path = next((each for each in seen.arguments if each.role == "path"), None)
    return (
        (f'"{verb}" with the path argument "{path.path}"', frozenset(("private", "third-party")))
        if path
        else ("", frozenset())
    )


def _ways_out(seen: Read) -> Iterator[Showing]:
    yield from (
        _because("way_out", f"it reaches an address of the caller's choice: {each.why}", each)
        for each in seen.arguments
        if each.role == "url"
    )
    if seen.doing in ("", "read", "compute"):
        return
    receivers = [each for each in seen.arguments if _receives(seen, each)]
    yield from (_because("way_out", each.why, each) for each in receivers)
    contents = [each for each in seen.arguments if each.role in ("content", None)]
    verb = seen.verb.word if seen.verb else ""
    if receivers:
        return
    sent = any(each.role in ("content", "path", None) for each in seen.arguments)
    if seen.doing == "send" and (sent or (seen.verb and seen.verb.place == "name")):
        yield _because("way_out", f'it sends: "{verb}" in its {seen.verb.place if seen.verb else ""}')
    elif verb in PUBLISHING and "shared" in seen.things.traits and contents:
        place = ", ".join(seen.things.words)
        yield _because("way_out", f'"{verb}" with "{place}": others read what is written there')


def _receives(seen: Read, argument: Argument) -> bool:
    if seen.doing == "destroy":
        return False
    if argument.role == "destination":
        return True
    if seen.doing in ("send", "spend"):
        return argument.receives != ""
    return argument.receives == "person" and _lets_in(seen)


def _lets_in(seen: Read) -> bool:
    """Whether a person is let in to something: by the verb, or by being added to what another argument names."""
    verb = seen.verb.word if seen.verb else ""
    return verb in LETTING_IN or (verb in ("add", "添加") and len(seen.arguments) > 1)


def _possible(seen: Read, shown: Sequence[Showing]) -> Iterator[Leg]:
    """Legs that nothing shows and nothing excludes: a call without free text can carry nothing out."""
    legs = {each.leg for each in shown}
    for leg in LEGS:
        if leg not in legs and (leg != "way_out" or seen.arguments):
            yield leg


def _contradicted(seen: Read, made: Audited) -> Iterator[str]:
    if seen.hint("readOnlyHint") is not True:
        return
    if made.executor:
        yield "readOnlyHint, though it runs what it is given"
    elif "way_out" in made.legs():
        through = made.arguments("way_out")
        yield "readOnlyHint, though it is a way out" + (f" through {', '.join(through)}" if through else "")
    elif seen.verb is not None and seen.doing in ("destroy", "send", "spend"):
        yield f'readOnlyHint, though its {seen.verb.place} says "{seen.verb.word}"'


def _effects(seen: Read, shown: Sequence[Showing]) -> Effects:
    """A draft for a person to edit: what is not shown is written as the most dangerous that its words allow."""
    if any(each.basis == "undeclared" for each in shown):
        return UNDECLARED
    legs: set[Leg] = {each.leg for each in shown}
    roles = _roles(seen, shown)
    return Effects(
        reads=_drafted_reads(seen, legs),
        brings=_drafted_brings(seen, legs),
        does=frozenset(_deeds(seen, shown)),
        roles=roles,
        origins=origins(seen.declaration.returns),
        also=_also(seen),
    )


def _drafted_reads(seen: Read, legs: set[Leg]) -> Reads:
    if "private" in legs:
        return "private"
    if not _reads(seen):
        return "none"
    return (
        "public" if "public" in seen.things.traits or any(each.role == "url" for each in seen.arguments) else "private"
    )


def _drafted_brings(seen: Read, legs: set[Leg]) -> Brings:
    if "third_party" in legs:
        return "third-party"
    return "own" if not _reads(seen) or seen.things.words else "third-party"


def _deeds(seen: Read, shown: Sequence[Showing]) -> Iterator[Deed]:
    if seen.commands or seen.doing == "run":
        yield "run"
    if seen.doing in _CHANGING:
        yield _CHANGING[seen.doing]
    if seen.doing == "make" and "credential" in seen.things.traits:
        yield "credential"
    if seen.doing in ("make", "send") and "money" in seen.things.traits:
        yield "spend"
    ways = [each for each in shown if each.leg == "way_out" and not seen.commands]
    optional = set(_optional_receivers(seen))
    if not _reads(seen) and any(each.argument is None or each.argument not in optional for each in ways):
        yield "send"
    if any(each.role == "url" for each in seen.arguments):
        yield "fetch"
    if seen.hint("destructiveHint") is True and seen.doing != "read":
        yield "destroy"


def _roles(seen: Read, shown: Sequence[Showing]) -> dict[str, Role]:
    """What each argument means; where an act is done, one that nothing names may decide what it is done to."""
    out = {each.argument for each in shown if each.leg == "way_out"}
    found: dict[str, Role] = {}
    effectful = seen.doing in _CHANGING
    for each in seen.arguments:
        role = each.role or ("target" if effectful else None)
        role = "destination" if each.path in out and role == "target" else role
        if (
            role is not None
            and each.top != REST
            and (each.top not in found or role in ("url", "destination", "command"))
        ):
            found[each.top] = role
    return found


def _also(seen: Read) -> dict[str, Deed]:
    """The deed that an argument adds."""
    return dict.fromkeys(_optional_receivers(seen), "send")


def _optional_receivers(seen: Read) -> Iterator[str]:
    """Arguments that make a write a message: an appointment is sent where guests are given."""
    if seen.doing == "make":
        yield from (each.top for each in seen.arguments if _receives(seen, each) and not each.required)
