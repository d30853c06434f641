"""One word of shell text decoded as bash would, by a reader of its own.

The tree says where a word is; what it says is read here from its characters, so that a place where the
two disagree is seen and never proved.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from hilt.policy.programs.words import Word

Substitute = Callable[[int], "tuple[int, Word] | None"]
"""From the place of a substitution to the place behind it and the word it makes; None where there is none."""
MOST_BRACES = 64
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BRACED = re.compile(r"\$\{(?:(#?)([A-Za-z_]\w*)|([0-9?#$!]))\}", re.ASCII)
_EDITED = re.compile(r"\$\{[A-Za-z_]\w*(?::?[-+]|%%?|##?|\^\^?|,,?)[^${}`'\"\\]*\}", re.ASCII)
"""An expansion that edits a value and neither sets nor evaluates anything."""
_ANSI = re.compile(r"\$'((?:[^'\\]|\\[tnr\\'\"])*)'")
_ANSI_LETTERS = {"t": "\t", "n": "\n", "r": "\r"}
_RANGE = re.compile(r"(\d{1,3})\.\.(\d{1,3})", re.ASCII)
_IN_REVISIONS = re.compile(r"[\w.^~@{}-]*", re.ASCII)
_NUMBER = re.compile(r"\$[?#$!]")
_ARITHMETIC = re.compile(r"\$\(\([0-9\s+*/%()<>&|^~!=,-]*(?:0[xX][0-9A-Fa-f]+[0-9\s+*/%()<>&|^~!=,-]*)*\)\)")
_ENDS = frozenset(" \t\n;&|<>()")
_GLOBS = frozenset("*?[")
_AFTER_A_DOLLAR_ALONE = frozenset(("", " ", '"', "\n", "\t", ".", ",", "|", ")", "/", ":", "%", "\\", "]"))
_ESCAPED_IN_QUOTES = frozenset('$`"\\')
EDITED = Word()
NUMBER = Word(dashed=False)
"""What stands for a number: it begins with no dash and is one word."""


class Undecoded(Exception):
    """A word holds something that is not known to be harmless; the message says what."""

    def __init__(self, at: int, node: str, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.node = node
        self.reason = reason


@dataclass(slots=True, kw_only=True)
class _Made:
    """A word under way: what is known of its beginning, its pattern, and whether something unknown is in it."""

    start: str = ""
    pattern: str = ""
    globs: bool = False
    unknown: list[Word] = field(default_factory=list[Word])
    texts: str = ""
    parts: int = 0
    many: bool = False

    def add(self, text: str) -> None:
        self.parts += 1
        self.texts += text
        if not self.globs and not self.unknown:
            self.start += text
        self.pattern += "".join(f"[{letter}]" if letter in _GLOBS else letter for letter in text)

    @property
    def in_brackets(self) -> bool:
        return self.globs and self.pattern.rfind("[") > self.pattern.rfind("]")

    def add_glob(self, text: str) -> None:
        self.parts += 1
        self.globs = True
        self.pattern += text

    def add_unknown(self, word: Word, *, quoted: bool) -> None:
        self.parts += 1
        self.unknown.append(word)
        self.many |= not quoted and word is not NUMBER

    def word(self) -> Word:
        if self.unknown and self.parts == 1:
            only = self.unknown[0]
            return replace(only, many=self.many or only.many)
        dashed = not self.start or self.start.startswith("-")
        if self.unknown:
            first = self.unknown[0].dashed if not self.start else dashed
            return Word(start=_told(self.start), dashed=first, many=self.many, found=self._revisions())
        if self.globs:
            return Word(start=_told(self.start), glob=_told(self.pattern), dashed=dashed, many=True)
        return Word(text=_told(self.start), dashed=self.start.startswith("-"))

    def _revisions(self) -> bool:
        """Whether it is made of revisions alone (`$(git merge-base a b)..c`), and so leads to no path elsewhere."""
        plain = not self.globs and _IN_REVISIONS.fullmatch(self.texts) is not None
        return plain and all(word.found and not word.dashed for word in self.unknown)


def _told(text: str) -> str:
    """A text of bytes as one of characters."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


class Reader:
    """The characters of one word, read once. `source` has one character a byte, so that places are the tree's."""

    def __init__(self, source: str, at: int, end: int, known: Mapping[str, Word], substitute: Substitute) -> None:
        self.source = source
        self.at = at
        self.end = end
        self.known = known
        self.substitute = substitute
        self.made = _Made()

    def word(self) -> Word:
        """The word. Raises Undecoded."""
        while self.at < self.end:
            self._step(self.source[self.at])
        if self.at > self.end:
            raise Undecoded(self.end, "word", "the word ends where the grammar says it goes on")
        return self.made.word()

    def _step(self, letter: str) -> None:
        if letter == "'":
            self._raw()
        elif letter == '"':
            self._quoted()
        elif letter == "\\":
            self._escaped()
        elif letter in "$`" or self.source.startswith(("<(", ">("), self.at):
            self._expansion(quoted=False)
        elif letter in _ENDS:
            raise Undecoded(self.at, "word", f"{letter!r} ends a word for the shell")
        elif letter in "{}":
            raise Undecoded(self.at, "brace_expression", "braces may become several words")
        else:
            self._plain(letter)

    def _plain(self, letter: str) -> None:
        if letter == "~" and (self.made.parts == 0 or self.source[self.at - 1] in "=:"):
            self.made.add_unknown(Word(dashed=False), quoted=True)
        elif letter == "^" and self.made.in_brackets:
            raise Undecoded(self.at, "word", "[^ ] is another pattern for others than the shell")
        elif letter == "#" and self.made.parts == 0:
            raise Undecoded(self.at, "comment", "what follows may be a comment")
        elif letter in _GLOBS or (letter in "!^]" and self.made.globs):
            self.made.add_glob(letter)
        else:
            self._add_unquoted(letter)
        self.at += 1

    def _add_unquoted(self, letter: str) -> None:
        if self.made.globs and letter == "-":
            self.made.parts += 1
            self.made.pattern += letter
        else:
            self.made.add(letter)

    def _raw(self) -> None:
        close = self.source.find("'", self.at + 1, self.end)
        if close < 0:
            raise Undecoded(self.at, "raw_string", "the quote is not closed")
        self._add_literal(self.source[self.at + 1 : close])
        self.at = close + 1

    def _add_literal(self, text: str) -> None:
        if text and self.made.in_brackets:
            raise Undecoded(self.at, "word", "what is quoted within [ ] is not looked at")
        self.made.add(text)

    def _escaped(self) -> None:
        if self.at + 1 >= self.end or self.source[self.at + 1] == "\n":
            raise Undecoded(self.at, "word", "a line goes on within a word")
        self._add_literal(self.source[self.at + 1])
        self.at += 2

    def _quoted(self) -> None:
        self.at += 1
        self.made.add("")
        self.made.parts -= 1  # so that "$x" alone is what $x is
        while self.at < self.end:
            letter = self.source[self.at]
            if letter == '"':
                self.at += 1
                return
            if letter == "\\":
                self._escaped_in_quotes()
            elif letter == "`" or (letter == "$" and self._expands()):
                self._expansion(quoted=True)
            else:
                self._add_literal(letter)
                self.at += 1
        raise Undecoded(self.end, "string", "the quote is not closed")

    def _escaped_in_quotes(self) -> None:
        following = self.source[self.at + 1 : self.at + 2]
        if following == "\n":
            pass
        elif following in _ESCAPED_IN_QUOTES:
            self._add_literal(following)
        else:
            self._add_literal("\\" + following)
        self.at += 2

    def _expands(self) -> bool:
        """Whether a `$` within quotes is more than itself."""
        return self.source[self.at + 1 : self.at + 2] not in (
            "",
            " ",
            '"',
            "\n",
            "\t",
            ".",
            ",",
            "|",
            ")",
            "/",
            ":",
            "%",
            "\\",
            "]",
        )

    def _expansion(self, *, quoted: bool) -> None:
        if not quoted and (found := _ANSI.match(self.source, self.at, self.end)):
            self.made.add(re.sub(r"\\(.)", lambda each: _ANSI_LETTERS.get(each[1], each[1]), found[1]))
            self.at = found.end()
            return
        for pattern, word in ((_ARITHMETIC, NUMBER), (_NUMBER, NUMBER), (_EDITED, EDITED)):
            if found := pattern.match(self.source, self.at, self.end):
                self.made.add_unknown(word, quoted=quoted)
                self.at = found.end()
                return
        if not quoted and self.at + 1 == self.end and self.source[self.at] == "$":
            self.made.add("$")
            self.at += 1
            return
        made = self.substitute(self.at)
        if made is not None:
            self.at, word = made
            self.made.add_unknown(word, quoted=quoted or (word.found and not word.many))
            return
        self._variable(quoted=quoted)

    def _variable(self, *, quoted: bool) -> None:
        if found := _BRACED.match(self.source, self.at, self.end):
            count, name = found[1] or found[3], found[2] or ""
        elif found := _NAME.match(self.source, self.at + 1, self.end):
            count, name = "", found[0]
        else:
            raise self._not_known(quoted=quoted)
        if self.source[self.at] != "$":
            raise self._not_known(quoted=quoted)
        word = NUMBER if count else self.known.get(name, Word())
        self.at = found.end()
        if word.text is not None and (quoted or _settled(word.text)):
            self.made.add(word.text.encode("utf-8", "surrogateescape").decode("latin-1"))
        elif word.glob and not quoted:
            self.made.add_unknown(replace(word, split=True), quoted=False)
        else:
            self.made.add_unknown(word if word.text is None else Word(), quoted=quoted)

    def _not_known(self, *, quoted: bool) -> Undecoded:
        shown = self.source[self.at : self.at + 3]
        following = self.source[self.at + 1 : self.at + 2]
        if not quoted and following in ("'", '"'):
            node = "ansi_c_string" if following == "'" else "translated_string"
            return Undecoded(self.at, node, f"{shown[:2]}...{following} says something else than it shows")
        return Undecoded(self.at, "expansion", f"what {shown}... comes to is not known to be harmless")


def _settled(text: str) -> bool:
    """Whether a value stays one word, and itself, where it is not quoted."""
    return bool(text) and not set(text) & (_ENDS | _GLOBS | set("\\"))


def unbraced(source: str, at: int, end: int) -> list[str] | None:
    """The words that literal braces make of a word without quotes and expansions; None where there are none."""
    text = source[at:end]
    if "{" not in text or set(text) & set("\"'\\$`<>()~#\n"):
        return None
    parts = re.split(r"(\{[^{}]*\})", text)
    if any(set(part) & set("{}") for part in parts[::2]):
        return None
    choices = [_choices(part) if place % 2 else [part] for place, part in enumerate(parts)]
    if None in choices or math.prod(len(each or ()) for each in choices) > MOST_BRACES:
        return None
    return ["".join(combination) for combination in product(*(each or () for each in choices))]


def _choices(braces: str) -> list[str] | None:
    """What one pair of braces stands for: its parts, the numbers of a range, or itself."""
    if found := _RANGE.fullmatch(braces[1:-1]):
        first, last = int(found[1]), int(found[2])
        padded = any(len(each) > 1 and each[0] == "0" for each in found.groups())
        return None if padded or last < first else [str(number) for number in range(first, last + 1)]
    if ".." in braces:
        return None
    return braces[1:-1].split(",") if "," in braces else [braces]
