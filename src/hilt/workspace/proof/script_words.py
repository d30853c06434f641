"""The words of a script: what each comes to, with the commands that a substitution in it runs."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hilt.policy.programs.words import Word
from hilt.workspace.proof.decoding import Reader, Undecoded, unbraced
from hilt.workspace.proof.gathering import Gathered, Spot, look_at_links
from hilt.workspace.proof.shell_state import After, Names, Shell

if TYPE_CHECKING:
    from tree_sitter import Node

SKIPPED = frozenset({"comment", "heredoc_body", "heredoc_start", "heredoc_end"})
_NAMES_A_DESCRIPTOR = re.compile(r"\{.*\}|\d+", re.DOTALL)
_AFTER_A_WORD = frozenset(("", *" \t\n;&|<>()`\\"))


class Words:
    """The words of one text. `run` runs what a substitution holds; `printed` is what the last command's lines name."""

    def __init__(
        self,
        source: bytes,
        into: Gathered,
        run: "Callable[[Sequence[Node], Shell], After]",
        look_into: "Callable[[Node, Shell], None]",
    ) -> None:
        self.bytes = source
        self.source = source.decode("latin-1")
        self.into = into
        self.printed: Names | None = None
        self._run = run
        self.look_into = look_into

    def text(self, node: "Node") -> str:
        """The characters of a node, one for each byte."""
        return self.source[node.start_byte : node.end_byte]

    def spot(self, at: int, node: str) -> Spot:
        before = self.bytes[:at]
        line = before.rpartition(b"\n")[2]
        return Spot(node=node, line=before.count(b"\n") + 1, column=len(line.decode("utf-8", "replace")) + 1)

    def doubt(self, node: "Node", reason: str) -> None:
        self.into.doubt(self.spot(node.start_byte, node.type), reason)

    def of(self, node: "Node", shell: Shell) -> list[Word]:
        """What a word comes to: one, or several where literal braces say so."""
        start, end = node.start_byte, node.end_byte
        self.check_end(node)
        several = unbraced(self.source, start, end)
        if several is not None and node.type != "command_name":
            return [self._plain(node, each, shell) for each in several]
        return [self.read(node, start, end, shell)]

    def check_end(self, node: "Node") -> None:
        """A word ends where the shell ends it."""
        if self.source[node.end_byte : node.end_byte + 1] not in _AFTER_A_WORD:
            self.into.doubt(self.spot(node.end_byte, node.type), "the word goes on here for the shell")
        elif self.source[node.end_byte : node.end_byte + 1] in ("<", ">") and _NAMES_A_DESCRIPTOR.fullmatch(
            self.text(node)
        ):
            self.into.doubt(
                self.spot(node.start_byte, node.type), "this names a variable or descriptor of the redirect"
            )

    def _plain(self, node: "Node", text: str, shell: Shell) -> Word:
        """One of the words that braces made, in which patterns may be left."""
        if "{" in text:
            told = text.encode("latin-1").decode("utf-8", "surrogateescape")
            plain = not set(text) & set("*?[")
            return Word(text=told if plain else None, dashed=told.startswith("-"), many=not plain)
        reader = Reader(text, 0, len(text), shell.variables, lambda _: None)
        return self._decoded(node, reader, shell)

    def read(self, node: "Node", start: int, end: int, shell: Shell) -> Word:
        reader = Reader(self.source, start, end, shell.variables, lambda at: self._substituted(node, at, shell))
        return self._decoded(node, reader, shell)

    def _decoded(self, node: "Node", reader: Reader, shell: Shell) -> Word:
        try:
            return reader.word()
        except Undecoded as undecoded:
            self.into.doubt(self.spot(max(undecoded.at, node.start_byte), undecoded.node), undecoded.reason)
            self.look_into(node, shell)
            return Word(many=True)

    def _substituted(self, node: "Node", at: int, shell: Shell) -> "tuple[int, Word] | None":
        """A substitution at a place: its commands run in a shell of their own, and its output is a word."""
        inner = node.descendant_for_byte_range(at, at + 1)
        while inner is not None and inner.type not in ("command_substitution", "process_substitution"):
            inner = inner.parent if inner != node else None
        if inner is None or inner.start_byte != at:
            return None
        opening = inner.children[0].type
        if opening not in ("$(", "<("):
            return None
        outer, self.printed = self.printed, None
        self._run(inner.children, shell)
        one = [child for child in inner.named_children if child.type not in SKIPPED]
        printed = self.printed if len(one) == 1 and one[0].type in ("command", "pipeline") else None
        self.printed = outer
        if opening == "<(":
            return inner.end_byte, Word(found=True, dashed=False)
        if printed is not None:
            look_at_links(printed, self.into, self.spot(at, inner.type))
        return inner.end_byte, Word(found=printed is not None, dashed=printed is None or printed.dashed)
