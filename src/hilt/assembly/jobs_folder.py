"""Where commands keep their logs: beside the store, so that another process finds its session's jobs again."""

from hilt.assembly.config import Config
from hilt.store import MEMORY
from hilt.store.home import home
from hilt.workspace.processes import Processes
from hilt.workspace.processes.walls import Confining

JOBS = "jobs"


def processes_of(config: Config, isolation: Confining, *, named: bool) -> Processes:
    """The part that runs commands. Background jobs of a `named` session outlive the process; others end with it."""
    if config.text("store.where") == MEMORY:
        return Processes(isolation=isolation)
    return Processes(lambda: home() / JOBS, outlive=named, isolation=isolation)
