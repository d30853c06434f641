"""What the model reads back.

Start with `envelope.py`: `ToolResult` and its parts. `failures.py` holds what a tool raises,
`render.py` the text a model reads, `form.py` the JSON contract, `cutting.py` and `counting.py`
budgets, `parts.py` pictures and files, `secrets.py` masking, `kept.py` the ledger's copy.
Nothing here runs a tool or touches a disk: see `hilt.runtime` and `hilt.store`.
"""
