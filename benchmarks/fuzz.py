"""Generated shell scripts: whether shfmt finds the same commands in each that is proved. `--full`: 100,000."""

import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from measuring import Options, Row, options, report
from shell_scripts import heads_by_shfmt, scripts

from hilt.workspace import Workspace
from hilt.workspace.proof.proving import gather

SEED = 20_261_130
FEW, MANY = 5_000, 100_000
CHUNK = 5_000


def main(asked: Options) -> None:
    count = MANY if asked.full else FEW
    found: Counter[str] = Counter()
    took = 0.0
    with tempfile.TemporaryDirectory() as folder:
        world = Workspace([Path(folder)])
        for start in range(0, count, CHUNK):
            took += chunk(SEED + start, world, folder, found)
    said = ", ".join(f"{name} {number:,}" for name, number in sorted(found.items()))
    report(
        Row(
            name=f"fuzz {count:,} scripts: proved, not agreed",
            goal=0,
            value=found["proved, not agreed"],
            unit="scripts",
            detail=said,
        ),
        asked,
    )
    report(Row(name="fuzz: proving one script", goal=None, value=took / count * 1e3, unit="ms"), asked)


def chunk(seed: int, world: Workspace, folder: str, found: Counter[str]) -> float:
    """Compare some scripts; the seconds that proving them took."""
    texts = scripts(seed, CHUNK)
    theirs = list(heads_by_shfmt(shfmt(), texts))
    started = time.perf_counter()
    ours = [gather(text, folder, world.path) for text in texts]
    took = time.perf_counter() - started
    for text, mine, other in zip(texts, ours, theirs, strict=True):
        agreed = other is not None and other == mine.heads
        proved = not mine.unproved
        found[f"{'proved' if proved else 'unproved'}, {'agreed' if agreed else 'not agreed'}"] += 1
        if proved and not agreed:
            print(f"proved, and shfmt finds other commands: {text!r}", file=sys.stderr)
    return took


def shfmt() -> str:
    beside = Path(sys.executable).with_name("shfmt")
    return (
        str(beside)
        if beside.exists()
        else shutil.which("shfmt") or sys.exit("shfmt is not here: uv pip install shfmt-py")
    )


if __name__ == "__main__":
    main(options(__doc__))
