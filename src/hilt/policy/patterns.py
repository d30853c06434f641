"""Patterns of names, paths and values: what permits covers the whole, what forbids finds too much before too little."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from fnmatch import translate as translate_name
from functools import lru_cache
from posixpath import normpath
from unicodedata import normalize

from hilt.calls.resolver import PathFact
from hilt.declarations.schema import is_array, is_object

MOST_MATCHED = 10_000
"""Characters of an argument that a pattern is tried on; a longer one fits what forbids, and not what permits."""
WILDCARDS = "*?["
ANY_FOLDERS = "**"
_CLASS = r"\[.[^\]]*\]"
_STEP = re.compile(rf"(?:{_CLASS}|[^/])+", re.DOTALL)
_TOKEN = re.compile(rf"{_CLASS}|\*+|.", re.DOTALL)
REGEX_MARK = "/"
"""A pattern of an argument between two of these is a regular expression of the whole text."""


def name_matches(name: str, pattern: str) -> bool:
    """Whether a tool's name fits a pattern such as `git_*`."""
    return fnmatchcase(name, pattern)


@lru_cache(maxsize=2048)
def path_expressions(pattern: str, roots: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """A path's pattern as expressions of real absolute paths; what lies in a folder that fits, fits too.

    As in a .gitignore: without a slash it is a name at any depth, with one it starts at a root;
    `*` stays within a name, `**` does not; one that begins with a slash is absolute.
    """
    body = pattern.rstrip("/") or "/"
    if body.startswith("/"):
        starts = ("",)
    elif body == ".":
        starts, body = roots, "/"
    elif "/" not in body:
        starts, body = ("**/",), f"/{body}"
    else:
        starts, body = roots, "/" + body.removeprefix("./")
    if starts == ("**/",):
        return (re.compile(f"(?s:.*){_translated(body)}(?:/.*)?", re.DOTALL),)
    return tuple(
        re.compile(f"{re.escape(start.rstrip('/'))}{_translated(body)}(?:/.*)?", re.DOTALL) for start in starts
    )


def _translated(pattern: str) -> str:
    """The regular expression of a pattern that begins with a slash; it takes no wrong turn twice."""
    blocks: list[list[str]] = [[]]
    for step in _STEP.findall(pattern):
        if step != ANY_FOLDERS:
            blocks[-1].append(_step(step))
        elif len(blocks) == 1 or blocks[-1]:
            blocks.append([])
    first, *rest = ("/".join(each) for each in blocks)
    made = f"/{first}" if first else ""
    for place, block in enumerate(rest, 1):
        if place < len(rest):
            made += f"(?>/(?:.*?/)??{block}(?=/))"
        else:
            made += f"/(?:.*/)?{block}" if block else "/.*"
    return made


def _step(step: str) -> str:
    """The regular expression of one name; of its stars each but the last stops at the first place that fits."""
    pieces, stars = [""], list[str]()
    for token in _TOKEN.findall(step):
        if token[0] == "*":
            stars.append(".*" if len(token) > 1 else "[^/]*")
            pieces.append("")
        else:
            pieces[-1] += _letter(token)
    if not stars:
        return pieces[0]
    first, *middle, last = pieces
    if ".*" in stars:  # beyond slashes; rules of files have no such pattern
        return first + "".join(f"{star}{piece}" for star, piece in zip(stars, (*middle, last), strict=True))
    found = "".join(f"(?>[^/]*?{each})" for each in middle)
    return f"(?>{first}{found}[^/]*{last}(?=/|\\Z))"


def _letter(token: str) -> str:
    if token == "?":
        return "[^/]"
    if len(token) == 1:
        return re.escape(token)
    inside = token[1:-1].replace("\\", "\\\\")
    return f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' else inside}]"


def path_fault(pattern: str) -> str:
    """Why this pattern never fits what it seems to say, for people; empty for a sound one."""
    steps = _STEP.findall(pattern)
    if pattern.startswith("~"):
        return "write the home folder out"
    if ".." in steps:
        return "a real path has no ..; name the folder itself"
    if any(ANY_FOLDERS in each and each != ANY_FOLDERS for each in steps):
        return "** stands alone between slashes, as in docs/**"
    try:
        path_expressions(pattern, ("/",))
    except re.error as error:
        return f"it is no pattern: {error}"
    return ""


def covers_path(fact: PathFact, patterns: Sequence[str], roots: tuple[str, ...]) -> bool:
    """Whether a permitting pattern covers where a path really leads."""
    return any(each.fullmatch(fact.real) for pattern in patterns for each in path_expressions(pattern, roots))


def names_path(fact: PathFact, patterns: Sequence[str], roots: tuple[str, ...]) -> bool:
    """Whether a pattern covers a path and speaks of it in particular: by its whole name, or by what protects it."""
    return any(
        (fact.hole and fact.hole.strip("/") in pattern) or not any(mark in pattern for mark in WILDCARDS)
        for pattern in patterns
        if covers_path(fact, (pattern,), roots)
    )


def forbids_path(fact: PathFact, patterns: tuple[str, ...], roots: tuple[str, ...]) -> bool:
    """Whether a forbidding pattern speaks of a path, by where it leads or by what it is called."""
    expression = _forbidding(patterns, roots)
    if expression.fullmatch(fact.real):
        return True
    return fact.asked != fact.real and expression.fullmatch(_plain(fact.asked)) is not None


@lru_cache(maxsize=2048)
def _forbidding(patterns: tuple[str, ...], roots: tuple[str, ...]) -> re.Pattern[str]:
    """All forbidding patterns of a rule as one expression."""
    each = (one for pattern in patterns for one in path_expressions(pattern if roots else _anywhere(pattern), roots))
    return re.compile("|".join(f"(?:{one.pattern})" for one in each), re.DOTALL)


_plain = lru_cache(maxsize=1024)(normpath)


def _anywhere(pattern: str) -> str:
    """A pattern that starts at a root, where no root is known."""
    return pattern if pattern.startswith("/") or "/" not in pattern.rstrip("/") else f"/**/{pattern.removeprefix('./')}"


def may_hold(folder: str, pattern: str, roots: tuple[str, ...]) -> bool:
    """Whether what a pattern speaks of may lie below a folder."""
    body = pattern.rstrip("/")
    if "/" not in body:
        return True
    for start in ("",) if body.startswith("/") else roots or ("",):
        sure = _without_wildcards(f"{start.rstrip('/')}/{body.removeprefix('./').lstrip('/')}")
        if is_below(sure, folder) or (is_below(folder, sure) and any(mark in body for mark in WILDCARDS)):
            return True
    return False


def lies_apart(pattern: str, reached: Sequence[str]) -> bool:
    """Whether all that a pattern speaks of lies outside these folders, and not around them."""
    if not pattern.startswith("/"):
        return False
    sure = _without_wildcards(pattern.rstrip("/"))
    return not any(is_below(sure, each) or is_below(each, sure) for each in reached)


def _without_wildcards(pattern: str) -> str:
    """The folders of a pattern down to the first that holds a wildcard."""
    steps: list[str] = []
    for step in pattern.split("/"):
        if any(mark in step for mark in WILDCARDS):
            break
        steps.append(step)
    return "/".join(steps) or "/"


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def argument_text(value: object) -> str:
    """What a pattern of an argument is tried on: a text as it is, else JSON without spaces; 5.0 is the number 5."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


@lru_cache(maxsize=512)
def value_expression(pattern: str) -> re.Pattern[str]:
    """An argument's pattern: wildcards of the whole text, or between slashes a regular expression of it."""
    if len(pattern) > 1 and pattern[0] == pattern[-1] == REGEX_MARK:
        return re.compile(f"(?:{pattern[1:-1]})")
    return re.compile(translate_name(pattern))


@lru_cache(maxsize=512)
def _loose_expression(pattern: str) -> re.Pattern[str]:
    return re.compile(translate_name(_loosely(pattern)))


def _loosely_fits(pattern: str, text: str) -> bool:
    return pattern[:1] != REGEX_MARK and _loose_expression(pattern).fullmatch(_loosely(text)) is not None


@lru_cache(maxsize=512)
def _loosely(text: str) -> str:
    return normalize("NFKC", text).casefold().strip()


def value_forbidden(value: object, pattern: str) -> bool | None:
    """Whether a word that forbids finds its pattern in a value; None where it is too long to say.

    Each element of a list or a mapping is looked at too. Case, blanks around and wide letters do
    not matter to wildcards; a regular expression is taken as it is written.
    """
    unsure = False
    for text in (argument_text(value), *leaves(value)):
        if len(text) > MOST_MATCHED:
            unsure = True
        elif value_expression(pattern).fullmatch(text) or _loosely_fits(pattern, text):
            return True
    return None if unsure else False


def leaves(value: object) -> Iterator[str]:
    """The text of everything that a list or a mapping holds, however deep; nothing for a plain value."""
    waiting = list(_children(value))
    while waiting:
        each = waiting.pop()
        within = list(_children(each))
        if within:
            waiting.extend(within)
        else:
            yield argument_text(each)


def _children(value: object) -> Iterable[object]:
    if is_object(value):
        return value.values()
    return value if is_array(value) else ()
