"""What is printed where: the answer on stdout, everything else on stderr.

Colour and progress only where a person watches; JSON is one object with `schema_version`.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from hilt.cli.faults import CommandError, Fault, report
from hilt.results.envelope import SCHEMA_VERSION

When = Literal["auto", "always", "never"]
_COLOURS = {"strong": "1", "dim": "2", "good": "32", "bad": "31", "warn": "33", "link": "36"}
DEFAULT_WIDTH = 100
_shown: list[str] = []  # the line of progress that stands on the terminal, of which there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """Where one verb speaks, as its common options say."""

    json: bool = False
    quiet: bool = False
    verbose: int = 0
    file: Path | None = None
    no_input: bool = False
    color: When = "auto"

    def answer(self, document: Mapping[str, object], text: str | Callable[[], str]) -> None:
        """The answer: `document` with --json, else `text`."""
        if self.json:
            versioned = document if "schema_version" in document else {"schema_version": SCHEMA_VERSION, **document}
            self._put(json.dumps(versioned, ensure_ascii=False, default=str))
        else:
            self._put(text if isinstance(text, str) else text())

    def note(self, text: str) -> None:
        """Something beside the answer, for people; not with -q, nor with --json, whose readers want errors alone."""
        if not self.quiet and not self.json:
            sys.stderr.write(f"{self.paint('note:', 'dim', sys.stderr)} {text}\n")
            sys.stderr.flush()

    def fault(self, fault: Fault) -> int:
        """An error that does not end the command; returns its exit code."""
        return report(fault, as_json=self.json)

    def progress(self, text: str) -> None:
        """One line that the next one replaces, on a terminal only; an empty text takes it away."""
        if self.quiet or self.json or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return
        if text or _shown:
            sys.stderr.write(f"\r\x1b[K{text[: self.width - 1]}")
            sys.stderr.flush()
        _shown[:] = [text] if text else []

    @property
    def width(self) -> int:
        """Columns of the terminal, or a readable width where there is none."""
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
        except (OSError, ValueError):
            return DEFAULT_WIDTH

    @property
    def watched(self) -> bool:
        """Whether a person reads the answer on a terminal."""
        return self.file is None and sys.stdout.isatty()

    @property
    def asks(self) -> bool:
        """Whether a person is there to be asked."""
        return not (self.no_input or self.json) and sys.stdin.isatty() and sys.stderr.isatty()

    def paint(self, text: str, tone: str, stream: TextIO | None = None) -> str:
        """`text` in a colour, where colours are wanted and shown."""
        if not text or not self._colours(stream or sys.stdout):
            return text
        return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m"

    def _colours(self, stream: TextIO) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR") or os.environ.get("HILT_NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
            return True
        shown = stream is sys.stderr or self.file is None
        return shown and stream.isatty() and os.environ.get("TERM") != "dumb"

    def _put(self, text: str) -> None:
        """UTF-8 whatever the locale; half a surrogate pair becomes its escape, which JSON reads back."""
        content = (text if text.endswith("\n") else f"{text}\n").encode("utf-8", "backslashreplace")
        if self.file is not None:
            _write(self.file, content)
            return
        sys.stdout.flush()
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(content.decode("utf-8"))
        else:
            binary.write(content)
        sys.stdout.flush()


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error.strerror}", "name a file in a folder you can write to: -o FILE"
        ) from None
