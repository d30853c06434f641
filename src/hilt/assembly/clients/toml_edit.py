"""TOML edited where it stands, by tomlkit; a new table goes to the end of the text."""

import re
import tomllib
from collections.abc import Mapping, Sequence

import tomlkit
from tomlkit.exceptions import TOMLKitError

from hilt.assembly.clients.broken import BrokenText
from hilt.declarations.schema import is_object

_WHERE = re.compile(r"at line (\d+)")


def read(text: str) -> Mapping[str, object]:
    """What a text says. Raises `BrokenText`."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _WHERE.search(str(error))
        problem = _WHERE.sub("", str(error)).replace(" (, column", " (column")
        raise BrokenText(problem, int(found[1]) if found else 0) from None


def put(text: str, path: Sequence[str], value: object) -> str:
    """The text with a table under these keys, which are made where they are missing. Raises `BrokenText`."""
    tree = read(text)
    there = _at(tree, path)
    if there == value:
        return text
    if there is not None:
        return _changed(text, path, value)
    if is_object(value) and _open(text, tree, path):
        return _appended(text, path, value)
    return _changed(text, path, value)


def remove(text: str, path: Sequence[str]) -> str:
    """The text without what stands under these keys; the same where nothing does. Raises `BrokenText`."""
    tree = read(text)
    if _at(tree, path) is None:
        return text
    left = _without(text, path)
    return left if _reads_as(left, tree, path) else _deleted(text, path)


def cut(text: str, path: Sequence[str]) -> str:
    """The lines of the tables under these keys; none where they are written otherwise. Raises `BrokenText`."""
    read(text)
    lines = text.splitlines(keepends=True)
    return "".join("".join(lines[start:end]) for start, end in _spans(lines, path))


def paste(text: str, path: Sequence[str], raw: str) -> str:
    """The text with tables at its end, written as they were cut out."""
    if not path or not text:
        return raw
    end = "\r\n" if "\r\n" in text else "\n"
    gap = end if text.endswith("\n") else end * 2
    return text + (gap + raw.lstrip("\r\n"))


def _without(text: str, path: Sequence[str]) -> str:
    """The text without the tables under these keys as they stand; comments before the next table stay."""
    lines = text.splitlines(keepends=True)
    for start, end in reversed(_spans(lines, path)):
        del lines[start:end]
    return "".join(lines)


def _spans(lines: Sequence[str], path: Sequence[str]) -> list[tuple[int, int]]:
    heads = [(place, keys) for place, line in enumerate(lines) if (keys := _keys(line))]
    return [
        _span(lines, at, heads[place + 1][0] if place + 1 < len(heads) else len(lines))
        for place, (at, keys) in enumerate(heads)
        if _below(keys, path)
    ]


def _below(keys: Sequence[str], path: Sequence[str]) -> bool:
    return [*keys[: len(path)]] == [*path]


def _span(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The lines of one table, with the blank one above where there is another below."""
    while end > start + 1 and (lines[end - 1].lstrip().startswith("#") or not lines[end - 1].strip()):
        end -= 1
    if start and not lines[start - 1].strip() and (end == len(lines) or not lines[end].strip()):
        start -= 1
    return start, end


def _keys(line: str) -> list[str]:
    """The keys of a table's header; none where the line is something else."""
    keys: list[str] = []
    try:
        node: object = tomllib.loads(line) if line.lstrip().startswith("[") else None
    except tomllib.TOMLDecodeError:
        return []
    while is_object(node) and node:
        key, node = next(iter(node.items()))
        keys.append(key)
    return keys


def _reads_as(text: str, tree: Mapping[str, object], path: Sequence[str]) -> bool:
    """Whether the text says all that the tree has, but for what is under these keys."""
    try:
        left = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return _pruned(left, path) == _pruned(tree, path) and _at(left, path) is None


def _pruned(tree: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """The tree without what is under these keys, and without tables that have nothing else."""
    left = dict(tree)
    inner = left.pop(path[0], None)
    if len(path) > 1 and is_object(inner) and (kept := _pruned(inner, path[1:])):
        left[path[0]] = kept
    elif len(path) > 1 and inner is not None and not is_object(inner):
        left[path[0]] = inner
    return left


def _deleted(text: str, path: Sequence[str]) -> str:
    document = tomlkit.parse(text)
    try:
        holder: object = document
        for key in path[:-1]:
            holder = holder[key]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType] - tomlkit's containers are mappings, its types say less
        del holder[path[-1]]  # pyright: ignore[reportIndexIssue] - as above
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, IndexError):
        raise BrokenText(f"{'.'.join(path)} is written in a way that cannot be taken out") from None


def _at(tree: object, path: Sequence[str]) -> object:
    for key in path:
        tree = tree.get(key) if is_object(tree) else None
    return tree


def _open(text: str, tree: object, path: Sequence[str]) -> bool:
    """Whether a header at the end may still add to the tables above: they are not written inline."""
    for depth in range(1, len(path)):
        node = _at(tree, path[:depth])
        if node is not None and not is_object(node):
            raise BrokenText(f"{'.'.join(path[:depth])} is not a table")
    try:
        tomllib.loads(f"{text}\n[{_header(path)}]\n")
    except tomllib.TOMLDecodeError:
        return False
    return True


def _header(path: Sequence[str]) -> str:
    return ".".join(tomlkit.key(each).as_string() for each in path)


def _appended(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else end if text.endswith("\n") else end * 2
    lines = [f"[{_header(path)}]", *_pairs(value)]
    for key, inner in value.items():
        if is_object(inner):
            lines += ["", f"[{_header([*path, key])}]", *_pairs(inner)]
    return text + gap + end.join(lines) + end


def _pairs(table: Mapping[str, object]) -> list[str]:
    """The plain values of a table, one a line."""
    plain = {key: each for key, each in table.items() if not is_object(each)}
    return tomlkit.dumps(plain).splitlines()


def _changed(text: str, path: Sequence[str], value: object) -> str:
    """A value put in the place of another, or into a table that is written inline."""
    document = tomlkit.parse(text)
    try:
        holder: object = document
        for key in path[:-1]:
            holder = holder[key]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType] - tomlkit's containers are mappings, its types say less
        holder[path[-1]] = value  # pyright: ignore[reportIndexIssue] - as above
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, IndexError):
        raise BrokenText(f"{'.'.join(path)} is written in a way that cannot be changed") from None
