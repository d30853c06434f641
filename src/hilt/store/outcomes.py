"""What both stores decide alike: whether an act took effect, which leave is taken, how a refusal is worded."""

import json
from collections.abc import Iterable

from hilt.errors import StoreError
from hilt.policy.claims import Approval
from hilt.results.failures import Refused
from hilt.results.secrets import mask_secrets
from hilt.store.chain import canonical, clock
from hilt.store.records import AdmitOutcome, Claimed, Granted, Untaken

LAST_S = 253_402_300_800.0
"""The end of the year 9999, after which no clock tells the time."""
NEVER = "never"
EFFECTIVE_STATUSES = frozenset({"success", "partial"})


def took_effect(result: str) -> bool:
    """Whether an answer of a tool that ran says that the act happened.

    An answer without a status is a success, as `hilt.results.kept` leaves defaults out. True for an
    answer that cannot be read: an act that may have happened is not run again.
    """
    try:
        answer: object = json.loads(result)
    except ValueError:
        return True
    match answer:
        case {"failure": {"outcome": "done"}}:
            return True
        case {"status": str(status)}:
            return status in EFFECTIVE_STATUSES
        case _:
            return True


def not_open(session_id: str) -> StoreError:
    """The session was never opened, or was purged since."""
    return StoreError(f"session {session_id!r} is not open in this store", "await store.open_session(...) first")


def another_principal(session_id: str) -> Refused:
    """The session exists and is someone else's; whose is not told."""
    return Refused(
        f"session {session_id!r} belongs to another principal",
        "start a session with an id of your own",
    )


def handle_taken(handle: str) -> StoreError:
    """Two questions may not share a handle: an answer to one would count for the other."""
    return StoreError(f"the handle {handle!r} is taken", "save the question under a new handle")


def id_taken(approval_id: str) -> StoreError:
    """Two leaves may not share an id: to revoke one would be to guess."""
    return StoreError(f"the approval {approval_id!r} is there already", "save it under a new id")


def stand(outcomes: Iterable[AdmitOutcome]) -> tuple[AdmitOutcome, ...]:
    """The outcomes of an admission of which something could not be taken, so that nothing was."""
    return tuple([Untaken() if isinstance(each, Claimed | Granted) else each for each in outcomes])


def preferred(covering: Iterable[Approval]) -> Approval | None:
    """The leave to take: a standing one spares one that is used up; of equals the one that ends first."""
    return min(covering, key=lambda each: (each.scope == "once", each.expires, each.id), default=None)


def given(approval: Approval) -> str:
    """The trail's entry for a leave that was given."""
    return canonical({"event": "approval", **_terms(approval), "by": approval.by})


def revoked(approval: Approval, by: str) -> str:
    """The trail's entry for a leave that was taken back."""
    return canonical({"event": "revoked", **_terms(approval), "by": by})


def answered(handle: str, answer: str) -> str:
    """The trail's entry for a person's answer to a question."""
    return canonical({"event": "answer", "handle": handle, "answer": mask_secrets(answer)[0]})


def _terms(approval: Approval) -> dict[str, object]:
    return {
        "approval": approval.id,
        "principal": approval.principal,
        "tool": approval.tool,
        "scope": approval.scope,
        "digest": approval.digest,
        "shape": approval.shape,
        "policy": approval.policy,
        "expires": clock(approval.expires) if approval.expires < LAST_S else NEVER,
    }
