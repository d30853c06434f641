"""Which tools are offered now, which are deferred, and what they cost.

Start with `catalog.py`; `bill.py` counts what a set of declarations costs every turn. Nothing
here runs a tool: see `hilt.runtime`.
"""
