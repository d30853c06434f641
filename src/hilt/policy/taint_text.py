"""How taint compares texts: values folded to one form, whole tokens, addresses, and what hides in a body.

Folding is small on purpose. What looks alike but is not (letters of another alphabet, invisible
characters) stays different, and so is asked about.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import blake2b

LONGEST_VALUE = 200
"""Characters of a text that may be a value; what is longer is prose, and vouches for nothing."""
LONGEST_MARK = 80
"""Characters of a value that are remembered as they are; a longer one by its digest."""
SHORTEST_MATCH = 4
"""A shorter value (an id such as `11`) occurs in any text, so finding it there says nothing."""
LONGEST_BODY = 200_000
"""Characters of an outgoing body that are searched for secrets and addresses."""
MOST_SECRET_WORDS = 32
"""Words that are put together at most to find a secret whose letters were pulled apart."""
DIGEST_BYTES = 12

_SCHEME = re.compile(r"(?<![\w+.-])(?:https?://|mailto:|tel:)")
_IBAN = re.compile(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?\b")
_WEB = (
    r"(?:https?://|www\.)[^\s<>\"'`\\|{}]+"
    r"|\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|edu|gov|info|biz|app|xyz|online|site|shop|top|link|io|dev|ai|ly)"
    r"\b(?:/[^\s<>\"'`\\|{}]*)?"
)
_TWO_DIGITS = re.compile(r"\d\d")
_MAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_LINK = re.compile(f"{_MAIL}|{_WEB}")
_AROUND = "<>()[]{}\"'`.,;:!?\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u300b\u300d\uff09"
_NEXT_SENTENCE = re.compile(r"(?<=[a-z0-9])\.(?=[A-Z][a-z])")  # a space was forgotten
_RUN = re.compile(r"(?<![\w/.-])[A-Za-z0-9+/_=-]{32,}")  # base64 and its like
_CODED = re.compile(
    r"\b[0-9a-fA-F]{48,}\b|(?:%[0-9a-fA-F]{2}){6}|(?:\\[xu][0-9a-fA-F]{2,4}){4}|(?:&#x?[0-9a-fA-F]+;){4}"
    r"|[\u200b-\u200f\u2060-\u2064\U000e0000-\U000e007f]"
)
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w-])|(?<![\w.,-])\d+\.\d+(?![\w.-])")
_WORD = re.compile(r"[^\W_]+")
_BEFORE_PATH = re.compile(r"[/#\\]")
_BEFORE_PATH_OR_QUERY = re.compile(r"[/?#\\]")
_BETWEEN = " ,;:|<>()\"'\t\r\n"  # what may stand between two names of one text
_NOT_SPACED = "\u2e80"  # from here on, scripts are written without spaces between words


def leaf_text(value: object) -> str:
    """One leaf of arguments or a result as text; "" for what can name nothing, such as true or null."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else ""


def fold(text: str) -> str:
    """Case, runs of spaces and the scheme do not matter, nor does a last slash, nor the grouping of an IBAN."""
    folded = " ".join(text.lower().split())
    if ":" in folded:
        folded = _SCHEME.sub("", folded)
    folded = folded.removesuffix("/")
    return folded.replace(" ", "") if " " in folded and _IBAN.fullmatch(folded) else folded


def mark(text: str) -> str:
    """What is remembered of a value and looked up again."""
    folded = fold(text)
    return folded if len(folded) <= LONGEST_MARK else _digest(folded)


def pieces(text: str) -> Iterator[str]:
    """The values that one text of a trusted maker lists: itself, its lines, and what stands behind their labels."""
    if len(text) <= LONGEST_VALUE:
        yield text
    if "\n" not in text and ":" not in text and "," not in text:
        return
    for line in text.splitlines():
        if len(line) > LONGEST_VALUE:
            continue
        yield line
        for part in line.split(","):
            yield part
            yield part.partition(":")[2]


def links(text: str) -> Iterator[str]:
    """Every address of the web or of mail, and every IBAN, in a text, as written there but for the case."""
    lowered = text.lower()
    if "." in lowered:
        for found in _LINK.finditer(lowered):
            yield found[0].rstrip(_AROUND)
    for found in _IBAN.finditer(lowered) if _TWO_DIGITS.search(lowered) else ():
        if sum(each.isdigit() for each in found[0]) >= SHORTEST_MATCH:
            yield found[0]


def may_hold_links(text: str) -> bool:
    """A quick look whether an address could be in it; it may say yes where none is."""
    return "://" in text or "www." in text or "@" in text


def opaque(text: str) -> bool:
    """Whether part of a text cannot be read off as it stands: long runs of a code, percent signs, what is invisible."""
    runs = (found[0] for found in _RUN.finditer(text))
    return _CODED.search(text) is not None or any(
        any(each.isupper() for each in run) and any(each.islower() for each in run) for run in runs
    )


def secret_mark(text: str) -> str:
    """A secret as it is remembered: its length and digest, never itself. "" for what any text may hold."""
    bare = "".join(_WORD.findall(text.lower()))
    return f"{len(bare)}{_digest(bare)}" if len(bare) >= SHORTEST_MATCH else ""


def secret_in(body: str, secrets: Iterable[str]) -> str:
    """The mark of the first secret in a body, however its letters are grouped; "" where there is none."""
    known = frozenset(secrets)
    lengths = {int(each.partition("#")[0]) for each in known}
    longest, words = max(lengths, default=0), _WORD.findall(body[:LONGEST_BODY].lower())
    for start in range(len(words)):
        run = ""
        for word in words[start : start + MOST_SECRET_WORDS]:
            run += word
            if len(run) > longest:
                break
            if len(run) in lengths and (found := f"{len(run)}{_digest(run)}") in known:
                return found
    return ""


def grant_covers(target: str, value: str) -> bool:
    """Whether a pattern that a person gave leave for covers a value, both folded.

    A wildcard stands for a part of one name: not for a second recipient, another host before a path or a way up.
    """
    if target == "*" or target == value:
        return True
    if not fnmatchcase(value, target):
        return False
    named, reached = _BEFORE_PATH.split(target, maxsplit=1)[0], _BEFORE_PATH_OR_QUERY.split(value, maxsplit=1)[0]
    several = any(each in _BETWEEN and each not in named for each in reached)
    climbs = ".." in re.split(r"[/\\]", value) and ".." not in target
    alike = reached.count("@") == named.count("@") and fnmatchcase(reached, named)
    return alike and not several and not climbs


def _digest(text: str) -> str:
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def holds(text: str, value: str) -> bool:
    """Whether a folded text has a folded value as whole tokens: not as a part of a word, a host or an address."""
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not _joined(text, start - 1, -1) and not _joined(text, end, 1):
            return True
        start = text.find(value, start + 1)
    return False


def _joined(text: str, place: int, step: int) -> bool:
    """Whether the character beside a value makes it part of a longer token."""
    if not 0 <= place < len(text):
        return False
    each = text[place]
    if _letter(each):
        return True
    beyond = place + step
    return each in "@.-+/=&%#~" and 0 <= beyond < len(text) and (_letter(text[beyond]) or text[beyond] in "@/")


def _letter(each: str) -> bool:
    return each == "_" or (each < _NOT_SPACED and each.isalnum())


@dataclass(frozen=True, slots=True)
class Said:
    """What the person said, ready to be asked: which values, and which words."""

    text: str
    compact: frozenset[str]

    def has(self, value: str) -> bool:
        """Whether the person gave this value, whole."""
        folded = fold(value)
        return bool(folded) and (folded in self.compact or holds(self.text, folded))


@lru_cache(maxsize=32)
def said(words: str, pasted: tuple[str, ...] = ()) -> Said:
    """The person's own words: what was pasted into them is not theirs."""
    for each in pasted:
        words = words.replace(each, "\n") if each else words
    lowered = " ".join(_NEXT_SENTENCE.sub(". ", words).lower().split())
    grouped = (found[0].replace(" ", "") for found in _IBAN.finditer(lowered))
    return Said(text=_SCHEME.sub("", lowered), compact=frozenset((*grouped, *_numbers(lowered))))


def _numbers(text: str) -> Iterator[str]:
    """The numbers of a text as arguments give them: `1,200.50` is 1200.5."""
    for found in _NUMBER.finditer(text):
        whole, _, part = found[0].replace(",", "").partition(".")
        part = part.rstrip("0")
        yield f"{whole}.{part}" if part else whole
