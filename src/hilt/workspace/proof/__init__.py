"""What a command line would do, as far as its grammar tells: the facts policy decides on.

Start with `proving.py`. Nothing here runs anything; the tables of harmless programs are policy's
(`hilt.policy.programs`).
"""
