"""Rules on commands: what one that forbids finds in a command line, and what one that permits covers of it.

A rule names a program and the words that must follow, such as `git push`. What forbids looks through
options, paths and wrappers; what permits wants exactly these words first.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from hilt.calls.resolver import SimpleCommand
from hilt.policy.facts import Facts
from hilt.policy.programs.judging import judge
from hilt.policy.programs.words import Word

Speech = Literal["no", "maybe", "yes"]
PASSED_THROUGH = frozenset({"timeout", "nice", "ionice", "time", "nohup", "stdbuf", "setsid", "command", "chrt"})
"""Wrappers that run the same program in the same surroundings, so that leave for the program covers them."""
SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/")
INCIDENTAL = frozenset({"cd", "echo", "pwd", "true", "false", ":"})
"""Programs that say nothing of what a command is about."""
SHORTEST_ABBREVIATION = 3
"""Characters of a long option, its dashes counted, by which programs may know it."""


@lru_cache(maxsize=1024)
def tokens_of(prefix: str) -> tuple[str, ...]:
    """The words of a rule's command."""
    return tuple(prefix.split())


def forbids_command(facts: Facts, prefixes: Sequence[str]) -> Speech:
    """Whether a call runs what a forbidding rule names; `maybe` where not all it runs is known."""
    found = [_finds(each, tokens_of(prefix)) for each in facts.programs for prefix in prefixes]
    if "yes" in found:
        return "yes"
    return "maybe" if facts.opaque or "maybe" in found else "no"


def _finds(command: SimpleCommand, tokens: tuple[str, ...]) -> Speech:
    program = _base(tokens[0])  # a rule may name where it lies; that does not tell it from another
    if len(tokens) == 1 and any(fnmatchcase(_base(each), program) for each in command.wrappers):
        return "yes"
    if not command.words or command.words[0] is None:
        return "maybe"
    if not fnmatchcase(_base(command.words[0]), program):
        return "no"
    found = _follow(command.words[1:], tokens[1:])
    return found if found != "no" else _apart(command.words[1:], tokens[1:])


def _apart(words: Sequence[str | None], tokens: Sequence[str]) -> Speech:
    """Whether words hold the letters of `-rf` in several options; `maybe` where long ones begin with such a letter."""
    clusters = [each for each in tokens if _CLUSTER.fullmatch(each)]
    others = [each for each in tokens if each not in clusters]
    if not clusters or _follow(words, others) == "no":
        return "no"
    wanted = set("".join(clusters)) - {"-"}
    short = set("".join(word for word in words if word and _CLUSTER.fullmatch(word)))
    long = {word[2] for word in words if word and word.startswith("--") and len(word) > SHORTEST_ABBREVIATION}
    return "yes" if wanted <= short else "maybe" if wanted <= short | long else "no"


def _follow(words: Sequence[str | None], tokens: Sequence[str]) -> Speech:
    """Whether the words have these tokens in this order, with nothing between them but options and their values."""
    if not tokens:
        return "yes"
    after_option = False
    for place, word in enumerate(words):
        if word is None:
            return "maybe"
        if _same(word, tokens[0]):
            rest = _follow(words[place + 1 :], tokens[1:])
            if rest != "no":
                return rest
        if not word.startswith("-") and not after_option and not tokens[0].startswith("-"):
            return "no"
        after_option = word.startswith("-") and "=" not in word
    return "no"


def _same(word: str, token: str) -> bool:
    if fnmatchcase(word, token):
        return True
    option = word.partition("=")[0]
    if not token.startswith("--") or not option.startswith("--"):
        return _in_cluster(word, token)
    return len(option) >= SHORTEST_ABBREVIATION and token.startswith(option)


def _in_cluster(word: str, token: str) -> bool:
    """Whether `-rf` holds what `-r` or `-fr` names."""
    return (
        len(token) > 1
        and token[0] == "-" != token[1]
        and word[:1] == "-" != word[1:2]
        and all(letter in word[1:] for letter in token[1:])
    )


def permits_commands(facts: Facts, prefixes: Iterable[str]) -> bool:
    """Whether a rule permits a program of the call, and every other is permitted or harmless by itself, and known."""
    permitted = [tokens_of(each) for each in prefixes]
    if not any(_permitted(each, permitted) for each in facts.programs):
        return False
    for command in facts.commands:
        if command.proved:
            continue
        if not command.commands or any(not each.own for each in command.unproved):
            return False
        if not all(_permitted(each, permitted) or _harmless(each, command.commands) for each in command.commands):
            return False
    return True


def _permitted(command: SimpleCommand, permitted: Sequence[tuple[str, ...]]) -> bool:
    return _known(command) and any(_begins(command.words, tokens) for tokens in permitted)


def _harmless(command: SimpleCommand, beside: Sequence[SimpleCommand]) -> bool:
    """Whether a program needs no leave: it only says something, or only starts one that is judged by itself."""
    if not _known(command):
        return False
    if command.words[0] in INCIDENTAL or any(_starts(command, each) for each in beside if each.wrappers):
        return True
    use = judge([Word(text=word, dashed=word.startswith("-")) for word in command.words if word is not None])
    return not use.doubts and use.script is None


def _starts(command: SimpleCommand, inner: SimpleCommand) -> bool:
    """Whether a wrapper starts just this program, with nothing but a duration, a signal or a priority of its own."""
    wrapper, own = command.words[0], command.words[1 : len(command.words) - len(inner.words)]
    if wrapper is None or _base(wrapper) not in PASSED_THROUGH or command.words != (wrapper, *own, *inner.words):
        return False
    return all(word is not None and _WRAPPERS_OWN.fullmatch(word) for word in own)


def _known(command: SimpleCommand) -> bool:
    """Whether every word is known, and nothing around the program changes what it does."""
    words = command.words
    return bool(words) and None not in words and all(_base(each) in PASSED_THROUGH for each in command.wrappers)


def _begins(words: Sequence[str | None], tokens: Sequence[str]) -> bool:
    if len(words) < len(tokens) or not tokens:
        return False
    programs = (tokens[0], *(f"{folder}{tokens[0]}" for folder in SYSTEM_FOLDERS))
    return words[0] in programs and tuple(words[1 : len(tokens)]) == tuple(tokens[1:])


def _base(word: str) -> str:
    return word.rpartition("/")[2]


_CLUSTER = re.compile(r"-[A-Za-z0-9]{1,4}")
_WRAPPERS_OWN = re.compile(
    r"-?\d+(\.\d+)?[smhd]?|-[nkps]|(SIG)?(TERM|KILL|INT|HUP)|-[ioe][L0]|--preserve-status|--foreground|-p"
)
