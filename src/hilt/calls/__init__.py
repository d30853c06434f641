"""One call: the nouns that travel the road.

Start with `tool.py` (a declaration, its function, its handling) and `declaring.py` (`@tool`).
`call.py` holds what the model asked, `context.py` what a running tool may touch, `session.py` who
is talking, `arguments.py` and `returns.py` the two halves of the contract, `events.py` the trace,
`resolver.py` the facts policy asks for, `memos.py` what tools remember and `tasks.py` the rules of
a session's tasks. Nothing here runs a tool: see `hilt.runtime`.
"""
