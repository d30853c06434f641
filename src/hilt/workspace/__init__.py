"""The world a tool may touch: roots and the files below them, commands, code, skills, the web.

Start with `workspace.py`: `Workspace` turns a path into a handle and refuses what leads out of the
roots (`beneath.py`). `facts.py` answers policy's questions about paths; `text.py` holds the one
definition of a line; `seen.py` is what a session has seen of files, `undoing.py` takes changes back.

The packages, each with a door of its own: `search`, `edits`, `changes`, `commands`, `processes`,
`code`, `skills`, `network`, `web_search`.

Not here: what a tool says about it all, and any decision whether a call may happen.
"""

from hilt.workspace.handles import FileHandle, FileVersion
from hilt.workspace.workspace import FolderEntry, Workspace

__all__ = ["FileHandle", "FileVersion", "FolderEntry", "Workspace"]
