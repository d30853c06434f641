"""Policy's answer to one call: a word, who spoke it, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hilt.policy.claims import QuotaClaim

Word = Literal["allow", "ask", "deny"]
Kind = Literal["proved", "confined"]
STRICTNESS: tuple[Word, ...] = ("allow", "ask", "deny")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Policy's answer.

    `layer` and `rule` name who spoke last. `kind` says why a yes is a yes: `proved`, known to be
    harmless; `confined`, it may do anything and isolation gives the properties named in `proof`;
    None, on the host's word alone. `shape` is what a person's yes to "this shape" covers; `asks_once`:
    leave for the shape holds for the session, unless the person says otherwise. `claims` must be
    taken in the store before the call may run. `ways` are next steps that may help after a no.
    `doubts` name all that asks, which is what a person's leave answers.
    """

    word: Word
    layer: str
    rule: str
    reasons: tuple[str, ...] = ()
    kind: Kind | None = None
    proof: Mapping[str, object] = field(default_factory=dict[str, object])
    notes: tuple[str, ...] = ()
    shape: str = ""
    asks_once: bool = False
    claims: tuple[QuotaClaim, ...] = ()
    ways: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def strictest(spoken: Iterable[Decision]) -> Decision:
    """The strictest word; of equals the one spoken first."""
    return max(spoken, key=lambda decision: STRICTNESS.index(decision.word))
