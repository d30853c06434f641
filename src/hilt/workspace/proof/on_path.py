"""Whose program a name stands for: the system's own, or one that lies in the workspace.

The tables of programs know `ls` of the system. A folder of the workspace on the PATH (`.venv/bin`,
`node_modules/.bin`, `.`) may hold another `ls`, which whoever writes the workspace wrote.
"""

import os
from collections.abc import Sequence

from hilt.workspace.proof.places import Resolve


def of_workspace(name: str | None, folders: Sequence[str] | None, resolve: Resolve) -> str:
    """The path in the workspace that runs under this name; "" where the first one on the PATH lies elsewhere."""
    if not name or "/" in name or "\0" in name:
        return ""
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for place in _places(entry, folders):
            found = os.path.join(place, name)
            if os.path.lexists(found) and resolve(place).inside:
                return found
            if os.access(found, os.X_OK) and not os.path.isdir(found):
                return ""
    return ""


def _places(entry: str, folders: Sequence[str] | None) -> Sequence[str]:
    """The folders one entry of the PATH means: what is not absolute hangs from where the command runs."""
    return (entry,) if os.path.isabs(entry) else [os.path.join(folder, entry) for folder in folders or ()]
