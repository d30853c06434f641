"""Judges: whoever can give a verdict on a question. What they are made of is not known here.

A judge of the family that also made the call shares its blind spots, so it is refused; one of a lower
tier may not understand what it judges, which the host is warned of.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from hilt.declarations.effects import Deed
from hilt.errors import ConfigError
from hilt.policy.taint import GRAVE
from hilt.review.base_rules import BASE_RULES, STRESSES, Stress
from hilt.review.reviewer import View, When
from hilt.review.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Who made a model: its `family`, such as a vendor's name, and its `tier`, higher for more able ones."""

    family: str
    tier: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """What a judge is asked: the rules it judges by, with its own stress, and the call as it may see it."""

    rules: str
    tool: str
    arguments: Mapping[str, object]
    does: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    user_words: str = ""
    preview: str = ""
    outcome: str = ""


Judge = Callable[[JudgeQuestion], Awaitable[Verdict]]
"""Answers a question with a verdict. It may raise: that escalates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReviewer:
    """A judge at work: as `Reviewer`. `maker` is who made what is behind it, `closing` lets go of it."""

    name: str
    judge: Judge
    maker: Maker
    when: When = "before"
    stress: Stress = "risk"
    deeds: frozenset[Deed] = field(default=GRAVE)
    irreversible: bool = True
    waits: bool = True
    closing: Callable[[], Awaitable[None]] | None = None

    async def review(self, view: View) -> Verdict:
        """What the judge says to the view."""
        return await self.judge(
            JudgeQuestion(
                rules=f"{BASE_RULES}{STRESSES[self.stress]}",
                tool=view.tool,
                arguments=view.arguments,
                does=tuple(sorted(view.facts.deeds)) if view.facts is not None else (),
                reasons=view.reasons,
                user_words=view.user_words,
                preview=view.preview,
                outcome=view.outcome,
            )
        )


def check_independence(judge: JudgeReviewer, caller: Maker | None) -> str:
    """A warning for the host, or "". Raises `ConfigError` for a judge of the caller's own family."""
    if caller is None:
        return (
            f"nobody says which family of models calls, so {judge.name} ({judge.maker.family}) may share its blind "
            "spots; say it: review.caller"
        )
    if judge.maker.family.casefold() == caller.family.casefold():
        raise ConfigError(
            f"the judge {judge.name} is of the family {judge.maker.family}, as is the model whose calls it would "
            "judge: it has the same blind spots",
            "name a judge of another family",
        )
    if judge.maker.tier < caller.tier:
        return (
            f"the judge {judge.name} is of tier {judge.maker.tier}, below the {caller.tier} of the model whose calls "
            "it judges: it may not understand them"
        )
    return ""
