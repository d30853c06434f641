"""The grammar of shell text, kept once for all who read it."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # lazy: only what reads a command line needs it
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def parse(source: bytes) -> "Node":
    """The root of the tree of shell text; where it is no shell text, the tree has errors."""
    return _parser().parse(source).root_node
