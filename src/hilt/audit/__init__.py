"""Judging a set of tools: what they can do together that none can do alone.

Finds each closed chain of private data, third-party content and a way out, and the smallest set of
tools whose removal breaks them all.

Not here: one declaration (`lint`), what a running session has touched (taint, in `policy`).

No code yet.
"""
