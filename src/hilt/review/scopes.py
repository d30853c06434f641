"""How far a person's yes may reach: which scopes a question offers, what a shape covers, what is kept of it.

The shape of a call is policy's word for the calls like it, such as `mail_send to=ann@example.org`.

A yes to what was asked on account of what the session has seen, of a reviewer or of the breaker is
bound to that account: a leave for the tool as such never answers it.
"""

from hilt.declarations.effects import UNDECLARED
from hilt.policy.claims import Approval, Scope
from hilt.policy.facts import Facts
from hilt.policy.saving import savable
from hilt.review.people import PENDING_HOURS
from hilt.review.review import irreversible

SESSION_HOURS = 24
"""Hours a leave for a session holds at most."""
SHAPE_DAYS = 30
"""Days a leave for a shape holds, in every session of its person."""
ALWAYS_DAYS = 365
"""Days a leave for a tool holds."""
_HOUR_S = 3_600.0
LASTS_S: dict[Scope, float] = {
    "once": PENDING_HOURS * _HOUR_S,
    "session": SESSION_HOURS * _HOUR_S,
    "shape": SHAPE_DAYS * 24 * _HOUR_S,
    "always": ALWAYS_DAYS * 24 * _HOUR_S,
}
"""Seconds each leave holds, unless it is used up or revoked before, or the policy changes."""


def scopes_of(facts: Facts, shape: str, *, account: str = "") -> tuple[Scope, ...]:
    """The scopes that may be offered, narrowest first.

    Only this call for what cannot be taken back, and for what a reviewer or the breaker brought up;
    only this session for what taint or the built-in rules did. Nothing is kept that policy calls too
    wide, nor for a tool that runs commands or declares nothing as a whole: it would be leave for anything.
    """
    if irreversible(facts) or account in ("review", "breaker"):
        return ("once",)
    runs = bool(facts.commands) or "run" in facts.deeds
    alike = bool(shape) and savable(shape, facts) is None
    scopes: list[Scope] = ["once"]
    if alike or (not shape and not runs and not account):
        scopes.append("session")
    if alike and not account:
        scopes.append("shape")
    if not runs and not account and facts.effects != UNDECLARED:
        scopes.append("always")
    return tuple(scopes)


def covers(scope: Scope, tool: str, shape: str) -> str:
    """What a yes of this scope covers, in words for people."""
    what = shape if shape.startswith(tool) else f"{tool} like {shape}" if shape else tool
    return {
        "once": "this call alone",
        "session": f"every call of {what} in this session, {SESSION_HOURS} hours at most",
        "shape": f"every call of {what} in any session, {SHAPE_DAYS} days at most",
        "always": f"every call of {tool} in any session, {ALWAYS_DAYS} days at most",
    }[scope]


def leave(
    id: str,
    scope: Scope,
    *,
    principal: str,
    session: str,
    tool: str,
    digest: str,
    shape: str,
    policy: str,
    now: float,
    by: str = "",
) -> Approval:
    """A person's yes of this scope, to keep in the store."""
    return Approval(
        id=id,
        principal=principal,
        tool=tool,
        scope=scope,
        policy=policy,
        given=now,
        expires=now + LASTS_S[scope],
        session=session if scope == "session" else "",
        digest=digest if scope == "once" else "",
        shape=shape if scope in ("session", "shape") else "",
        by=by,
        says=covers(scope, tool, shape),
    )
