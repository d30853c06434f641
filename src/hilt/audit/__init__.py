"""Judging a set of tools: what they can do together that none can do alone.

Finds each closed chain of private data, third-party content and a way out, and the smallest set of
tools whose removal breaks them all.

`chains` is where to start. `declared` takes declared effects at their word; `inference` reads what a foreign
declaration shows, with the vocabulary of `words`; `findings` says it; `draft` writes effects down for a person to edit.

Not here: one declaration (`lint`), what a running session has touched (taint, in `policy`).
"""
