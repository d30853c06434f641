"""The formats of clients' files as one: bytes in, bytes out, and proof that what was not meant stayed as it was."""

import codecs
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from hilt.assembly.clients import json_edit, json_text, toml_edit, yaml_edit
from hilt.assembly.clients.broken import BrokenText
from hilt.declarations.schema import is_array, is_object

Form = Literal["json", "toml", "yaml"]
Path = Sequence[str]


def read(content: bytes, form: Form) -> object:
    """What a file says, None where it says nothing. Raises `BrokenText`."""
    return _read(_text(content)[1], form)


def entries(content: bytes, form: Form, path: Path) -> dict[str, object]:
    """The named entries below these keys: of a table, or of a list whose items have names. Raises `BrokenText`."""
    node = _at(read(content, form), path)
    if is_array(node):
        return {name: each for each in node if is_object(each) and isinstance(name := each.get("name"), str)}
    if node is not None and not is_object(node):
        raise BrokenText(f"{'.'.join(path)} does not hold entries with names")
    return {name: each for name, each in (node or {}).items() if _is_text(name)}


def _is_text(name: object) -> bool:
    """Whether a key is a text: YAML has others, which name no server."""
    return isinstance(name, str)


def put(content: bytes, form: Form, path: Path, value: Mapping[str, object], *, listed: bool = False) -> bytes:
    """The file with one entry under these keys; `listed` where the entries are a list. Raises `BrokenText`."""
    tree = read(content, form)
    if _at(tree, path) == value:
        return content
    holder = _at(tree, path[:-1])
    if listed and form == "yaml" and not holder and not is_array(holder):
        return _edited(content, form, path[:-1], [value], lambda text: yaml_edit.put(text, path[:-1], [value]))
    edit = {"json": json_edit.put, "toml": toml_edit.put, "yaml": yaml_edit.put}[form]
    return _edited(content, form, path, value, lambda text: edit(text, path, value))


def cut(content: bytes, form: Form, path: Path) -> str:
    """How an entry is written, to be pasted again. Raises `BrokenText`."""
    text = _text(content)[1]
    return {"json": json_edit.cut, "toml": toml_edit.cut, "yaml": yaml_edit.cut}[form](text, path)


def paste(
    content: bytes, form: Form, path: Path, raw: str, value: Mapping[str, object], *, listed: bool = False
) -> bytes:
    """The file with one entry, written as it was where that reads as `value`. Raises `BrokenText`."""
    edit = {"json": json_edit.paste, "toml": toml_edit.paste, "yaml": yaml_edit.paste}[form]
    try:
        return _edited(content, form, path, value, lambda text: edit(text, path, raw))
    except BrokenText:
        return put(content, form, path, value, listed=listed)


def remove(content: bytes, form: Form, path: Path) -> bytes:
    """The file without one entry. Raises `BrokenText`."""
    edit = {"json": json_edit.remove, "toml": toml_edit.remove, "yaml": yaml_edit.remove}[form]
    return _edited(content, form, path, None, lambda text: edit(text, path))


def append(content: bytes, path: Path, value: object) -> bytes:
    """A JSON file with one more value in an array; the same where it is there. Raises `BrokenText`."""
    there = _at(read(content, "json"), path)
    if is_array(there) and value in there:
        return content
    wanted = [*(there if is_array(there) else ()), value]
    return _edited(content, "json", path, wanted, lambda text: json_edit.append(text, path, value))


def take(content: bytes, path: Path, value: object) -> bytes:
    """A JSON file without one value of an array. Raises `BrokenText`."""
    there = _at(read(content, "json"), path)
    if not is_array(there) or value not in there:
        return content
    wanted = list(there)
    wanted.remove(value)
    return _edited(content, "json", path, wanted, lambda text: json_edit.take(text, path, value))


def _edited(content: bytes, form: Form, path: Path, wanted: object, edit: Callable[[str], str]) -> bytes:
    """The edited file. An edit that reads as anything but what was wanted is not handed out."""
    mark, text = _text(content)
    before = _read(text, form)
    done = edit(text)
    try:
        after = _trimmed(_read(done, form), path[:-1])
    except BrokenText:
        after = None
    if not _same(after, _trimmed(_changed(before, path, wanted), path[:-1])):
        raise BrokenText(f"{'.'.join(path)} cannot be edited without changing something else")
    return mark + done.encode("utf-8")


def _same(one: object, other: object) -> bool:
    try:
        return one == other
    except RecursionError:
        raise BrokenText("it holds an alias of itself, or is nested too deeply") from None


def _text(content: bytes) -> tuple[bytes, str]:
    """The mark that some editors write first, and the text behind it."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, content[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenText("it is not UTF-8", content.count(b"\n", 0, error.start) + 1) from None


def _read(text: str, form: Form) -> object:
    if form == "toml":
        return toml_edit.read(text)
    if form == "yaml":
        return yaml_edit.read(text)
    node = json_text.read(text)
    return node.value if node else None


def _at(tree: object, path: Path) -> object:
    for key in path:
        tree = _entry(tree, key)
    return tree


def _entry(tree: object, key: str) -> object:
    if is_array(tree):
        return next((each for each in tree if is_object(each) and each.get("name") == key), None)
    return tree.get(key) if is_object(tree) else None


def _changed(tree: object, path: Path, wanted: object) -> object:
    """The value a text must have after the edit: `wanted` under the keys, or nothing there where it is None."""
    if is_array(tree):
        kept = [each for each in tree if not (is_object(each) and each.get("name") == path[0])]
        return kept if wanted is None else [*kept, wanted]
    table = dict(tree) if is_object(tree) else {}
    if len(path) > 1:
        table[path[0]] = _changed(table.get(path[0]), path[1:], wanted)
    elif wanted is None:
        table.pop(path[0], None)
    else:
        table[path[0]] = wanted
    return table


def _trimmed(tree: object, path: Path) -> object:
    """The tree without tables along these keys in which nothing is left: the formats differ in whether they stay."""
    if not is_object(tree):
        return tree or {}
    table = dict(tree)
    if path and path[0] in table:
        inner = _trimmed(table[path[0]], path[1:])
        table.pop(path[0])
        table |= {path[0]: inner} if inner else {}
    return table
