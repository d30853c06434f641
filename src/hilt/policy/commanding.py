"""Rules on commands: what one that forbids finds in a command line, and what one that permits covers of it.

A rule names a program and the words that must follow, such as `git push`. What forbids looks through
options, paths and wrappers; what permits wants exactly these words first.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from hilt.calls.resolver import SimpleCommand
from hilt.policy.facts import Facts

Speech = Literal["no", "maybe", "yes"]
PROGRAM_NODE = "program"
"""The construct of a doubt that concerns a program's own doing, which a person's leave for that program covers."""
PASSED_THROUGH = frozenset({"timeout", "nice", "ionice", "time", "nohup", "stdbuf", "setsid", "command", "chrt"})
"""Wrappers that run the same program in the same surroundings, so that leave for the program covers them."""
SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/")
ALWAYS_HARMLESS = frozenset({"cd", "echo", "printf", "pwd", "true", "false", ":"})
"""Programs that nobody need permit beside a permitted one; what they write is a path, and judged as such."""
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
    if len(tokens) == 1 and any(fnmatchcase(_base(each), tokens[0]) for each in command.wrappers):
        return "yes"
    if not command.words or command.words[0] is None:
        return "maybe"
    if not fnmatchcase(_base(command.words[0]), tokens[0]):
        return "no"
    return _follow(command.words[1:], tokens[1:])


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
    """Whether every program of a call is known, and covered by a permitting rule or harmless by itself."""
    permitted = [tokens_of(each) for each in prefixes]
    if not facts.commands:
        return False
    for command in facts.commands:
        if command.proved:
            continue
        if not command.commands or any(each.node != PROGRAM_NODE for each in command.unproved):
            return False
        if not all(_covered(each, permitted) for each in command.commands):
            return False
    return True


def _covered(command: SimpleCommand, permitted: Sequence[tuple[str, ...]]) -> bool:
    words = [word for word in command.words if word is not None]
    if len(words) != len(command.words) or any(_base(each) not in PASSED_THROUGH for each in command.wrappers):
        return False
    return any(_begins(words, tokens) for tokens in permitted) or words[0] in ALWAYS_HARMLESS


def _begins(words: Sequence[str], tokens: Sequence[str]) -> bool:
    if len(words) < len(tokens) or not tokens:
        return False
    programs = (tokens[0], *(f"{folder}{tokens[0]}" for folder in SYSTEM_FOLDERS))
    return words[0] in programs and tuple(words[1 : len(tokens)]) == tuple(tokens[1:])


def _base(word: str) -> str:
    return word.rpartition("/")[2]
