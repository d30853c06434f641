"""One conversation, as the road knows it."""

from dataclasses import dataclass, field
from secrets import token_urlsafe

PRINCIPAL_BYTES = 12


def _session_id() -> str:
    return f"session_{token_urlsafe(PRINCIPAL_BYTES)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Leave that a person gave: for `effect` on what `target` (a pattern) names, until `expires` (RFC 3339)."""

    effect: str
    target: str
    expires: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Who is talking: `principal` is on whose behalf, `user_words` what that person asked, as typed.

    `pasted` are the parts of those words that the person took from elsewhere: they ask for nothing
    and vouch for nothing. `known` are values the host vouches for: own addresses and accounts, a
    kept address book.
    The state of a session lives in the runtime's store under `id`; two `Session` values with one
    id and one principal are the same conversation.
    """

    id: str = field(default_factory=_session_id)
    principal: str = "local"
    user_words: str = ""
    pasted: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
