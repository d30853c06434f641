"""Changes of several files, worked out first and written at the end: what is shown is what will be written."""

import os
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from hilt.assembly.clients.files import Seen, look, writable, write
from hilt.results.secrets import mask_secrets

COVER = "[hilt masked: secret]"
SHORTEST_COVERED = 4
"""Characters of a secret that is covered: shorter ones stand in other words too."""


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
        """Every change as a unified diff, with what is secret covered."""
        return "".join(self._diff(Path(os.path.realpath(file)), file, secrets) for file in self.changed)

    def _diff(self, target: Path, file: Path, secrets: Sequence[str]) -> str:
        before, after = (_lines(each, secrets) for each in (self._seen[target].content, self._content[target]))
        names = (str(file) if self._seen[target].content is not None else "/dev/null"), str(file)
        if self._content[target] is None:
            names = str(file), "/dev/null"
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in unified_diff(before, after, *names)
        )

    def commit(self) -> Mapping[Path, Path]:
        """Write them; returns the copies of what was there, by file. Raises `ConfigError`."""
        changed = self.changed
        for file in changed:
            writable(self._seen[Path(os.path.realpath(file))])
        copies: dict[Path, Path] = {}
        for file in changed:
            target = Path(os.path.realpath(file))
            copy = write(self._seen[target], self._content[target], mode=self._modes.get(target))
            copies |= {file: copy} if copy else {}
        return copies


def _lines(content: bytes | None, secrets: Sequence[str]) -> list[str]:
    text = (content or b"").decode("utf-8", "replace")
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, COVER) if len(secret) >= SHORTEST_COVERED else text
    return mask_secrets(text)[0].splitlines(keepends=True)
