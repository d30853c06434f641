"""Which tools are offered now, which are deferred, and what they cost.

Start with `catalog.py`; `residence.py` chooses who stands in every request, `finding.py` and `ranking.py` find the
others. `bill.py` counts what a set of declarations costs every turn, `saving.py` advises, and
`skill_lines.py` fits the listing of skills into its share. `pins.py` says what a server's listing makes of what was
accepted before, `suspicions.py` what in it deceives. Nothing here
runs a tool: see `hilt.runtime`.
"""
