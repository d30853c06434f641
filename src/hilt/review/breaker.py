"""The breaker: after so many refusals in a row a person is asked before anything further is done.

Counted for a session are refusals by a rule, a reviewer or a person. Reading goes on as before, and
does not reset the count, or a model could read its way around it. What resets it: a person's yes to
a call, or a call with deeds that succeeds before the breaker has opened.
"""

REFUSALS = 3
"""Refusals in a row after which a person is asked (`review.refusals`); 0 turns the breaker off."""
COUNTED = frozenset({"rule", "reviewer", "person", "taint"})
"""Whose refusals count; that nobody was there to ask is nobody's refusal."""
RULE = "refusals-in-a-row"
MEMO = "review:refusals"
"""Where the count is kept, with the session."""


def open_words(refused: int) -> str:
    """What the model and the person read once the breaker is open."""
    return (
        f"the last {refused} calls with effects were refused, so a person is asked before anything further is done, "
        "until they approve a call; reading is not affected"
    )


def counted(seen: object) -> int:
    """The count as it is kept; what is no count is none."""
    return seen if isinstance(seen, int) and not isinstance(seen, bool) and seen > 0 else 0
