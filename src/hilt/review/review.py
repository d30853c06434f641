"""The third layer of one runtime: who reviews, what irreversible acts need, when the breaker opens."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hilt.declarations.effects import Deed
from hilt.policy.facts import Facts
from hilt.review.breaker import REFUSALS
from hilt.review.hidden import HiddenReviewer
from hilt.review.judging import JudgeReviewer, Maker, check_independence
from hilt.review.reviewer import Reviewer, When
from hilt.review.secrets import SecretsReviewer

Need = Literal["none", "judge", "person"]
"""What a call needs that cannot be taken back: nothing more, a judge's approval, a person's."""

BUILT_IN: tuple[Reviewer, ...] = (SecretsReviewer(), HiddenReviewer())
"""Reviewers that look at the arguments alone, and cost nothing but time."""
FINAL: frozenset[Deed] = frozenset({"send", "spend", "destroy"})
"""Deeds that, added by an argument, make a call one that cannot be taken back."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """How calls are reviewed. `caller` is the maker of the model that calls, where the host knows it."""

    reviewers: tuple[Reviewer, ...] = BUILT_IN
    irreversible: Need = "none"
    refusals: int = REFUSALS
    caller: Maker | None = None

    @cached_property
    def after(self) -> bool:
        """Whether anybody looks at what calls came to."""
        return any(each.when == "after" for each in self.reviewers)

    def warnings(self) -> tuple[str, ...]:
        """What the host should know of its judges. Raises `ConfigError` for one that is not independent."""
        judges = [each for each in self.reviewers if isinstance(each, JudgeReviewer)]
        return tuple(said for each in judges if (said := check_independence(each, self.caller)))

    async def close(self) -> None:
        """Let go of what is behind the judges."""
        for each in self.reviewers:
            if isinstance(each, JudgeReviewer) and each.closing is not None:
                await each.closing()

    def concerned(self, when: When, facts: Facts) -> Iterator[Reviewer]:
        """Those who look at this call at that time."""
        for each in self.reviewers:
            if each.when == when and (facts.deeds & each.deeds or (each.irreversible and irreversible(facts))):
                yield each


def irreversible(facts: Facts) -> bool:
    """Whether this very call cannot be taken back: its tool says so, or an argument given adds such a deed."""
    added = facts.deeds - facts.effects.does
    return facts.effects.irreversible or bool(added & FINAL and not facts.effects.undoable)
