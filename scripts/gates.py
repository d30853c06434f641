"""Runs every gate, times it, and names those that failed. `scripts/test` starts it inside `.venv`.

All gates run even when one fails: a person who mends a type wants to know about the test as well.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BUDGET_SECONDS = 600

Command = tuple[str, ...]

# pyright is told its project, for it prefers a pyrightconfig.json of any folder above to the pyproject.toml here.
GATES: dict[str, tuple[Command, ...]] = {
    "format": (("ruff", "format", "--check"),),
    "lint": (("ruff", "check"),),
    "types": (("pyright", "--project", "pyproject.toml"),),
    "imports": (("lint-imports", "importlinter.ini"),),
    "tests": (("coverage", "erase"), ("coverage", "run", "-m", "pytest", "-n", "2")),
    "coverage": (
        ("coverage", "combine", "--quiet"),
        ("coverage", "json", "--quiet", "-o", "coverage.json"),
        ("python", "scripts/coverage_floors.py", "coverage.json"),
    ),
}


def main(arguments: list[str]) -> int:
    if arguments:
        return run(("pytest", *arguments))
    started = time.monotonic()
    failed = [name for name, commands in GATES.items() if not passes(name, commands)]
    total = time.monotonic() - started
    over = " - slower than they should be, or a busy machine" if total > BUDGET_SECONDS else ""
    print(f"\nall gates took {total:.0f} s of {BUDGET_SECONDS} s{over}")
    print(f"failed: {', '.join(failed)}" if failed else "every gate passed")
    return 1 if failed else 0


def passes(name: str, commands: tuple[Command, ...]) -> bool:
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    passed = all(run(command) == 0 for command in commands)
    print(f"== {name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.1f} s", flush=True)
    return passed


def run(command: Command) -> int:
    program, *arguments = command
    path = os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath)))  # tests call rg and hilt by name
    environment = {**os.environ, "PATH": path}
    return subprocess.run([str(BIN / program), *arguments], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
