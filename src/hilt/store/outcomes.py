"""What both stores decide alike: whether an act took effect, and how a refusal is worded."""

import json

from hilt.errors import StoreError
from hilt.results.failures import Refused

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
