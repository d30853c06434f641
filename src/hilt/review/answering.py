"""Answering a kept question: by a person at another terminal, or by the host. One answer counts.

A yes becomes leave in the store, bound to what was asked; whoever runs the call, once, takes it from there.
"""

import time
from dataclasses import replace

from hilt.errors import HiltError, StoreError
from hilt.review.asked import Asked, answer_text, read_asked
from hilt.review.people import Reply
from hilt.store.protocol import Store
from hilt.store.records import Pending

NOT_WAITING = "each is answered once, before it expires; hilt approvals lists those that wait"


async def find_question(store: Store, handle: str) -> Pending:
    """The question under this handle that still waits. Raises `HiltError` where there is none."""
    kept = await store.pending(handle)
    if kept is None or kept.answer is not None or kept.expires <= time.time():
        raise HiltError(f"nothing waits under {handle!r}", NOT_WAITING)
    return kept


async def answer_question(store: Store, handle: str, reply: Reply, *, by: str) -> Asked:
    """Give the one answer. Raises `HiltError` where nothing waits, or a yes reaches further than was offered."""
    kept = await find_question(store, handle)
    asked = read_asked(handle, kept.session, kept.document)
    offered = asked.question.scopes
    if reply.word == "approve":
        scope = reply.scope or asked.question.usual
        if scope not in offered:
            raise HiltError(
                f"leave of the scope {scope!r} for this call of {asked.question.tool} would reach too far",
                f"give one of: {', '.join(offered)}",
            )
        given = asked.leave(f"leave_{handle.removeprefix('ask_')}", scope, now=time.time(), by=by)
        # Before the answer: whoever waits for it takes the leave as soon as they see it.
        try:
            await store.save_approval(given)
        except StoreError as error:
            raise HiltError(f"{handle} was answered by somebody else: {error.problem}", NOT_WAITING) from error
        if not await store.answer_pending(handle, answer_text(reply)):
            await store.revoke_approval(given.id, by)
            raise HiltError(f"nothing waits under {handle!r} any more", NOT_WAITING)
        return asked
    if not await store.answer_pending(handle, answer_text(replace(reply, word="reject"))):
        raise HiltError(f"nothing waits under {handle!r} any more", NOT_WAITING)
    return asked
