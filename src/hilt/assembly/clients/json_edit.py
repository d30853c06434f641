"""JSON edited where it stands: a few characters change, and comments, order, blanks and line ends around them stay."""

import json
import re
from collections.abc import Sequence

from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.json_text import Item, Node, read, skip

USUAL_INDENT = "  "
BLANKS = " \t\r\n"
_INDENT = re.compile(r"^(\t+| +)(?=\S)", re.MULTILINE)


def put(text: str, path: Sequence[str], value: object) -> str:
    """The text with `value` under these keys, which are made where they are missing. Raises `BrokenText`."""
    node, left = _reached(text, path)
    if node is None:
        return _started(text, _nested(left, value))
    if not left:
        return text[: node.start] + _drawn(text, value, node, _depth_of(text, node)) + text[node.end :]
    if node.kind == "plain" and node.value is None:
        nested = _nested(left, value)
        return text[: node.start] + _drawn(text, nested, node, _depth_of(text, node)) + text[node.end :]
    if node.kind != "object":
        raise _unfit(text, node, path[: -len(left)])
    return _inserted(text, node, left[0], _nested(left[1:], value))


def append(text: str, path: Sequence[str], value: object) -> str:
    """The text with `value` at the end of the array under these keys. Raises `BrokenText`."""
    node, left = _reached(text, path)
    if node is None or left:
        return put(text, path, [value])
    if node.kind != "array":
        raise BrokenText(f"{'.'.join(path)} is no array", _line(text, node.start))
    return _inserted(text, node, None, value)


def remove(text: str, path: Sequence[str]) -> str:
    """The text without what stands under these keys; the same where nothing does. Raises `BrokenText`."""
    holder, left = _reached(text, path[:-1])
    if holder is None or left:
        return text
    found = [place for place, item in enumerate(holder.items) if item.key == path[-1]]
    if len(found) > 1:
        raise _twice(text, holder.items[found[1]])
    return _without(text, holder, found[0]) if found else text


def cut(text: str, path: Sequence[str]) -> str:
    """The characters of the value under these keys; none where there is none. Raises `BrokenText`."""
    node, left = _reached(text, path)
    return "" if node is None or left else text[node.start : node.end]


def paste(text: str, path: Sequence[str], raw: str) -> str:
    """The text with a value under these keys, written as it was cut out. Raises `BrokenText`."""
    text = put(text, path, None)
    node, _ = _reached(text, path)
    return text if node is None else text[: node.start] + raw + text[node.end :]


def take(text: str, path: Sequence[str], value: object) -> str:
    """The text without the first item of this value in the array under these keys. Raises `BrokenText`."""
    holder, left = _reached(text, path)
    if holder is None or left:
        return text
    found = [place for place, item in enumerate(holder.items) if item.key is None and item.node.value == value]
    return _without(text, holder, found[0]) if found else text


def _reached(text: str, path: Sequence[str]) -> tuple[Node | None, Sequence[str]]:
    """The deepest value under these keys that is there, and the keys that are not."""
    node = read(text, path)
    for place, key in enumerate(path):
        items = [each for each in node.items if each.key == key] if node else []
        if len(items) > 1:
            raise _twice(text, items[1])
        if not items:
            return node, path[place:]
        node = items[0].node
    return node, ()


def _twice(text: str, item: Item) -> BrokenText:
    return BrokenText(f'"{item.key}" stands twice in one object; keep one', _line(text, item.start))


def _unfit(text: str, node: Node, path: Sequence[str]) -> BrokenText:
    where = f'"{".".join(path)}"' if path else "the whole"
    return BrokenText(f"{where} is not an object", _line(text, node.start))


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _started(text: str, value: object) -> str:
    """A text that had no value, with one behind its comments."""
    end = _newline(text)
    before = f"{text.rstrip(BLANKS)}{end}" if text.strip(BLANKS) else ""
    return before + json.dumps(value, indent=2, ensure_ascii=False).replace("\n", end) + end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """What one step of indentation is here."""
    found = _INDENT.search(text)
    return USUAL_INDENT if found is None else "\t" if found[0].startswith("\t") else found[0]


def _depth_of(text: str, node: Node) -> str:
    """The blanks that the line on which a value begins starts with."""
    start = max(text.rfind("\n", 0, node.start), text.rfind("\r", 0, node.start)) + 1
    return text[start : node.start][: len(text[start : node.start]) - len(text[start : node.start].lstrip(" \t"))]


def _flat(text: str, node: Node) -> bool:
    """Whether a container is written on one line, and so what is added to it."""
    return bool(node.items) and "\n" not in text[node.start : node.items[0].start]


def _drawn(text: str, value: object, within: Node, indent: str) -> str:
    """A value as text, in the manner of what stands around it."""
    if _flat(text, within) or ("\n" not in text and text.strip() not in ("", "{}")):
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _inserted(text: str, holder: Node, key: str | None, value: object) -> str:
    """One more item at the end of an object or array."""
    own = _depth_of(text, holder)
    last = holder.items[-1] if holder.items else None
    flat = _flat(text, holder) or (last is None and "\n" not in text and text.strip() != "{}")
    indent = _depth_of(text, last.node) if last and not flat else own + _unit(text)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    drawn = name + _drawn(text, value, holder, indent)
    lead = ("" if last is None else " ") if flat else _newline(text) + indent
    if last is None:
        return _first(text, holder, lead + drawn, "" if flat else _newline(text) + own)
    end = max(last.node.end, last.comma + 1)
    closing = holder.end - 1
    at = end + len(text[end:closing].rstrip(BLANKS))  # behind the comments that stand there
    lead = lead if at == end else _newline(text) + indent  # one of them may reach to the end of its line
    comma = "," if last.comma >= 0 else ""
    before = text[:end] if comma else f"{text[:end]},"
    return f"{before}{text[end:at]}{lead}{drawn}{comma}{text[at:]}"


def _first(text: str, holder: Node, drawn: str, close: str) -> str:
    """The first item of an empty container, behind the comments that may stand in it."""
    inside = text[holder.start + 1 : holder.end - 1].rstrip(BLANKS)
    return text[: holder.start + 1] + inside + drawn + close + text[holder.end - 1 :]


def _without(text: str, holder: Node, place: int) -> str:
    """The text without one item, its comma, its line, and a comment behind it on that line."""
    item, last = holder.items[place], place == len(holder.items) - 1
    end = _line_comment(text, item.comma + 1 if item.comma >= 0 else item.node.end)
    before = holder.items[place - 1] if place else None
    start = _led(text, holder.start + 1 if before is None else max(before.node.end, before.comma + 1), item.start, end)
    if place == 0 and not last and "\n" not in text[start : item.start]:
        start, end = item.start, end + len(text[end:]) - len(text[end:].lstrip(" \t"))
    if last and place > 0 and item.comma < 0:
        comma = holder.items[place - 1].comma
        return text[:comma] + text[comma + 1 : start] + text[end:]
    if len(holder.items) == 1 and not text[holder.start + 1 : start].strip() and not text[end : holder.end - 1].strip():
        return text[: holder.start + 1] + text[holder.end - 1 :]
    return text[:start] + text[end:]


def _led(text: str, after: int, place: int, end: int) -> int:
    """Where the blanks before an item begin, with the line end before them if it is first on its line.

    That line end stays where it ends a comment too, and something else stands behind the item on its line.
    """
    start = len(text[:place].rstrip(" \t"))
    ends_comment = "//" in text[after:start] and not text[end:].lstrip(" \t").startswith(("\r", "\n"))
    if text[:start].endswith("\n") and not ends_comment:
        return start - (2 if text[:start].endswith("\r\n") else 1)
    return start


def _line_comment(text: str, place: int) -> int:
    """Behind a comment that ends the same line, else the same place."""
    blank = place + len(text[place:]) - len(text[place:].lstrip(" \t"))
    if not text.startswith(("//", "/*"), blank):
        return place
    end = text.find("*/", blank) + 2 if text.startswith("/*", blank) else len(text)
    stop = min(each for each in (text.find("\n", blank), text.find("\r", blank), len(text)) if each >= 0)
    return min(end, stop) if skip(text, place) >= stop else place
