"""The world a tool may touch: roots and the files below them, text and lines, processes, isolation.

Start with `workspace.py`: `Workspace` turns a path into a handle and refuses what leads out of the
roots (`beneath.py`). `facts.py` answers policy's questions about paths; `text.py` holds the one
definition of a line, `lines.py` reads a range of a huge file.

Files are changed in `replacing.py`, `creating.py`, `relocating.py` and `removing.py`, each kept in
`snapshots.py` first and taken back in `undoing.py`; `seen.py` is what a session has seen of them.
`skill_folders.py` finds skills, also outside of the roots.

Not here: what a tool says about it all, and any decision whether a call may happen.
"""

from hilt.workspace.handles import FileHandle, FileVersion
from hilt.workspace.workspace import FolderEntry, Workspace

__all__ = ["FileHandle", "FileVersion", "FolderEntry", "Workspace"]
