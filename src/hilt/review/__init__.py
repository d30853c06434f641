"""Should this call run? What a judge or a person answers, and how they are asked.

Holds the Reviewer and Judge protocols, the reviews that come before a call and beside it, and the
breaker that calls a person after too many refusals.

Not here: whether it may run (`policy`), and any model: judges are made in `agents` and handed in.

No code yet.
"""
