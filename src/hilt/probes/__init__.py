"""Trying a server that runs: are its promises true?

Calls the tools of a live server with known, unknown and broken arguments, and compares what comes
back with what was declared.

Not here: reading declarations without a server (`lint`), locating one failure of the past (`diagnosis`).

No code yet.
"""
