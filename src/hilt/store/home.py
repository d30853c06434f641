"""Where Hilt keeps state on this machine."""

import os
from pathlib import Path

import platformdirs

from hilt.errors import StoreError

VARIABLE = "HILT_HOME"


def place() -> Path:
    """Where the folder of state is or would be; nothing is made."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser().absolute() if named else platformdirs.user_state_path("hilt")


def home() -> Path:
    """The folder of state: `HILT_HOME`, else the platform's for this user; made with mode 0700.

    Raises `StoreError` when it cannot be made.
    """
    folder = place()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise StoreError(
            f"the folder of state {folder} cannot be made: {fault.strerror}",
            f"set {VARIABLE} to a folder you can write to",
        ) from fault
    return folder
