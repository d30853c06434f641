"""The shelf: the tools that come with Hilt, one file each.

A file is the tool's constants, its declaration and its body. What a tool needs of the world it gets
from its Context; it opens no path itself and imports no other tool.

Not here: what two tools share, which lives below them in `workspace` and `documents`.
"""
