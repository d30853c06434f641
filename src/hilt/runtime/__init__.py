"""The road: the only place where a tool runs.

Start with `pipeline.py`: one call from the model's words to the answer it reads, step by step.
`runtime.py` is what a host holds; `turns.py` runs a whole turn; `decoding.py`, `violations.py`,
`execution.py` and `answering.py` are the steps that need room; `ledger.py` keeps a turn from
running twice; `sessions.py` is what a session remembers, `loading.py` what it is offered and how it
comes to more; `recovery.py` completes a broken transcript. Nothing here knows a tool's name.
"""
