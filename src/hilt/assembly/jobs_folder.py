"""Where commands keep their logs: beside the store, so that another process finds its session's jobs again."""

from hilt.assembly.config import Config
from hilt.store import MEMORY
from hilt.store.home import home
from hilt.workspace.isolation import Isolation
from hilt.workspace.processes import Processes

JOBS = "jobs"


def processes_of(config: Config, isolation: Isolation, *, named: bool) -> Processes:
    """The part that runs commands. Background jobs of a `named` session outlive the process; others end with it."""
    if config.text("store.where") == MEMORY:
        return Processes(isolation=isolation)
    return Processes(lambda: home() / JOBS, outlive=named, isolation=isolation)
