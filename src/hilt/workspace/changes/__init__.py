"""Files given new content, made, moved and removed: whole or not at all, and what was there kept first.

Start with `replacing.py`. Not here: the door, which is `Workspace`; what a session has seen of files, which is
`hilt.workspace.seen`; taking a change back, which is `hilt.workspace.undoing`.
"""
