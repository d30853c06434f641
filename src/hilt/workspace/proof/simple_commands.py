"""Simple commands of a script: their words, what is set for them, and where their redirects lead."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hilt.calls.resolver import SimpleCommand
from hilt.policy.programs.words import Use, Word, names
from hilt.policy.programs.wrappers import HARMLESS_VARIABLES, harmless_assignment
from hilt.workspace.proof.builtins import RESERVED, filters, own_word, run_builtin
from hilt.workspace.proof.gathering import Invocation, Spot, is_shell, look_at_links, names_printed, take
from hilt.workspace.proof.places import place
from hilt.workspace.proof.script_words import Words
from hilt.workspace.proof.shell_state import After, Names, Shell, both

if TYPE_CHECKING:
    from tree_sitter import Node

_WORDS = names(
    "word number string raw_string concatenation ansi_c_string simple_expansion expansion command_substitution "
    "process_substitution arithmetic_expansion translated_string brace_expression extglob_pattern regex"
)
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})
_VIEWERS = {"GIT_PAGER": ("cat", ""), "PAGER": ("cat", ""), "GIT_EDITOR": ("true", ":"), "EDITOR": ("true", ":")}
_MARK = re.compile(r"(?:(?P<quote>['\"])|(?P<escape>\\))?(?P<name>\w+)(?(quote)(?P=quote))", re.ASCII)
_PLAINLY = re.compile(r"\$\{\w+\}", re.ASCII)
_EXPANDS = re.compile(r"`|\$[({\[]")


class Commands:
    """The simple commands of one text. `nested` lists those of a text that a shell is given as its script."""

    def __init__(self, words: Words, nested: Callable[[str, str, Shell], None]) -> None:
        self.words = words
        self.into = words.into
        self._nested = nested

    def command(self, node: "Node", shell: Shell, more: "Sequence[Node]" = (), body: "Node | None" = None) -> After:
        """One simple command; `more` are words that follow a redirect, `body` the text given to it."""
        words: list[Word] = []
        spots: list[Spot] = []
        for child in (*node.children, *more):
            self._part(child, shell, words, spots, node)
        if not words:
            return both(shell)
        self._check_name(node, words[0], spots[0])
        return self._take(words, spots, shell, body)

    def _part(self, child: "Node", shell: Shell, words: list[Word], spots: list[Spot], command: "Node") -> None:
        if child.type == "variable_assignment":
            self._prefix(child, shell, command)
        elif child.type == "file_redirect":
            for extra in self._redirect(child, shell):
                self._part(extra, shell, words, spots, command)
        elif child.type == "herestring_redirect":
            for value in child.named_children:
                self.words.of(value, shell)
        elif child.type in _WORDS or child.type == "command_name":
            found = self.words.of(child, shell)
            words += found
            spots += [self.words.spot(child.start_byte, child.type)] * len(found)
        else:
            self.words.doubt(child, f"{child.type} is not known to be harmless here")

    def _prefix(self, node: "Node", shell: Shell, command: "Node") -> None:
        """A variable set for one command."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = self.words.text(name) if name is not None else ""
        words = self.words.of(value, shell) if value is not None else [Word(text="", dashed=False)]
        called = command.child_by_field_name("name")
        reads = called is not None and self.words.text(called) == "read"
        quiet = len(words) == 1 and words[0].text in _VIEWERS.get(text, ())
        harmless = len(words) == 1 and harmless_assignment(text, words[0].text)
        if not harmless and not quiet and not (text == "IFS" and reads):
            self.words.doubt(node, f"the variable {text} may change what runs")

    def _check_name(self, node: "Node", word: Word, spot: Spot) -> None:
        named = node.child_by_field_name("name")
        if named is None:
            return
        raw = self.words.bytes[named.start_byte : named.end_byte].decode("utf-8", "replace").removeprefix("\\")
        if word.text is None or raw != word.text:
            self.into.doubt(spot, f"the program's name is written as {raw[:40]}, not plainly")
        elif word.text in RESERVED:
            self.into.doubt(spot, f"{word.text} is a word of the shell's own, out of place")
        elif not raw.isascii():
            points = " ".join(f"U+{ord(letter):04X}" for letter in raw if not letter.isascii())
            self.into.doubt(spot, f"the program's name holds {points}")

    def _take(self, words: Sequence[Word], spots: Sequence[Spot], shell: Shell, body: "Node | None" = None) -> After:
        invoked = Invocation(words=words, spots=spots, shell=shell)
        self.words.printed = None
        after = run_builtin(invoked, self.into)
        if after is not None:
            return after
        use = take(invoked, self.into)
        self.words.printed = self._printed(words, use, shell)
        script = use.script.text if use.script is not None else None
        if script is None and body is not None and is_shell(words):
            script = self.words.text(body).encode("latin-1").decode("utf-8", "replace")
        if script:
            self._nested(script, words[0].text or "", shell)
        return both(shell)

    def _printed(self, words: Sequence[Word], use: Use, shell: Shell) -> Names | None:
        if shell.input is not None and not use.reads and filters(words):
            return shell.input
        return names_printed(use, shell)

    def assignment(self, node: "Node", shell: Shell) -> After:
        """`name=value` alone: a variable of the script's own, or one known to be harmless."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = self.words.text(name) if name is not None else ""
        words = self.words.of(value, shell) if value is not None else [Word(text="", dashed=False)]
        plain = name is not None and name.type == "variable_name" and any(child.type == "=" for child in node.children)
        if not plain or len(words) != 1 or (value is not None and value.type == "array"):
            return unknown(self.words, node, shell)
        if own_word(text):
            return both(shell.with_variable(text, replace(words[0], glob="", many=False)))
        if not harmless_assignment(text, words[0].text):
            self.words.doubt(node, f"the variable {text} may change what runs")
        return both(shell.without(frozenset({text})))

    def assignments(self, node: "Node", shell: Shell) -> After:
        after = both(shell)
        for child in node.named_children:
            after = self.assignment(child, after.either)
        return after

    def declaration(self, node: "Node", shell: Shell) -> After:
        """`export NAME=value` of what is known to be harmless."""
        if node.children[0].type != "export":
            return unknown(self.words, node, shell)
        listed = SimpleCommand(words=("export", *(self.words.text(child) for child in node.children[1:])), folder=None)
        self.into.list(self.words.spot(node.start_byte, node.type), listed)
        for child in node.children[1:]:
            name = child.child_by_field_name("name") if child.type == "variable_assignment" else None
            if name is None or self.words.text(name) not in HARMLESS_VARIABLES:
                self.words.doubt(child, "only variables known to be harmless are exported")
            else:
                self.assignment(child, shell)
        return both(shell)

    def redirects(self, redirects: "list[Node]", shell: Shell) -> "tuple[Shell, list[Node], Node | None]":
        """The shell within, the words that stand behind a target, and the text of a here-document."""
        more: list[Node] = []
        text: Node | None = None
        inside = shell
        for redirect in redirects:
            if redirect.type == "file_redirect":
                more += self._redirect(redirect, shell)
                fed = any(child.type in ("<", "<>", "<&") for child in redirect.children)
            elif redirect.type == "heredoc_redirect":
                text, words = self._heredoc(redirect, shell)
                more += words
                fed = True
            else:
                self._part(redirect, shell, [], [], redirect)
                fed = True
            inside = replace(inside, input=None) if fed else inside
        return inside, more, text

    def _redirect(self, node: "Node", shell: Shell) -> "list[Node]":
        """Gather what a redirect touches; the words behind its target are the command's."""
        operators = [child.type for child in node.children if not child.is_named]
        targets = node.children_by_field_name("destination")
        operator = operators[0] if operators else ""
        if not targets:
            if operator not in ("<&-", ">&-"):
                self.words.doubt(node, "the target of this redirect is not found")
            return []
        first = targets[0]
        raw = self.words.text(first)
        if operator in (">&", "<&") and (raw.isdigit() or raw == "-"):
            self.words.check_end(first)
            return list(targets[1:])
        words = self.words.of(first, shell)
        spot = self.words.spot(first.start_byte, node.type)
        if len(words) != 1 or words[0].many or operator not in (*_WRITING, "<", ">&"):
            self.into.doubt(spot, f"where {operator or 'it'} leads is not known, or it may do more than read or write")
        elif operator == "<":
            self.into.read(place(words[0], shell.folders, self.into.resolve), spot)
            if words[0].found and shell.input is not None:
                look_at_links(shell.input, self.into, spot)
        elif words[0].text is None:
            self.into.doubt(spot, "which file it writes is known only when it runs")
        else:
            self.into.write(place(words[0], shell.folders, self.into.resolve), spot)
        return list(targets[1:])

    def _heredoc(self, node: "Node", shell: Shell) -> "tuple[Node | None, list[Node]]":
        """The text of a here-document, and words of the command that stand behind its mark."""
        body = next((child for child in node.children if child.type == "heredoc_body"), None)
        started = next((child for child in node.children if child.type == "heredoc_start"), None)
        ended = next((child for child in node.children if child.type == "heredoc_end"), None)
        marked = _MARK.fullmatch(self.words.text(started)) if started is not None else None
        if started is None or ended is None or marked is None or not self._closes(node, started, ended, marked["name"]):
            self.words.doubt(node, "where this text ends is not understood")
        elif (
            body is not None
            and not (marked["quote"] or marked["escape"])
            and _EXPANDS.search(_PLAINLY.sub("", self.words.text(body)))
        ):
            self.words.doubt(body, "what is expanded in this text may run commands")
            self.words.look_into(body, shell)
        more: list[Node] = []
        for child in node.children:
            if child.type == "file_redirect":
                more += self._redirect(child, shell)
            elif child.type in _WORDS:
                more.append(child)
        return body, more

    def _closes(self, node: "Node", started: "Node", ended: "Node", name: str) -> bool:
        """Whether the first line that is the mark is where the tree has the end, which it gets wrong at times."""
        source = self.words.source
        tabs = any(child.type == "<<-" for child in node.children)
        at = source.find("\n", started.end_byte)
        while at >= 0:
            stop = source.find("\n", at + 1)
            line = source[at + 1 : stop if stop >= 0 else len(source)]
            if (line.lstrip("\t") if tabs else line) == name:
                return ended.end_byte == at + 1 + len(line)
            at = stop
        return False

    def test(self, node: "Node", shell: Shell) -> After:
        opening = node.children[0].type
        if opening not in ("[", "[["):
            return unknown(self.words, node, shell)
        words, spots = self._split(node, shell)
        self._take(words, spots, shell)
        return both(shell)

    def _split(self, node: "Node", shell: Shell) -> tuple[list[Word], list[Spot]]:
        """The words of a test, which the tree has as an expression: what stands between blanks."""
        words: list[Word] = []
        spots: list[Spot] = []
        at, end = node.start_byte, node.end_byte
        while at < end:
            if self.words.source[at] in " \t\n":
                at += 1
                continue
            stop = self._word_end(node, at, end)
            spots.append(self.words.spot(at, node.type))
            text = self.words.source[at:stop]
            plain = text in ("[", "[[", "]", "]]", "!", "=", "==", "!=", "&&", "||")
            words.append(Word(text=text, dashed=False) if plain else self.words.read(node, at, stop, shell))
            at = stop
        return words, spots

    def _word_end(self, node: "Node", at: int, end: int) -> int:
        """The end of the word at a place: the first blank outside quotes and outside any node that holds it."""
        leaf = at
        while leaf < end and self.words.source[leaf] not in " \t\n":
            inner = node.descendant_for_byte_range(leaf, leaf + 1)
            while (
                inner is not None
                and inner.type not in ("string", "raw_string", "command_substitution")
                and inner != node
            ):
                inner = inner.parent
            leaf = inner.end_byte if inner is not None and inner != node and inner.end_byte > leaf else leaf + 1
        return leaf


def unknown(words: Words, node: "Node", shell: Shell) -> After:
    """What a node that is not understood leaves of what was known."""
    words.doubt(node, f"this {node.type} is not understood")
    return both(replace(shell, folders=None, variables={}))
