"""The `hilt` command: arguments in, exit code out.

`hilt --version` answers here, before click is imported.
"""

import sys
from collections.abc import Sequence

from hilt.cli.version import VERSION


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, `sys.argv` unless `arguments` are given, and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        sys.stdout.write(f"hilt {VERSION}\n")
        return 0
    from hilt.cli.verbs import run  # lazy: click costs 50 ms, which `--version` need not pay

    return run(given)
