"""Which programs, with which of their options, are known to be harmless, and what their operands are.

Start with `judging.py`. Tables only: the words come decoded from `workspace`, which also looks at the
paths and configurations these tables name. Rule for every table: an option that is not in it is doubted.
"""
