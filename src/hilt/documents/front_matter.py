"""YAML front matter between two lines of `---`: text stays text, each fault has its line.

Only strings, lists and maps exist here (pyyaml's BaseLoader): `on` is no truth and `1.10` no
number. Anchors, tags, keys that come twice and more than `DEEPEST` levels are refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from yaml import Event, Node

FENCE = "---"
MOST_BYTES = 16_000
"""Bytes of front matter; the format's own bounds come to about 2,000."""
DEEPEST = 8
MERGE = "<<"
"""The name under which YAML takes in the fields of another map; others would see a field here that we do not."""
FIRST_LINE = 2
"""The line of the file on which front matter begins, below its fence."""

Value = Union[str, list["Value"], dict[str, "Value"]]  # noqa: UP007  # a type that names itself takes no |


class BrokenFrontMatter(Exception):
    """What is wrong, on which line of the file, from 1, and what would mend it."""

    def __init__(self, line: int, problem: str, fix: str, *, plain_colon: bool = False) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.fix = fix
        self.plain_colon = plain_colon
        """Whether it is the colon in an unquoted text, which people write and YAML does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The fields in their order, each with its line, and where the body begins in the text."""

    fields: Mapping[str, Value]
    lines: Mapping[str, int] = field(default_factory=dict[str, int])


def split(text: str) -> tuple[str, str]:
    """The front matter's text and the body below it. Raises `BrokenFrontMatter`."""
    lines = [f"{line}\n" for line in text.split("\n")]
    if lines[0].rstrip() != FENCE:
        raise BrokenFrontMatter(1, "the file does not begin with front matter", f"begin it with a line {FENCE}")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise BrokenFrontMatter(1, "the front matter has no end", f"close it with a line {FENCE}")
    front = "".join(lines[1:end])
    if len(front.encode()) > MOST_BYTES:
        raise BrokenFrontMatter(
            end, f"the front matter has more than {MOST_BYTES:,} bytes", "move what is long into the body"
        )
    return front, "".join(lines[end + 1 :])[:-1]  # the last line has no end that is not in the text


def read_fields(front: str) -> FrontMatter:
    """The fields of front matter. Raises `BrokenFrontMatter`."""
    from yaml import YAMLError  # lazy: three hundredths of a second that only skills need

    try:
        node = _composed(front)
    except YAMLError as error:
        raise _broken(error, front) from None
    except RecursionError:
        raise BrokenFrontMatter(FIRST_LINE, f"it nests deeper than {DEEPEST} levels", "write it flat") from None
    if node is None:
        raise BrokenFrontMatter(FIRST_LINE, "the front matter is empty", "write name: and description:")
    fields = _value(node, 0)
    if not isinstance(fields, dict):
        raise BrokenFrontMatter(FIRST_LINE, "the front matter is no list of fields", "write each as name: value")
    return FrontMatter(fields=fields, lines={str(key.value): _line(key) for key, _ in node.value})


def _composed(front: str) -> "Node | None":
    from yaml import AliasEvent, BaseLoader

    yaml = import_module("yaml")  # by name: its functions have no types, so what they give is said here
    marked = "&" in front or "*" in front  # else there is neither, and reading it once is enough
    events: Iterable[Event] = yaml.parse(front, Loader=BaseLoader) if marked else ()
    for event in events:
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            raise BrokenFrontMatter(
                event.start_mark.line + FIRST_LINE,
                "it uses a YAML anchor or alias",
                "write the text out, in quotes if it begins with & or *",
            )
    node: Node | None = yaml.compose(front, Loader=BaseLoader)
    return node


def _value(node: "Node", depth: int) -> Value:
    from yaml import MappingNode, ScalarNode, SequenceNode

    if depth > DEEPEST:
        raise BrokenFrontMatter(_line(node), f"it nests deeper than {DEEPEST} levels", "write it flat")
    if isinstance(node, ScalarNode):
        return str(node.value)
    if isinstance(node, SequenceNode):
        return [_value(each, depth + 1) for each in node.value]
    found: dict[str, Value] = {}
    for key, value in node.value if isinstance(node, MappingNode) else ():
        name = key.value if isinstance(key, ScalarNode) else None
        if not isinstance(name, str):
            raise BrokenFrontMatter(_line(key), "a field's name is no text", "write each field as name: value")
        if name == MERGE:
            raise BrokenFrontMatter(_line(key), "it merges in fields with <<", "write each field out")
        if name in found:
            raise BrokenFrontMatter(_line(key), f"{name} is given twice", "keep one of them")
        found[name] = _value(value, depth + 1)
    return found


def _line(node: "Node") -> int:
    return node.start_mark.line + FIRST_LINE


def _broken(error: Exception, front: str) -> BrokenFrontMatter:
    """The parser's complaint in words, with the line of the file."""
    mark = getattr(error, "problem_mark", None)
    before = front.count("\n", 0, getattr(error, "position", 0))  # of a character that YAML does not take at all
    line = FIRST_LINE + (mark.line if mark is not None else before)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    if "mapping values are not allowed" in problem:
        fix = "put the text in quotes: a colon and a space end a name in YAML"
        return BrokenFrontMatter(line, "a colon in a text that is not quoted", fix, plain_colon=True)
    if "'\\t'" in problem:
        return BrokenFrontMatter(line, "a tab where YAML takes spaces only", "write spaces instead of it")
    return BrokenFrontMatter(
        line, f"it is not YAML: {problem}", "correct that line, in doubt with quotes around the text"
    )
