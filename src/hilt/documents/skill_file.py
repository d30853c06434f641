"""`SKILL.md`, the published Agent Skills format: bytes in, a skill or what is wrong with it out.

What is broken fails closed: there is no half-read skill. One thing is read that YAML refuses, an
unquoted description with a colon in it, and told; never in a file that restricts anything.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from hilt.documents.front_matter import BrokenFrontMatter, FrontMatter, Value, read_fields, split

SKILL_FILE = "SKILL.md"
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
SKILL_BYTES = 256_000
"""The largest SKILL.md that is read; the format advises a body of fewer than 20,000."""

RESTRICTIONS = ("allowed-tools", "disable-model-invocation")
"""Fields that narrow what a skill may do: a file that has one is read as YAML says or not at all."""
KNOWN = ("name", "description", "license", "compatibility", "metadata", *RESTRICTIONS)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DESCRIPTION = re.compile(r"(?m)^description:[ ]+(?P<text>[^\s\"'|>&*!%@`{\[#].*(?:\n[ ]+\S.*)*)$")
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
"""What can make a description read otherwise than it stands in the list: controls, turned direction, tags."""
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """One skill as its file says. `allowed_tools` is None where the file names none.

    `repairs` tell what was read otherwise than YAML has it, `notes` what was not used.
    """

    name: str
    description: str
    body: str
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    allowed_tools: tuple[str, ...] | None = None
    for_people_only: bool = False
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_skill(content: bytes, folder: str) -> SkillFile:
    """The skill in these bytes, which lie in a folder of this name. Raises `BrokenFrontMatter`."""
    if len(content) > SKILL_BYTES:
        raise BrokenFrontMatter(
            1,
            f"the file has more than {SKILL_BYTES:,} bytes",
            "move parts of it to files beside it, such as references/",
        )
    front, body = split(_text(content))
    notes: list[str] = []
    repairs: tuple[str, ...] = ()
    try:
        found = read_fields(front)
    except BrokenFrontMatter as error:
        found = _with_colon(front, error)
        colon = f"its description holds a colon that YAML takes in quotes only (line {error.line})"
        repairs = (f"{colon}; read as it is written",)
    _misspelt(found)
    return SkillFile(
        name=_name(found, folder),
        description=_described(found),
        body=body,
        license=_optional(found, "license"),
        compatibility=_optional(found, "compatibility", LONGEST_COMPATIBILITY),
        metadata=_metadata(found, notes),
        allowed_tools=_allowed_tools(found),
        for_people_only=_for_people_only(found),
        repairs=repairs,
        notes=(*notes, *_unused(found)),
    )


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BrokenFrontMatter(line, "it is not UTF-8", "save it as UTF-8") from None


def _with_colon(front: str, error: BrokenFrontMatter) -> FrontMatter:
    """The fields of front matter whose only fault is a colon in an unquoted description; else `error` again."""
    match = _DESCRIPTION.search(front) if error.plain_colon else None
    text = " ".join(match["text"].split()) if match else ""
    if match is None or ": " not in text or " #" in text:
        raise error
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    lines = "\n" * match["text"].count("\n")  # so that lines below keep their numbers
    try:
        found = read_fields(front[: match.start("text")] + quoted + lines + front[match.end("text") :])
    except BrokenFrontMatter:
        raise error from None
    if any(_folded(name) in RESTRICTIONS for name in found.fields):
        raise error
    return found


def _folded(name: str) -> str:
    """The known field that a name means, however it is put together: `allowedTools`, `Allowed Tools`; else itself."""
    return _BY_LETTERS.get(_letters(name), name)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).lower()))


_BY_LETTERS = {_letters(name): name for name in KNOWN}


def _misspelt(found: FrontMatter) -> None:
    """Refuse a known field written otherwise: `allowed_tools` would be a restriction that nobody reads."""
    for name in found.fields:
        if name not in KNOWN and _folded(name) in KNOWN:
            _break(found, name, f"there is no field {name}", f"write {_folded(name)}")


def _name(found: FrontMatter, folder: str) -> str:
    name = _required(found, "name")
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        _break(
            found,
            "name",
            f"the name {name[:LONGEST_NAME]!r} is not of the form",
            f"write 1 to {LONGEST_NAME} lower-case letters, digits and single hyphens between them",
        )
    if name != folder:
        _break(found, "name", f"the name {name} is not that of its folder, {folder}", "rename one of them")
    return name


def _described(found: FrontMatter) -> str:
    text = " ".join(_required(found, "description").split())
    if len(text) > LONGEST_DESCRIPTION:
        _break(
            found,
            "description",
            f"the description has {len(text):,} characters; the longest is {LONGEST_DESCRIPTION:,}",
            "say what and when, and leave the rest to the body",
        )
    hidden = _HIDDEN.search(text)
    if hidden is not None:
        number = ord(hidden.group())
        what = f"U+{number:04X} {unicodedata.name(hidden.group(), 'a control character')}"
        _break(found, "description", f"the description holds {what}, which nobody sees", "take it out")
    return text


def _required(found: FrontMatter, name: str) -> str:
    text = _optional(found, name)
    if not text.strip():
        _break(
            found, name, f"{name} is missing" if name not in found.fields else f"{name} is empty", f"write {name}: ..."
        )
    return text


def _optional(found: FrontMatter, name: str, longest: int | None = None) -> str:
    value = found.fields.get(name, "")
    if not isinstance(value, str):
        _break(found, name, f"{name} is a {_kind(value)}, not text", f"write {name}: and the text in quotes")
    if longest is not None and len(value) > longest:
        _break(found, name, f"{name} has {len(value):,} characters; the longest is {longest:,}", "shorten it")
    return value


def _kind(value: Value) -> str:
    return "list" if isinstance(value, list) else "map"


def _metadata(found: FrontMatter, notes: list[str]) -> Mapping[str, str]:
    value = found.fields.get("metadata", {})
    if isinstance(value, str) and not value.strip():
        return {}
    if not isinstance(value, dict):
        _break(found, "metadata", "metadata is no map", "write its fields below it, indented")
    left_out = [key for key, each in value.items() if not isinstance(each, str)]
    if left_out:
        notes.append(f"metadata {', '.join(left_out)}: no text, left out")
    return {key: each for key, each in value.items() if isinstance(each, str)}


def _allowed_tools(found: FrontMatter) -> tuple[str, ...] | None:
    """Names separated by spaces, also by commas or as a list, as files in the wild have them."""
    value = found.fields.get("allowed-tools")
    if value is None:
        return None
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, dict) or not all(isinstance(each, str) for each in texts):
        _break(found, "allowed-tools", "allowed-tools is no list of names", "write the names with spaces between them")
    return tuple(tool for text in texts for tool in _TOOL.findall(str(text)))


def _for_people_only(found: FrontMatter) -> bool:
    value = found.fields.get("disable-model-invocation", "")
    word = value.strip().lower() if isinstance(value, str) else None
    if word not in (*_YES, *_NO):
        name = "disable-model-invocation"
        _break(found, name, f"{name} is neither true nor false", "write true or false")
    return word in _YES


def _unused(found: FrontMatter) -> tuple[str, ...]:
    others = [name for name in found.fields if name not in KNOWN]
    return (f"not of the format and not used: {', '.join(others)}",) if others else ()


def _break(found: FrontMatter, name: str, problem: str, fix: str) -> NoReturn:
    raise BrokenFrontMatter(found.lines.get(name, 1), problem, fix)
