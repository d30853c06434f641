"""What a command is given, where it starts, what its exit codes mean, and what of its output is shown.

Start with `shell.py` for the way in and `capture.py` for the way out. Not here: processes themselves,
which are `hilt.workspace.processes`.
"""
