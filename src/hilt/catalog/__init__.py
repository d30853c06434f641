"""Which tools a session is offered now, which wait to be loaded, and what that costs.

The bill, the overlaps between tools and the search behind `find_tools` are counted here, on
declarations alone.

Not here: running a tool (`runtime`), what is wrong with a declaration (`lint`).

No code yet.
"""
