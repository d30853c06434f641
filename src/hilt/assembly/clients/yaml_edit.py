"""YAML edited where it stands. PyYAML says where each value begins and ends, so no second library writes the file anew.

A mapping and a list of named items are the same here: the item `- name: x` stands under the key `x`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from hilt.assembly.clients.broken import BrokenText

NAME = "name"
BLOCKS = ("|", ">")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a mapping or of a list of named items, from its key or dash; `value` is what is edited."""

    name: str
    start: yaml.Mark
    value: yaml.Node


def read(text: str) -> object:
    """What a text says, None where it says nothing. Raises `BrokenText`."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else None
        raise BrokenText(problem or "it cannot be read", mark.line + 1 if mark else 0) from None


def put(text: str, path: Sequence[str], value: object) -> str:
    """The text with `value` under these keys, which are made where they are missing. Raises `BrokenText`."""
    root = _composed(text)
    if root is None or _empty(root):
        return _lines(text, len(text), _drawn(_nested(path, value), "", text))
    holder, entry, left = _reached(root, path)
    if not left and entry is not None:
        if _within_flow(text, holder):
            return text[: entry.value.start_mark.index] + json.dumps(value) + text[entry.value.end_mark.index :]
        text = remove(text, path)
        return put(text, path, value)
    return _added(text, holder, entry, left[0], _nested(left[1:], value))


def remove(text: str, path: Sequence[str]) -> str:
    """The text without what stands under these keys; the same where nothing does. Raises `BrokenText`."""
    root = _composed(text)
    if root is None:
        return text
    holder, entry, left = _reached(root, path)
    return text if left or entry is None else _without(text, holder, entry)


def cut(text: str, path: Sequence[str]) -> str:
    """The lines of the entry under these keys; none where it stands among others on a line. Raises `BrokenText`."""
    root = _composed(text)
    holder, entry, left = (root, None, path) if root is None else _reached(root, path)
    if holder is None or entry is None or left or _within_flow(text, holder):
        return ""
    return text[text.rfind("\n", 0, entry.start.index) + 1 : _end(text, entry.value)]


def paste(text: str, path: Sequence[str], raw: str) -> str:
    """The text with an entry behind the others of its container, written as it was cut out. Raises `BrokenText`."""
    root = _composed(text)
    if root is None:
        return text
    holder, entry, left = _reached(root, path[:-1])
    inside = entry.value if entry else holder
    if left or _empty(inside) or _within_flow(text, inside):
        return text
    return _lines(text, _end(text, inside), raw)


def _composed(text: str) -> yaml.Node | None:
    read(text)
    return yaml.SafeLoader(text).get_single_node()


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.start_mark.index == node.end_mark.index


def _reached(root: yaml.Node, path: Sequence[str]) -> tuple[yaml.Node, Entry | None, Sequence[str]]:
    """The container of the deepest entry under these keys, that entry, and the keys that are not there."""
    holder, last = root, None
    for place, key in enumerate(path):
        inside = last.value if last else root
        if last is not None and _empty(inside):
            return holder, last, path[place:]
        found = [each for each in _entries(inside) if each.name == key]
        if len(found) > 1:
            raise BrokenText(f"{key} stands twice; keep one", found[1].start.line + 1)
        if not found:
            return (holder, last, path[place:]) if last else (root, None, path[place:])
        if found[0].value.start_mark.index < found[0].start.index:
            raise BrokenText(f"{key} is an alias of another value", found[0].start.line + 1)
        holder, last = inside, found[0]
    return holder, last, ()


def _entries(node: yaml.Node) -> list[Entry]:
    if isinstance(node, yaml.MappingNode):
        return [Entry(name=str(key.value), start=key.start_mark, value=value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [
            Entry(name=str(value.value), start=item.start_mark, value=item)
            for item in node.value
            if isinstance(item, yaml.MappingNode)
            for key, value in item.value
            if key.value == NAME
        ]
    raise BrokenText("a mapping was expected", node.start_mark.line + 1)


def _within_flow(text: str, holder: yaml.Node) -> bool:
    return bool(getattr(holder, "flow_style", False)) and text[holder.start_mark.index] in "{["


def _added(text: str, holder: yaml.Node, entry: Entry | None, key: str, value: object) -> str:
    """One more entry in the container that `entry` holds, or in the root."""
    inside = entry.value if entry else holder
    if entry is not None and (_empty(inside) or text[inside.start_mark.index : inside.end_mark.index] in ("{}", "[]")):
        return _in_empty(text, entry, key, value, flow=_within_flow(text, holder))
    if _within_flow(text, inside):
        named = value if isinstance(inside, yaml.SequenceNode) else {key: value}
        drawn = json.dumps(named) if isinstance(inside, yaml.SequenceNode) else json.dumps(named)[1:-1]
        end = inside.end_mark.index - 1
        body = text[:end].rstrip()
        return f"{body}{'' if body.endswith((',', '{', '[')) else ','} {drawn}{text[end:]}"
    first = _entries(inside)
    column = first[0].start.column if first else inside.start_mark.column
    if isinstance(inside, yaml.SequenceNode):
        column = inside.start_mark.column
        return _lines(text, _end(text, inside), _drawn([value], " " * column, text))
    return _lines(text, _end(text, inside), _drawn({key: value}, " " * column, text))


def _in_empty(text: str, entry: Entry, key: str, value: object, *, flow: bool) -> str:
    """The first entry of a container that is written as nothing, as {} or as []."""
    start, end = entry.value.start_mark.index, entry.value.end_mark.index
    listed = text[start:end] == "[]"
    if flow:
        return (
            f"{text[:start]}{' ' if start == end else ''}{json.dumps([value] if listed else {key: value})}{text[end:]}"
        )
    drawn = _drawn([value] if listed else {key: value}, " " * (entry.start.column + 2), text)
    line = _line_end(text, end)
    return _lines(
        text[:start].rstrip(" ") + text[end:line] + text[line:], line - (end - start) - _blanks(text, start), drawn
    )


def _blanks(text: str, place: int) -> int:
    return place - len(text[:place].rstrip(" "))


def _drawn(value: object, indent: str, text: str) -> str:
    """A value as block lines, each ended as the lines of the text are."""
    lines = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000).splitlines()
    end = "\r\n" if "\r\n" in text else "\n"
    return "".join(f"{indent}{line}{end}" for line in lines)


def _lines(text: str, place: int, drawn: str) -> str:
    """The text with whole lines put in at `place`, which begins a line or ends the last one."""
    before = text[:place]
    gap = "" if not before or before.endswith("\n") else "\r\n" if "\r\n" in text else "\n"
    return before + gap + drawn + text[place:]


def _end(text: str, node: yaml.Node) -> int:
    """Behind the line on which a value ends; blank lines and comments that follow do not belong to it."""
    if not _within_flow(text, node):
        if isinstance(node, yaml.MappingNode) and node.value:
            key, last = node.value[-1]
            aliased = last.start_mark.index < key.start_mark.index  # where it was named first is elsewhere
            return _line_end(text, key.end_mark.index) if aliased else _end(text, last)
        if (
            isinstance(node, yaml.SequenceNode)
            and node.value
            and node.value[-1].start_mark.index > node.start_mark.index
        ):
            return _end(text, node.value[-1])
    end = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in BLOCKS:
        end = len(text[:end].rstrip())
    return _line_end(text, end)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _without(text: str, holder: yaml.Node, entry: Entry) -> str:
    """The text without one entry, and with {} or [] where it was the only one."""
    entries = _entries(holder)
    place = next(index for index, each in enumerate(entries) if each.start.index == entry.start.index)
    if _within_flow(text, holder):
        start, end = entry.start.index, entry.value.end_mark.index
        if place + 1 < len(entries):
            end = entries[place + 1].start.index
        elif place:
            start = entries[place - 1].value.end_mark.index
        elif text[end : holder.end_mark.index].lstrip().startswith(","):
            end = text.index(",", end) + 1
        return text[:start] + text[end:]
    start = text.rfind("\n", 0, entry.start.index) + 1
    end = _end(text, entry.value)
    if len(holder.value) > 1:
        return text[:start] + text[end:]
    above = len(text[:start].rstrip())
    empty = "[]" if isinstance(holder, yaml.SequenceNode) else "{}"
    if not text[:start].strip():
        return text[:start] + text[end:]
    return _emptied(text, above, start, end, f" {empty}")


def _emptied(text: str, above: int, start: int, end: int, empty: str) -> str:
    """Nothing left below a key: it says so, for a key without a value means something else to some programs."""
    line = text[text.rfind("\n", 0, above) + 1 : above]
    if not line.rstrip().endswith(":"):  # a comment stands between
        return _lines(text[:start] + text[end:], start, _drawn({} if "{" in empty else [], " ", text))
    return text[:above] + empty + text[above:start] + text[end:]
