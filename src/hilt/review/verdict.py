"""What a reviewer comes to: approve, reject, or escalate to a person. Nothing else is a verdict."""

from dataclasses import dataclass
from typing import Literal, get_args

VerdictWord = Literal["approve", "reject", "escalate"]
WORDS: tuple[VerdictWord, ...] = get_args(VerdictWord)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One reviewer's word on one call.

    `reason` is read by the model and by people; `suggestion` is what the model could do instead, and
    becomes the next step of a refusal.
    """

    word: VerdictWord
    reason: str = ""
    suggestion: str = ""


APPROVED = Verdict(word="approve")


def no_verdict(why: str) -> Verdict:
    """What stands for an answer that is none: a person decides, for silence is never a yes."""
    return Verdict(word="escalate", reason=f"no verdict: {why}")
