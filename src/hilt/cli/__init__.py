"""The verbs of the `hilt` command, for people and for CI.

Start with `verbs.py`, the list of verbs: one module each, whose `command` reads arguments, calls a
room below, answers in text or JSON, and returns the exit code. `verb.py` has the options all share,
`output.py` what is printed where, `faults.py` errors and exit codes.

Not here: any work of its own.
"""

from hilt.cli.main import main

__all__ = ["main"]
