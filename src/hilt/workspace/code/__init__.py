"""Python code that a model wrote, run in a process of its own, below the launcher of `processes`.

Start with `interpreters.py`: `Interpreters` is the part, `take` lends an `Interpreter`, fresh or kept for a session.
`worker.py` and `evaluate.py` run in the child and import the standard library alone; `limits.py` is what both sides
know. `written.py` hands out the files that the code wrote, `wording.py` tells how it ended.

Not here: how a process is started and ended (`processes`), and any isolation: the code may do what its user may.
"""

from hilt.workspace.code.interpreters import Fault, Interpreter, Interpreters, Ran, Reply

__all__ = ["Fault", "Interpreter", "Interpreters", "Ran", "Reply"]
