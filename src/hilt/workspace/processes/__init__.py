"""Programs that tools run: started outside the host, watched, stopped whole, found again.

Start with `supervisor.py`: `Processes` is the part, its `start` gives a `Job` (`job.py`). `Command`
(`command.py`) says what is run. What is process-wide happens in a child of ours: `launcher.py`
forks a `monitor.py` for each command, which is the parent of everything the command starts
(`spawn.py` is the last step before it, `tree.py` ends it, `identity.py` knows it again). `walls.py`
says how a command is confined, which `landlock.py` does to what is started and `guarding.py` mends
afterwards.

All but `supervisor.py`, `client.py`, `job.py`, `found.py` and `walls.py` import nothing but the
standard library, for the child starts without this package's other rooms.

Not here: what a shell is told and what its output means, and any decision whether it may run.
"""

from hilt.workspace.processes.command import Command, Limits
from hilt.workspace.processes.found import FoundJob
from hilt.workspace.processes.job import Ended, Job
from hilt.workspace.processes.supervisor import Processes

__all__ = ["Command", "Ended", "FoundJob", "Job", "Limits", "Processes"]
