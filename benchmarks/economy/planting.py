"""The world the jobs are done in: a code base of real modules with a history, a log, documents, programs.

Everything an answer could be made of is drawn from the seed: names, numbers, lines, places.
"""

import random
import re
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from keyword import iskeyword
from pathlib import Path
from typing import Any

from economy.papers import write_pdf, write_sheet

MODULES = 3_200
"""At least so many files of Python are copied."""

LOG_LINES = 200_000
BROAD_HITS = 9_000
"""The word of the broad search is the one whose lines come nearest to this."""

TEST_LINES = 5_000
PACKAGES = (
    "sympy",
    "numpy",
    "sqlalchemy",
    "openpyxl",
    "mcp",
    "pygments",
    "pydantic",
    "rich",
    "anyio",
    "starlette",
    "pip",
)
"""Taken first where they are installed; the largest others follow until there are enough modules."""

VERBS = ("settle", "rotate", "weigh", "splice", "anneal", "tally", "ferry", "glaze", "hoist", "prune")
NOUNS = ("ledger", "turbine", "orchard", "manifest", "harbour", "kiln", "quorum", "lantern", "sextant", "loom")


@dataclass
class World:
    """The workspace as it is before each job, the seed's random numbers, and facts of its making."""

    root: Path
    seed: int
    draw: random.Random
    modules: list[str]
    """Paths of Python files below the root."""
    broad_word: str = ""
    broad_lines: int = 0
    taken: set[str] = field(default_factory=set)
    made: dict[str, Any] = field(default_factory=dict)

    def name(self) -> str:
        """A name that is nowhere in the code base."""
        while True:
            name = f"{self.draw.choice(VERBS)}_{self.draw.choice(NOUNS)}_{self.draw.randrange(100, 1000)}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def token(self) -> str:
        """A word that stands for a fact: it can only be known by having been read."""
        return "".join(self.draw.choice("bcdfghjkmnpqrstvwxz") for _ in range(5)) + str(self.draw.randrange(10, 100))

    def module(self, least: int, most: int) -> str:
        """A module with so many lines that no job has used yet."""
        while True:
            path = self.draw.choice(self.modules)
            if path in self.taken or not _usable(path):
                continue
            lines = (self.root / path).read_bytes().count(b"\n")
            if least <= lines <= most:
                self.taken.add(path)
                return path

    def lines(self, path: str) -> list[str]:
        return (self.root / path).read_text().split("\n")

    def insert(self, path: str, block: str) -> int:
        """Put a block before some top-level definition of a module; the line of its first line, from 1."""
        lines = self.lines(path)
        places = [at for at in range(5, len(lines)) if _stands_free(lines, at)]
        at = self.draw.choice(places) if places else len(lines) - 1
        lines[at:at] = [*block.split("\n"), "", ""]
        (self.root / path).write_text("\n".join(lines))
        return at + 1

    def count_broad(self) -> None:
        """Count the broad search's lines when all is planted."""
        word = re.compile(rf"\b{self.broad_word}\b")
        texts = (path.read_text() for path in self.root.rglob("*.py") if self.root / "checks" not in path.parents)
        self.broad_lines = sum(1 for text in texts for line in text.split("\n") if word.search(line))

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)


def _usable(path: str) -> bool:
    return "/test" not in path and not path.endswith("__init__.py") and path.count("/") <= 4


def _stands_free(lines: list[str], at: int) -> bool:
    return lines[at].startswith(("def ", "class ")) and not lines[at - 1].strip() and not lines[at - 2].strip()


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def plant(root: Path, seed: int) -> World:
    """Build the workspace below `root`, which does not exist yet."""
    root.mkdir(parents=True)
    modules = copy_modules(root)
    world = World(root=root, seed=seed, draw=random.Random(seed), modules=modules)
    world.broad_word = nearest_word(root, modules)
    start_history(root)
    plant_log(world)
    plant_programs(world)
    plant_papers(world)
    return world


def copy_modules(root: Path) -> list[str]:
    """Copy installed packages' Python files, as UTF-8 text with LF, until there are enough."""
    installed = Path(sysconfig.get_paths()["purelib"])
    first = [installed / name for name in PACKAGES if (installed / name / "__init__.py").exists()]
    others = [each.parent for each in installed.glob("*/__init__.py") if each.parent not in first]
    others.sort(key=lambda package: (-sum(1 for _ in package.rglob("*.py")), package.name))
    copied: list[str] = []
    for package in (*first, *others):
        if len(copied) >= MODULES:
            break
        copied += _copied(package, installed, root)
    return sorted(copied)


def _copied(package: Path, installed: Path, root: Path) -> Iterator[str]:
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        if b"\r" in content or not _is_text(content):
            continue
        name = str(source.relative_to(installed))
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
        yield name


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content and not content.startswith(b"\xef\xbb\xbf")


def nearest_word(root: Path, modules: list[str]) -> str:
    """The name that stands on a number of lines nearest to the broad search's."""
    lines: Counter[str] = Counter()
    for path in modules:
        for line in (root / path).read_bytes().split(b"\n"):
            lines.update({word.decode() for word in re.findall(rb"[A-Za-z_][A-Za-z0-9_]{4,}", line)})
    return min((each for each in lines if not iskeyword(each)), key=lambda each: (abs(lines[each] - BROAD_HITS), each))


def start_history(root: Path) -> None:
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "Ines Calder")
    git(root, "config", "user.email", "ines@example.org")
    git(root, "config", "gc.auto", "0")
    (root / ".git" / "info" / "exclude").write_text("/var/\n/papers/\n/checks/\n")


def commit_all(world: World, subject: str) -> str:
    world.git("add", "--all")
    world.git("commit", "--quiet", "--message", subject)
    return world.git("rev-parse", "--short=7", "HEAD")


def plant_log(world: World) -> None:
    """200,000 lines; ten of them, far down, tell a story nobody could guess."""
    draw = world.draw
    first = draw.randrange(140_000, 180_000)
    start, end = world.token(), world.token()
    story = {
        first + 2: f"ERROR worker=7 payment gateway refused batch {start}",
        first + 7: f"WARN  worker=7 batch moved to quarantine {end}",
    }
    (world.root / "var").mkdir()
    with (world.root / "var" / "app.log").open("w") as file:
        for number in range(1, LOG_LINES + 1):
            said = story.get(number) or (
                f"INFO  worker={draw.randrange(16)} GET /orders/{draw.randrange(100_000)} 200 {draw.randrange(400)} ms"
            )
            file.write(
                f"2026-11-{1 + number // 7000:02d}T{number % 24:02d}:{number % 60:02d}:{number % 59:02d}Z {said}\n"
            )
    world.made["log"] = {"first": first, "last": first + 9, "facts": (start, end)}


CHECKS = '''"""Checks of the shop, one line each; the details of a failure stand under it."""

import sys

FAILURES = {failures!r}

print("collecting ... {lines} checks")
for number in range(1, {lines} + 1):
    if number in FAILURES:
        print(f"check_{{number:04d}} ... FAILED")
        print(f"    AssertionError: {{FAILURES[number]}}")
    else:
        print(f"check_{{number:04d}} of the order book and its totals ... ok")
print(f"{{len(FAILURES)}} failed, {{{lines} - len(FAILURES)}} passed")
sys.exit(1)
'''

FOREVER = '''"""Serves until it is stopped."""

import time

print("listening on channel {token}", flush=True)
while True:
    time.sleep(0.2)
'''


def plant_programs(world: World) -> None:
    """A test program of 5,000 lines whose first failure is early and last one late, and one that never ends."""
    draw = world.draw
    early, late = draw.randrange(90, 200), draw.randrange(TEST_LINES - 200, TEST_LINES - 60)
    between = draw.sample(range(1_000, 4_000), 5)
    failures = {
        number: f"total of {world.token()} is off by {draw.randrange(9)}" for number in sorted([early, *between, late])
    }
    (world.root / "checks").mkdir()
    text = CHECKS.format(failures=failures, lines=TEST_LINES)
    (world.root / "checks" / "run_checks.py").write_text(text)
    world.made["checks"] = {"first": failures[early], "last": failures[late], "summary": f"{len(failures)} failed"}
    token = world.token()
    (world.root / "checks" / "forever.py").write_text(FOREVER.format(token=token))
    world.made["forever"] = token


def plant_papers(world: World) -> None:
    """A PDF of 30 pages, and a workbook with a sheet of 400 rows."""
    draw = world.draw
    folder = world.root / "papers"
    folder.mkdir()
    facts = [world.token() for _ in range(30)]
    write_pdf(folder / "report.pdf", facts)
    page = draw.randrange(8, 28)
    world.made["pdf"] = {"page": page, "fact": facts[page - 1]}
    rows = [
        [f"{draw.choice(NOUNS)} {world.token()}", draw.randrange(10, 9_999), draw.randrange(10, 9_999)]
        for _ in range(400)
    ]
    write_sheet(folder / "costs.xlsx", rows)
    first = draw.randrange(120, 360)
    world.made["sheet"] = {"range": f"A{first}:C{first + 5}", "rows": rows[first - 2 : first + 4]}


def copied(source: Path, target: Path) -> None:
    """The same tree again, times and modes kept."""
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)
