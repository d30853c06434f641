"""From the words of a command to what it would do: the one place that knows all tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.checking import read_checker
from hilt.policy.programs.drivers import read_driver
from hilt.policy.programs.git import read_git
from hilt.policy.programs.options import Table, files_of_options, read_words
from hilt.policy.programs.reading import ASKED_FOR_VERSION, READING, SAYING
from hilt.policy.programs.sayings import SAYING_THEIR_OWN, read_test_brackets
from hilt.policy.programs.searching import SEARCHING, read_find
from hilt.policy.programs.streams import STREAMS
from hilt.policy.programs.words import Reader, Use, Word, doubtful
from hilt.policy.programs.wrappers import WRAPPERS, peel, peel_eval, peel_shell, peel_xargs
from hilt.policy.programs.writing import WRITING

SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")
TABLES: Mapping[str, Table] = {**READING, **SAYING}
READERS: Mapping[str, Reader] = {
    **SAYING_THEIR_OWN,
    **SEARCHING,
    **STREAMS,
    **WRITING,
    "git": read_git,
    "[[": read_test_brackets,
    "eval": peel_eval,
}
UNKNOWN = Word()
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "fish"})


def judge(words: Sequence[Word], *, given: Word = UNKNOWN) -> Use:
    """What a command would do. `given` is what is known of a line of its input, for `xargs`."""
    name = words[0].text
    if name is None:
        return doubtful(0, "which program this is, is known only when it runs")
    plain = plain_name(name)
    if not plain:
        return doubtful(0, f"{name} is no program whose options are known, or not where it lies")
    if len(words) == 2 and words[1].text in ASKED_FOR_VERSION.get(plain, ()):
        return Use()
    return _by_name(plain, (Word(text=plain, dashed=False), *words[1:]), given)


def plain_name(name: str) -> str:
    """The name a program is looked up by; empty for one that may be anything."""
    for folder in SYSTEM_FOLDERS:
        name = name.removeprefix(folder)
    return name if name and "/" not in name and name.isascii() and name.isprintable() and " " not in name else ""


def _letters_of_tree(words: Sequence[Word], use: Use) -> Use:
    """`tree` takes what follows a letter with a value as more letters: `-Lo 1 FILE` writes."""
    odd = any(_TREE_LETTERS.match(word.text or "") for word in words[1:])
    return (
        replace(use, doubts=(*use.doubts, *doubtful(0, "these letters are read in another way").doubts)) if odd else use
    )


_TREE_LETTERS = re.compile(r"-[A-Za-z]*[LPI][^0-9]")
_ODD: Mapping[str, Callable[[Sequence[Word], Use], Use]] = {
    "strings": files_of_options,
    "readelf": files_of_options,
    "tree": _letters_of_tree,
}


def _by_name(name: str, words: Sequence[Word], given: Word) -> Use:
    if name in TABLES:
        use = read_words(TABLES[name], words)
        return _ODD[name](words, use) if name in _ODD else use
    if name in READERS:
        return READERS[name](words)
    return read_checker(name, words) or _running(name, words, given) or _driven(name, words)


def _running(name: str, words: Sequence[Word], given: Word) -> Use | None:
    """What a program that runs others would do; None for any other."""
    if name == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return Use()
    if name == "find":
        return read_find(words, judge)
    if name == "xargs":
        return peel_xargs(words, judge, given=given)
    if name in WRAPPERS:
        return peel(words, judge)
    return peel_shell(words) if name in SHELLS else None


def _driven(name: str, words: Sequence[Word]) -> Use:
    return read_driver(name, words) or doubtful(0, f"{name} is not among the programs known to be harmless")
