"""Which tools are offered now, which are deferred, and what they cost.

Start with `catalog.py`; `bill.py` counts what a set of declarations costs every turn, and
`skill_lines.py` fits the listing of skills into its share. `pins.py` says what a server's listing makes of what was
accepted before, `suspicions.py` what in it deceives. Nothing here
runs a tool: see `hilt.runtime`.
"""
