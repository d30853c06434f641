"""Should it? Reviewers, judges and people who are asked, after policy has said that a call may be.

Start with `verdict.py` and `reviewer.py`: what a reviewer is shown, and what it may answer. Those that
need no model have a file each: `secrets.py`, `hidden.py`, `extent.py`. `judging.py` makes a reviewer of
a judge; this room names no model, assembly hands judges in. `people.py` is a question to a person and
what may come back, `scopes.py` how far a yes reaches, `breaker.py` what many refusals in a row lead to.
`review.py` puts it together for one runtime.
"""
