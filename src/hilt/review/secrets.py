"""A credential in an argument that leaves this machine is refused: it belongs in a setting, not in a model's words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hilt.declarations.effects import Deed
from hilt.declarations.schema import is_array, is_object
from hilt.policy.facts import Facts
from hilt.results.secrets import mask_secrets
from hilt.review.reviewer import View, When
from hilt.review.verdict import APPROVED, Verdict

OUTGOING: frozenset[Deed] = frozenset({"fetch", "send", "spend", "run"})
"""Deeds by which an argument reaches others; a command only where nothing keeps it off the network."""
_MARK = "[hilt masked: "


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsReviewer:
    """Refuses, or escalates, credentials of well-known forms in outgoing arguments.

    An argument declared to be a credential may hold one, an address its own password, and one that the
    person typed is theirs to send. `hosts`: commands reach some hosts although they are isolated.
    """

    word: Literal["reject", "escalate"] = "reject"
    hosts: bool = False
    name: str = "secrets"
    when: When = "before"
    deeds: frozenset[Deed] = OUTGOING
    irreversible: bool = False
    waits: bool = False

    async def review(self, view: View) -> Verdict:
        """Which arguments hold credentials, by name and kind; never the credential itself."""
        if view.facts is not None and not _leaves(view.facts, hosts=self.hosts):
            return APPROVED
        if not mask_secrets("\n".join(texts(view.arguments)))[1]:  # one look at all of it is the usual case
            return APPROVED
        roles: Mapping[str, object] = view.facts.effects.roles if view.facts is not None else {}
        found = [
            f"{name} holds a credential ({', '.join(kinds)})"
            for name, value in view.arguments.items()
            if (kinds := _kinds(value, roles.get(name), view.user_words))
        ]
        if not found:
            return APPROVED
        return Verdict(
            word=self.word,
            reason=f"{'; '.join(found)}, and what {view.tool} does reaches others",
            suggestion="leave the credential out, and let the tool or its environment hold it",
        )


def _leaves(facts: Facts, *, hosts: bool) -> bool:
    deeds = facts.deeds & OUTGOING
    return bool(deeds - {"run"}) or ("run" in deeds and (hosts or "net_blocked" not in facts.confinement))


def _kinds(value: object, role: object, user_words: str) -> list[str]:
    """The kinds of credentials in an argument that do not belong there."""
    if role == "credential":
        return []
    held = [each for text in texts(value) if not (user_words and text in user_words) for each in _held(text)]
    # A password in an address is for whom it is addressed to.
    return [each for each in dict.fromkeys(held) if not (role == "url" and each == "password")]


def _held(text: str) -> list[str]:
    masked, count = mask_secrets(text)
    return [each.partition("]")[0] for each in masked.split(_MARK)[1:]] if count else []


def texts(value: object) -> Iterator[str]:
    """Every text in a value, of lists and objects those within."""
    if isinstance(value, str):
        yield value
    elif is_object(value):
        for each in value.values():
            yield from texts(each)
    elif is_array(value):
        for each in value:
            yield from texts(each)
