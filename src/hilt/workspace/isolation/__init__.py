"""How commands are kept to the workspace: a ladder of walls, the best that this machine has, and the truth about it.

Start with `ladder.py`: `choose` gives an `Isolation` (`isolation.py`), which `Processes` applies to
every command. `bubblewrap.py` and `landlock.py` are the rungs; `bpf.py` and `seccomp.py` make the
filter of system calls for both; `system.py` knows what programs need of a machine, `protecting.py`
which names inside the roots nobody may change.

Not here: what is done in the child (`processes`), and any decision whether a command may run.
"""

from hilt.workspace.isolation.isolation import Bounds, Isolation
from hilt.workspace.isolation.ladder import choose

__all__ = ["Bounds", "Isolation", "choose"]
