"""Deterministic trees of source-like text to search, and one big file to read; built in a temporary folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

FILES = 50_000
FILES_A_FOLDER = 100
FILLER = "".join(f"    value_{n:02d} = compute(index, {n * 7919 % 1000}, label)  # step {n}\n" for n in range(60))
SPARSE, SPARSE_EVERY = "import os", 13
DENSE, DENSE_EVERY = "self.", 4
DENSE_LINES = 48
MILL_FILES, MILL_LINES = 400, 2_500
MILL = "mill"


@contextmanager
def source_tree() -> Iterator[Path]:
    """50,000 files: one in 13 holds one sparse match, one in 4 holds 48 dense ones."""
    with TemporaryDirectory(prefix="hilt-benchmark-") as folder:
        for first in range(0, FILES, FILES_A_FOLDER):
            below = Path(folder, f"package_{first // FILES_A_FOLDER:03d}")
            below.mkdir()
            for number in range(first, first + FILES_A_FOLDER):
                (below / f"module_{number:05d}.py").write_text(_source(number))
        yield Path(folder)


def _source(number: int) -> str:
    head = f"{SPARSE}\n" if number % SPARSE_EVERY == 0 else "import json\n"
    dense = f"        {DENSE}field = {number}\n" * DENSE_LINES if number % DENSE_EVERY == 0 else ""
    return f'"""Module {number}."""\n{head}{FILLER}{dense}{FILLER}'


@contextmanager
def mill_tree() -> Iterator[Path]:
    """400 files with a million matching lines together."""
    with TemporaryDirectory(prefix="hilt-benchmark-") as folder:
        for number in range(MILL_FILES):
            lines = (
                f"{MILL} {number} turns grain {n} into {n * 7919 % 997} sacks of flour\n" for n in range(MILL_LINES)
            )
            Path(folder, f"mill_{number:03d}.txt").write_text("".join(lines))
        yield Path(folder)


LINE_BYTES = 84
BIG_LINES = 11_880_000


@contextmanager
def big_file() -> Iterator[Path]:
    """About 1 GB of text in 11.88 million lines."""
    with TemporaryDirectory(prefix="hilt-benchmark-") as folder:
        path = Path(folder, "big.log")
        step = 120_000
        with path.open("w") as file:
            for first in range(0, BIG_LINES, step):
                file.write("".join(_log_line(number) for number in range(first, first + step)))
        yield path


def _log_line(number: int) -> str:
    words = f"{number:010d} 2026-11-30T12:00:00Z worker={number % 64:02d} handled a request in {number % 997:03d} ms"
    return f"{words:{LINE_BYTES - 1}}\n"
