"""A reviewer: when it works, which calls concern it, what it is shown, and how it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import anyio

from hilt.declarations.effects import Deed
from hilt.policy.facts import Facts
from hilt.review.verdict import WORDS, Verdict, no_verdict

When = Literal["before", "beside", "after"]
"""`before`: sees the whole question, once policy has spoken. `beside`: sees the name and the arguments
alone, while the rest is prepared. `after`: sees what the call came to, and holds nothing up."""

LONGEST_REVIEW_S = 20.0
"""Seconds a reviewer may take; after that its silence is an escalation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a reviewer is shown of one call.

    One that works beside is shown `tool` and `arguments` and nothing else: no words of a model or of
    a result that could talk it round. `facts`, `reasons` (policy's) and `user_words` are for those that
    work before and after; `preview` is what the call would do, as its tool shows it; `outcome` what it
    came to, for those that work after.
    """

    tool: str
    arguments: Mapping[str, object]
    facts: Facts | None = None
    reasons: tuple[str, ...] = ()
    user_words: str = ""
    preview: str = ""
    outcome: str = ""


class Reviewer(Protocol):
    """Gives a verdict on calls."""

    @property
    def name(self) -> str:
        """What traces, refusals and people call it."""
        ...

    @property
    def when(self) -> When:
        """When it works."""
        ...

    @property
    def deeds(self) -> frozenset[Deed]:
        """It is asked about calls that do one of these."""
        ...

    @property
    def irreversible(self) -> bool:
        """Whether it is also asked about every call that cannot be taken back."""
        ...

    @property
    def waits(self) -> bool:
        """Whether it waits for something outside, such as a model: those run beside each other, and see the preview."""
        ...

    async def review(self, view: View) -> Verdict:
        """Its verdict. Whatever else it gives or raises counts as an escalation."""
        ...


async def verdict_of(reviewer: Reviewer, view: View, *, limit_s: float = LONGEST_REVIEW_S) -> Verdict:
    """The verdict of one reviewer, whatever becomes of it: no answer, a broken one and a late one escalate.

    The limit is for those that wait: a scope of time costs more than a reviewer that only looks.
    """
    verdict: object = None
    try:
        if not reviewer.waits:
            verdict = await reviewer.review(view)
        else:
            with anyio.move_on_after(limit_s) as limit:
                verdict = await reviewer.review(view)
            if limit.cancelled_caught:
                return no_verdict(f"it did not answer within {limit_s:g} s")
    except Exception as error:
        return no_verdict(f"it raised {type(error).__name__}: {error}")
    if not isinstance(verdict, Verdict) or verdict.word not in WORDS:
        return no_verdict("its answer is none of approve, reject and escalate")
    return verdict
