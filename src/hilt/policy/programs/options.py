"""How a program reads its words: a table of the options known to be harmless, and what its operands are.

An option counts only where the table has it exactly. The abbreviations getopt allows are not tried: an
abbreviated option is one nobody looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hilt.policy.programs.words import Doubt, Use, Word

Role = Literal["text", "read", "write"]
HERE = Word(text=".", dashed=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The harmless options of one program.

    `values` maps options that need a value to what it is; those in `maybe` take one only attached.
    `operands` are the roles by position, the last for all further ones; `most` bounds their number.
    Where an option of `instead` is given, the first operand's role is left out (`grep -e`). `tame` says
    that no option of the program whatever changes or runs anything, so that a name that looks like one does
    not matter. `numbers` allows `-5`, `first` ends options at the first operand, `words` allows options of
    several letters behind one dash. `here`: without an operand it reads the folder it runs in, if an option of
    `recursive` is given or that is empty. `follows` are options that read
    through links below a folder; `through`: it does so whatever the options.
    """

    flags: frozenset[str] = frozenset()
    values: Mapping[str, Role] = field(default_factory=dict[str, Role])
    maybe: frozenset[str] = frozenset()
    operands: tuple[Role, ...] = ("read",)
    most: int | None = None
    instead: frozenset[str] = frozenset()
    tame: bool = False
    numbers: bool = False
    first: bool = False
    words: bool = False
    here: bool = False
    recursive: frozenset[str] = frozenset()
    follows: frozenset[str] = frozenset()
    through: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One option as it was given, with its value where it has one."""

    name: str
    at: int
    value: Word | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A word that is no option."""

    word: Word
    at: int


@dataclass(slots=True, kw_only=True)
class Scan:
    """What was found while the words were read."""

    options: list[Given] = field(default_factory=list[Given])
    operands: list[Operand] = field(default_factory=list[Operand])
    doubts: list[Doubt] = field(default_factory=list[Doubt])

    @property
    def names(self) -> frozenset[str]:
        """The options given."""
        return frozenset(each.name for each in self.options)

    def doubt(self, at: int, reason: str) -> None:
        self.doubts.append(Doubt(at=at, reason=reason))

    def value(self, name: str) -> Word | None:
        """The last value given to an option."""
        return next((each.value for each in reversed(self.options) if each.name == name), None)


def spelled(text: str) -> frozenset[str]:
    """Options from a line of them; `-abc` are three."""
    found: set[str] = set()
    for each in text.split():
        found |= {each} if each.startswith("--") or not each.startswith("-") else {f"-{letter}" for letter in each[1:]}
    return frozenset(found)


def table(
    flags: str = "",
    *,
    text: str = "",
    read: str = "",
    write: str = "",
    maybe: str = "",
    operands: str | None = None,
    more: Table | None = None,
    **options: object,
) -> Table:
    """A table in short: options as lines of them, `operands` as the roles by position (empty: none)."""
    base = more or Table()
    parted = str.split if options.get("words") else spelled
    roles: dict[str, Role] = dict(base.values)
    roles.update((name, "text") for name in parted(text))
    roles.update((name, "read") for name in parted(read))
    roles.update((name, "write") for name in parted(write))
    return replace(
        base,
        flags=base.flags | frozenset(parted(flags)),
        values=roles,
        maybe=base.maybe | spelled(maybe),
        operands=base.operands if operands is None else tuple(map(_role, operands.split())),
        **({"most": 0} if operands == "" else {}),
        **options,
    )


def _role(name: str) -> Role:
    return "read" if name == "read" else "write" if name == "write" else "text"


def scan(known: Table, words: Sequence[Word], start: int = 1) -> Scan:
    """Read the words from `start` as options and operands."""
    found = Scan()
    at, ended = start, False
    while at < len(words):
        word = words[at]
        if ended or not _may_be_option(word, known):
            found.operands.append(Operand(word=word, at=at))
            ended = ended or known.first
            at += 1
            continue
        if word.text == "--":
            ended = True
            at += 1
            continue
        at = _option(known, words, at, found)
    return found


def _may_be_option(word: Word, known: Table) -> bool:
    if word.text is not None:
        return word.text.startswith("-") and word.text != "-"
    if word.start.startswith("-"):
        return True
    return word.dashed and not known.tame


def _option(known: Table, words: Sequence[Word], at: int, found: Scan) -> int:
    """Read the option at a place; the place behind it and its value."""
    word = words[at]
    text = word.text if word.text is not None else _settled_start(word.start)
    if not text:
        found.doubt(at, "it may begin with a dash and so be an option, which is known only when it runs")
        return at + 1
    if text.startswith("--") or (
        known.words and text.partition("=")[0] in known.flags | known.maybe | known.values.keys()
    ):
        return _long(known, words, at, text, found)
    if word.text is None:
        found.doubt(at, "which option this is, is known only when it runs")
        return at + 1
    if known.numbers and text[1:].isdigit():
        return at + 1
    return _cluster(known, words, at, text, found)


def _settled_start(start: str) -> str:
    """The option of a word such as `--include=*.py`, whatever its value comes to; empty where it is not settled."""
    return start if "=" in start else ""


def _long(known: Table, words: Sequence[Word], at: int, text: str, found: Scan) -> int:
    name, equals, value = text.partition("=")
    if name in known.flags and not equals:
        found.options.append(Given(name=name, at=at))
        return at + 1
    if name in known.maybe or (equals and name in known.values):
        given = Word(text=value, dashed=False) if equals else None
        if words[at].text is None and (
            known.values.get(name, "text") != "text" or (words[at].many and not words[at].glob)
        ):
            found.doubt(at, f"the value of {name} is known only when it runs")
        found.options.append(Given(name=name, at=at, value=given))
        return at + 1
    if name in known.values:
        return _with_next(words, at, name, found)
    found.doubt(at, f"the option {name} is not among those known to be harmless")
    return at + 1


def _cluster(known: Table, words: Sequence[Word], at: int, text: str, found: Scan) -> int:
    """One dash and letters: flags, until one takes the rest, or the next word, as its value."""
    for place, letter in enumerate(text[1:], 1):
        name, rest = f"-{letter}", text[place + 1 :]
        if name in known.flags:
            found.options.append(Given(name=name, at=at))
        elif name in known.maybe or (name in known.values and rest):
            given = Word(text=rest, dashed=False) if rest else None
            found.options.append(Given(name=name, at=at, value=given))
            return at + 1
        elif name in known.values:
            return _with_next(words, at, name, found)
        else:
            found.doubt(at, f"the option {name} is not among those known to be harmless")
            return at + 1
    return at + 1


def _with_next(words: Sequence[Word], at: int, name: str, found: Scan) -> int:
    value = words[at + 1] if at + 1 < len(words) else None
    if value is not None and value.many:
        found.doubt(at + 1, f"the value of {name} may become several words")
    found.options.append(Given(name=name, at=at, value=value))
    return at + 2


def used(known: Table, found: Scan) -> Use:
    """What the options and operands of a scan come to."""
    doubts = list(found.doubts)
    paths: dict[Role, list[Word]] = {"read": [], "write": []}
    roles = known.operands[1:] if found.names & known.instead else known.operands
    for each in found.options:
        role = known.values.get(each.name, "text")
        if each.value is not None and role != "text":
            _place(paths[role], doubts, each.value, each.at, role)
    for place, operand in enumerate(found.operands):
        if not roles or (known.most is not None and place >= known.most):
            doubts.append(Doubt(at=operand.at, reason="one operand more than is known to be harmless"))
            continue
        role = roles[min(place, len(roles) - 1)]
        if operand.word.many and (known.most is not None or place < len(roles) - 1):
            doubts.append(Doubt(at=operand.at, reason="it may become several words"))
        if role != "text":
            _place(paths[role], doubts, operand.word, operand.at, role)
    named = len(found.operands) >= max(1, len(roles))
    if known.here and not named and (not known.recursive or found.names & known.recursive):
        paths["read"].append(HERE)
    return Use(
        reads=tuple(paths["read"]),
        writes=tuple(paths["write"]),
        followed=tuple(paths["read"]) if known.through or found.names & known.follows else (),
        doubts=tuple(doubts),
    )


def _place(paths: list[Word], doubts: list[Doubt], word: Word, at: int, role: Role) -> None:
    if not word.named or (role == "write" and word.text is None):
        doubts.append(Doubt(at=at, reason=f"which path it {role}s is known only when it runs"))
    elif (word.text and (word.text != "-" or role == "write")) or word.text is None:
        paths.append(word)


def files_of_options(words: Sequence[Word], use: Use) -> Use:
    """For programs that read `@file` as a file of options: a word that may be one is doubted."""
    doubts = [
        Doubt(at=at, reason="a name that begins with @ is a file of options")
        for at, word in enumerate(words[1:], 1)
        if (word.text if word.text is not None else word.start or "@").startswith("@")
    ]
    return replace(use, doubts=(*use.doubts, *doubts))


def read_words(known: Table, words: Sequence[Word]) -> Use:
    """What a program with a table would do with its words."""
    return used(known, scan(known, words))
