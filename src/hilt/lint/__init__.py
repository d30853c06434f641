"""Judging one declaration: will a model choose this tool rightly, and fill it rightly?

A rule is one file in `lint/rules/` with its manual, its check, and a bad and a good example that
prove it. Rules never import each other.

Not here: what several tools add up to (`audit`), trying a server that runs (`probes`).

No code yet.
"""
