"""A rule: a word for the calls it speaks about."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from hilt.declarations.effects import Action
from hilt.policy.decision import Word
from hilt.policy.facts import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the host: `word` for tools whose name matches `tools`, on any of `actions` (all when empty)."""

    word: Word
    tools: str = "*"
    actions: tuple[Action, ...] = ()
    name: str = ""

    def applies(self, facts: Facts, action: Action) -> bool:
        """Whether this rule speaks about one action of a call."""
        return fnmatchcase(facts.tool, self.tools) and (not self.actions or action in self.actions)

    @property
    def static(self) -> bool:
        """Whether it looks at the tool alone, so that its word is known before any argument."""
        return True
