"""Two runs of the same tasks, compared: what a change to a tool set did.

Counts success, redundant calls, invalid arguments, misreadings, tokens and time, each with the remedy
it points to and with statistics for paired runs.

Not here: why one call failed (`diagnosis`), the loop that runs the tasks (`agents`).

No code yet.
"""
