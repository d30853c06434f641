"""The verbs of the `hilt` command, for people and for CI.

One module for each verb: it reads arguments, calls a room below, prints text or JSON, and chooses the
exit code.

Not here: any work of its own.

No code yet.
"""
