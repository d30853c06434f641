"""Bounds of one run, known to the host and to the child."""

MEMORY_GIB = 2
MEMORY_BYTES = MEMORY_GIB << 30
"""Data of one process; address space is not counted, for numpy's threads reserve much and use little."""
RESERVE_BYTES = 64 << 20
"""What is left to tell of it once the code has used its memory up."""
FILE_MIB = 256
FILE_BYTES = FILE_MIB << 20
"""The largest file that the code can write."""
RESULT_CHARS = 1_000_000
"""Characters of the last value that leave the process."""
MESSAGE_CHARS = 2_000
"""Characters of an exception's message."""
LINE_CHARS = 200
"""Characters of a line of code that is named in a trace."""
TRACE_FIRST, TRACE_LAST = 4, 8
"""Lines of a trace that are told from its two ends."""
MOST_HELD = 5
"""Exceptions of a group that are told."""
IDLE_S = 1_800
"""Seconds after which a kept process that nobody calls ends."""
CHUNK_BYTES = 32 << 10
"""The most of a reply in one packet."""
REPLY_BYTES = 16 << 20
"""More than any reply takes: six bytes a character, and the error."""
CHANNEL = 3
"""Where the child finds the socket to the host."""
LOST_EXIT = 70
"""The exit code of a child that cannot reach its host any more."""
