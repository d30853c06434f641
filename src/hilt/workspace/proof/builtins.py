"""Commands that change the shell itself: its folder, its variables, its end."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hilt.calls.resolver import SimpleCommand
from hilt.policy.programs.words import Word, names
from hilt.workspace.proof.gathering import Gathered, Invocation, texts_of
from hilt.workspace.proof.shell_state import After, both

RESERVED = names("if then elif else fi case esac for select while until do done in function { } ! [[ ]] coproc")
_OWN = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
_NOT_OWN = frozenset({"_", "histchars", "auto_resume"})
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=|\b(?:for|select)\s+([A-Za-z_]\w*)", re.ASCII)
_READ = re.compile(r"\b(?:read|mapfile|readarray|getopts|printf|unset|declare|local)\b([^;\n|&<>]*)", re.ASCII)
_MOVES = re.compile(r"\b(?:cd|pushd|popd)\b")
_READ_VALUES = frozenset({"-d", "-n", "-N", "-p", "-t"})
_NO_ODDITIES = frozenset("viEFwxPae")


def own_word(name: str) -> bool:
    """Whether a variable is the script's own: no program looks at names like it."""
    return _OWN.fullmatch(name) is not None and name not in _NOT_OWN and not name.endswith("_proxy")


def assigned_names(text: str) -> frozenset[str]:
    """Variables that a piece of script may set, and rather too many; `cd` where it may change the folder."""
    found = {name for pair in _ASSIGNED.findall(text) for name in pair if name}
    found |= {word.strip("\"'") for words in _READ.findall(text) for word in words.split()}
    return frozenset(found | ({"cd"} if _MOVES.search(text) else set()))


def run_builtin(invoked: Invocation, into: Gathered) -> After | None:
    """What is known of the shell after one of these; None for any other command."""
    known = _BUILTINS.get(invoked.words[0].text or "")
    if known is None:
        return None
    folders = invoked.shell.folders
    folder = folders[0] if folders and len(folders) == 1 else None
    into.list(invoked.spots[0], SimpleCommand(words=texts_of(invoked.words), folder=folder))
    return known(invoked, into)


def _cd(invoked: Invocation, into: Gathered) -> After:
    shell = invoked.shell
    operands = [word for word in invoked.words[1:] if word.text != "--"]
    lost = After(success=replace(shell, folders=None), failure=shell)
    text = operands[0].text if len(operands) == 1 else None
    if (
        text is not None
        and ".." in text.split("/")
        and any(_elsewhere(text, each, into) for each in shell.folders or ("/",))
    ):
        return lost
    if text is not None and text.startswith("/"):
        return After(success=replace(shell, folders=(os.path.normpath(text),)), failure=shell)
    if text is None or text.startswith("-") or shell.folders is None:
        return lost
    folders = shell.folders
    if ".." in text.split("/") and any(into.resolve(folder).real != folder for folder in folders):
        return lost
    moved = tuple(dict.fromkeys(os.path.normpath(os.path.join(folder, text)) for folder in folders))
    return After(success=replace(shell, folders=moved), failure=shell)


def _elsewhere(text: str, folder: str, into: Gathered) -> bool:
    """Whether a path with `..` leads elsewhere by its links than by its spelling: the shell tries both."""
    path = os.path.join(folder, text)
    return into.resolve(path).real != into.resolve(os.path.normpath(path)).real


def _exit(invoked: Invocation, into: Gathered) -> After:
    """It ends the shell, unless its words are wrong."""
    rest = invoked.words[1:]
    if rest and (len(rest) > 1 or not (rest[0].text or "").isdigit()):
        into.doubt(invoked.spots[0], "it ends the shell only with one number")
        return both(invoked.shell)
    return After(success=replace(invoked.shell, folders=()), failure=invoked.shell)  # a redirect may fail before


def _read(invoked: Invocation, into: Gathered) -> After:
    shell = invoked.shell
    names: list[str] = []
    whole = True
    at = 1
    while at < len(invoked.words):
        text = invoked.words[at].text
        if text in _READ_VALUES:
            at += 1
            whole = whole and text == "-d" and at < len(invoked.words) and invoked.words[at].text == ""
        elif text is None or not (text in ("-r", "-s", "-rs") or own_word(text)):
            into.doubt(invoked.spots[at], "which variable it sets is not settled, or may change what runs")
        elif own_word(text):
            names.append(text)
        at += 1
    given = shell.input
    word = Word() if given is None or not whole or len(names) > 1 else Word(found=True, dashed=given.dashed)
    for name in names:
        shell = shell.with_variable(name, word)
    return both(shell)


def _nothing(invoked: Invocation, into: Gathered) -> After:
    """`break` and `continue`: what is known of a loop holds for any of its rounds."""
    return both(invoked.shell)


_BUILTINS: Mapping[str, Callable[[Invocation, Gathered], After]] = {
    "cd": _cd,
    "exit": _exit,
    "read": _read,
    "break": _nothing,
    "continue": _nothing,
}


def _plain_grep(words: Sequence[Word]) -> bool:
    dashed = [word.text for word in words[1:] if word.text is None or word.text.startswith("-")]
    return all(text and set(text[1:]) <= _NO_ODDITIES for text in dashed)


def _no_options(words: Sequence[Word]) -> bool:
    return all(word.text and not word.text.startswith("-") for word in words[1:])


FILTERS: Mapping[str, Callable[[Sequence[Word]], bool]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _plain_grep),
    **dict.fromkeys(("head", "tail", "sort"), lambda words: "-c" not in texts_of(words)),
    **dict.fromkeys(("cat", "uniq", "tac"), _no_options),
}
"""Programs that, of lines they are given, print some, and change none."""


def filters(words: Sequence[Word]) -> bool:
    """Whether a command only lets some of its input's lines through."""
    check = FILTERS.get(words[0].text or "")
    return check is not None and check(words)
