"""Changes of several files, worked out first and written at the end: what is shown is what will be written."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from hilt.assembly.clients import forms
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.files import Seen, look, writable, write
from hilt.assembly.secret_values import COVER, SHORTEST, in_tree
from hilt.declarations.characters import shown
from hilt.errors import ConfigError
from hilt.results.secrets import mask_secrets

FORMS: Mapping[str, forms.Form] = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}

LONGEST_LINE = 10_000
"""Characters of a line that a diff shows: some programs write all they know on one."""


class HalfDone(ConfigError):
    """Some files are written, and could not be put back."""


class Drafts:
    """Files as they will be. They are written in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._seen: dict[Path, Seen] = {}
        self._content: dict[Path, bytes | None] = {}
        self._modes: dict[Path, int] = {}

    def content(self, file: Path) -> bytes | None:
        """What a file holds, or will hold; None where there is none. Raises `ConfigError`."""
        return self._content[self._known(file)]

    def put(self, file: Path, content: bytes | None, *, mode: int | None = None) -> None:
        """What a file is to hold; None takes it away. `mode` where it is not to keep its own."""
        target = self._known(file)
        self._content[target] = content
        if mode is not None:
            self._modes[target] = mode

    def mode(self, file: Path) -> int | None:
        """The mode of a file as it is; None where there is none."""
        return self._seen[self._known(file)].mode

    def _known(self, file: Path) -> Path:
        target = Path(os.path.realpath(file))
        if target not in self._seen:
            self._seen[target] = look(file)
            self._content[target] = self._seen[target].content
        return target

    @property
    def changed(self) -> Sequence[Path]:
        """The files that will be another."""
        return [
            seen.file
            for target, seen in self._seen.items()
            if self._content[target] != seen.content
            or (self._modes.get(target, seen.mode) != seen.mode and self._content[target] is not None)
        ]

    def diff(self, secrets: Sequence[str] = ()) -> str:
        """Every change as a unified diff, with what is secret covered, also in what stands around a change."""
        return "".join(self._diff(Path(os.path.realpath(file)), file, secrets) for file in self.changed)

    def _diff(self, target: Path, file: Path, secrets: Sequence[str]) -> str:
        before, after = self._seen[target].content, self._content[target]
        names = (str(file) if before is not None else "/dev/null"), (str(file) if after is not None else "/dev/null")
        lines = list(unified_diff(_lines(before), _lines(after), *names))
        found = [*secrets, *_secrets(before, file), *_secrets(after, file)]
        return _covered("".join(_line(each) for each in lines), found)

    def commit(self) -> Mapping[Path, Path]:
        """Write them; returns the copies of what was there, by file. Raises `ConfigError`."""
        self.ready()
        copies: dict[Path, Path] = {}
        written: list[Path] = []
        for file in self.changed:
            target = Path(os.path.realpath(file))
            try:
                copy = write(self._seen[target], self._content[target], mode=self._modes.get(target))
            except ConfigError as fault:
                raise self._taken_back(fault, written) from None
            written.append(target)
            copies |= {file: copy} if copy else {}
        return copies

    def ready(self) -> None:
        """Raise `ConfigError` where one of them may not be written: nothing is to be begun that cannot be ended."""
        for file in self.changed:
            writable(self._seen[Path(os.path.realpath(file))])

    def _taken_back(self, fault: ConfigError, written: Sequence[Path]) -> ConfigError:
        """What was written before a fault is as it was; where even that fails, it is said."""
        left: list[str] = []
        for target in reversed(written):
            seen = self._seen[target]
            try:
                write(look(seen.file), seen.content, mode=seen.mode, copied=False)
            except ConfigError:
                left.append(str(seen.file))
        if not left:
            return fault
        return HalfDone(f"{fault.problem}; {', '.join(left)} is written already", *fault.next_steps, "hilt release")


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8", "replace")
    return re.findall(r"[^\n]*\n|[^\n]+", mask_secrets(text)[0])


def _line(line: str) -> str:
    """A line of a diff that does nothing to a terminal."""
    text, end = (line[:-1], "\n") if line.endswith("\n") else (line, "\n\\ No newline at end of file\n")
    if len(text) > LONGEST_LINE:
        return (
            f"{text[:1]}[hilt: a line of {len(text) - 1:,} characters, more than {LONGEST_LINE:,}, is not shown]{end}"
        )
    carriage = "\r" if text.endswith("\r") else ""
    return shown(text.removesuffix("\r")).replace("\r", "<U+000D>") + carriage + end


def _secrets(content: bytes | None, file: Path) -> list[str]:
    """What looks secret in a file; nothing where it cannot be read as what its name says."""
    form = FORMS.get(file.suffix, "json")
    try:
        return list(in_tree(forms.read(content or b"", form)))
    except (BrokenText, RecursionError):
        return []


def _covered(text: str, secrets: Sequence[str]) -> str:
    """A text without these values, however each is written: as it is, escaped, on several lines, masked in part."""
    ways = {way for each in secrets for way in _ways(each) if len(way) >= SHORTEST and way in text}
    for way in sorted(ways, key=len, reverse=True):
        text = re.sub(rf"(?<![^\W_]){re.escape(way)}(?![^\W_])", COVER, text)
    return text


def _ways(secret: str) -> Iterator[str]:
    for each in (secret, mask_secrets(secret)[0]):
        yield from (each, *map(str.strip, each.splitlines()))
        yield from (json.dumps(each)[1:-1], json.dumps(each, ensure_ascii=False)[1:-1])
