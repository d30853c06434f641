"""The changes of files that were kept on this machine."""

from hilt.store.home import home
from hilt.workspace.changes.snapshots import Snapshots

FOLDER = "snapshots"


def kept_changes() -> Snapshots:
    """Snapshots in the folder of state, which is looked for when the first is kept."""
    return Snapshots(lambda: home() / FOLDER)
