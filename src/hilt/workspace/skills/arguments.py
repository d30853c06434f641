"""Arguments for a skill's scripts, as a JSON file that only this user can read: no shell ever quotes them."""

import json
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from anyio import to_thread

from hilt.errors import StoreError
from hilt.results.failures import EnvironmentFailure
from hilt.store.home import home

FOLDER = "skill-arguments"
NAME_BYTES = 12
KEPT_SECONDS = 86_400
"""How long a file stays: a skill's work is done within a day."""


async def keep_arguments(arguments: object) -> Path:
    """A new file, mode 0600 in a folder of mode 0700, that holds these JSON values. Raises `EnvironmentFailure`."""
    return await to_thread.run_sync(_keep, arguments)


def _keep(arguments: object) -> Path:
    try:
        folder = home() / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        _forget(folder)
        path = folder / f"{secrets.token_urlsafe(NAME_BYTES)}.json"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(arguments, file, ensure_ascii=False)
    except (OSError, StoreError) as error:
        why = error.problem if isinstance(error, StoreError) else error.strerror
        raise EnvironmentFailure(
            f"the arguments cannot be kept: {why}",
            "call without arguments, and write them to a file yourself",
        ) from error
    return path


def _forget(folder: Path) -> None:
    """Remove what is older than a day."""
    old = time.time() - KEPT_SECONDS
    for path in folder.glob("*.json"):
        with suppress(OSError):
            if path.stat().st_mtime < old:
                path.unlink()
