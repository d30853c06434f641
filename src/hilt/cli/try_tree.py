"""What `hilt try` asks about: a code base that is already here, and a name in it, found by counting.

The choice is computed anew from whatever tree there is, the same for the same tree. It is made by
ripgrep alone, so that the tools meet the tree first when the model does.
"""

import builtins
import os
import re
import subprocess
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.cli.faults import Code, CommandError
from hilt.workspace.search.program import ERROR_CODE, program

LANGUAGE = "py"
PAGE = 10
"""Matching lines of one page in the story: the name must fill one page and not a third."""
FILES = range(4, 13)
"""Files that name it: enough to be a question, few enough for one screen."""
FEWEST_HANDLERS = 2
MANY_FILES = 1_000
_DEFINED = r"^class (\w{8,}(?:Error|Exception|Timeout|Failure))\b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A tree, how many files it has, and the error class that is asked about."""

    tree: Path
    files: int
    name: str

    @property
    def named(self) -> str:
        """The pattern of a line that names it."""
        return rf"\b{self.name}\b"

    @property
    def handled(self) -> str:
        """The pattern of a line that handles it."""
        return rf"\bexcept\b.*\b{self.name}\b"

    @property
    def question(self) -> str:
        """What the person asks."""
        return f"Where is {self.name} handled?"


def installed_packages() -> Path:
    """A real code base that every installation has: the packages beside Hilt."""
    return Path(sysconfig.get_path("purelib"))


def choose(tree: Path) -> Subject:
    """An error class defined once and named in several files. Raises `CommandError` where the tree has none."""
    files = sum(len(names) for _, _, names in os.walk(tree))
    candidates = {name: lines for name, lines in _named(tree, _defined_once(tree)).items() if _fits(lines)}
    handlers = _handlers(tree, sorted(candidates))
    best = sorted(
        (len(_projects(lines)) > 1, -len(_files(handlers[name])), name)
        for name, lines in candidates.items()
        if len(handlers[name]) >= FEWEST_HANDLERS
    )
    if not best:
        raise CommandError(
            f"none of the {files:,} files below {tree} defines an error class that several others name",
            "name another code base in Python: hilt try DIR",
            code=Code.NO_VERDICT,
            label="no_subject",
        )
    return Subject(tree=tree, files=files, name=best[0][2])


def matching_lines(tree: Path, pattern: str) -> set[tuple[str, int, str]]:
    """Every line of the tree that matches, as path below the tree, number, text: ripgrep, asked directly."""
    return set(_split(_ripgrep(tree, ["--line-number", f"--regexp={pattern}"])))


Lines = set[tuple[str, int]]


def _fits(lines: Lines) -> bool:
    return len(_files(lines)) in FILES and PAGE < len(lines) <= 2 * PAGE


def _files(lines: Lines) -> set[str]:
    return {path for path, _ in lines}


def _projects(lines: Lines) -> set[str]:
    """Top folders that name it: in one project a name is one thing, across several it may be another's."""
    return {path.removeprefix("./").partition("/")[0] for path, _ in lines}


def _defined_once(tree: Path) -> list[str]:
    found = _ripgrep(tree, ["--no-filename", "--no-line-number", "--only-matching", "--replace=$1", f"-e{_DEFINED}"])
    return sorted(name for name, times in Counter(found).items() if times == 1 and not hasattr(builtins, name))


def _named(tree: Path, names: Sequence[str]) -> dict[str, Lines]:
    """The lines that hold each name as a whole word."""
    options = ["--line-number", "--only-matching", "--word-regexp", "--fixed-strings", "--file=-"]
    lines: dict[str, Lines] = defaultdict(set)
    for path, number, name in _split(_ripgrep(tree, options, names)):
        lines[name].add((path, number))
    return lines


def _handlers(tree: Path, names: Sequence[str]) -> dict[str, Lines]:
    handlers: dict[str, Lines] = defaultdict(set)
    if names:
        for path, number, text in matching_lines(tree, rf"\bexcept\b.*\b(?:{'|'.join(names)})\b"):
            for name in set(re.findall(r"\w+", text)) & set(names):
                handlers[name].add((path, number))
    return handlers


def _split(lines: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    for line in lines:
        path, _, rest = line.partition("\0")
        number, _, text = rest.partition(":")
        yield path, int(number), text.removesuffix("\r")


def _ripgrep(tree: Path, options: Sequence[str], lines: Sequence[str] = ()) -> list[str]:
    fixed = ["--no-config", "--no-heading", "--color=never", f"--type={LANGUAGE}"]
    shown = [] if "--no-filename" in options else ["--with-filename", "--null"]
    finished = subprocess.run(
        [program(), *fixed, *shown, *options, "--", "./"],
        cwd=tree,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    if finished.returncode == ERROR_CODE:
        raise CommandError(
            f"ripgrep could not read all of {tree}: {finished.stderr.strip()[:200]}",
            "name a code base you can read: hilt try DIR",
            code=Code.NO_VERDICT,
            label="ripgrep",
        )
    return [line.removeprefix("./") for line in finished.stdout.split("\n")[:-1]]
