"""From `hilt.toml` to a runtime that works: shelf, policy, store, gateway, judges.

The one room that knows which parts exist and hands each to whoever asks for it by class. Also reads
what a TARGET on the command line names.

Not here: what the parts do.

No code yet.
"""
