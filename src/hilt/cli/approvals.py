"""`hilt approvals`: questions that wait for a person, and leave that was given."""

import getpass
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import anyio
import click

from hilt.assembly.storing import store_of
from hilt.cli.asking import arguments_of
from hilt.cli.faults import Code, CommandError
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import pairs, table
from hilt.cli.verb import Place, places, verb
from hilt.declarations.names import nearest
from hilt.errors import HiltError
from hilt.policy.claims import Approval
from hilt.review.answering import answer_question
from hilt.review.asked import SCOPES, Asked, read_asked, scope_named
from hilt.review.people import Reply
from hilt.review.scopes import covers
from hilt.store import MEMORY
from hilt.store.protocol import Store
from hilt.store.records import Pending
from hilt.workspace.names import visible

R = TypeVar("R")
DEFAULT = "list"


class Approvals(click.Group):
    """Without a verb of its own it lists."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("-h", "--help")):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group(cls=Approvals, short_help="what waits for your leave, and what you have allowed")
def command() -> None:
    """What waits for a person's leave, and the leave that was given: answered, listed, revoked."""


@verb(name=DEFAULT, says="questions that wait, whole, and leave that holds")
@places
def list_all(out: Out, place: Place) -> int:
    """A question is kept where nobody could be asked at once: an MCP client that asks later, or the
    setting review.inbox. Leave holds until it expires, is used up or revoked, or the policy changes.
    """
    waiting, leaves = _with_store(place, _both)
    document = {
        "pending": [_question(each) for each in waiting],
        "approvals": [_leave(each) for each in leaves],
    }
    out.answer(document, lambda: _text(out, waiting, leaves))
    return Code.FINE


@verb(says="allow a call that waits, so that it runs once where it waits")
@places
@click.argument("handle")
@click.option("--scope", type=click.Choice(SCOPES), help="How far the yes reaches; as is usual for the question.")
def approve(out: Out, place: Place, *, handle: str, scope: str | None) -> int:
    """The call runs where it waits: in the process that asked, or when the model makes the same call
    again. With other arguments, or after the policy has changed, it is asked about anew.
    """
    asked = _answer(place, handle, Reply(word="approve", scope=scope_named(scope)))
    given = scope_named(scope) or asked.question.usual
    says = covers(given, asked.question.tool, asked.question.shape)
    out.answer(
        {"handle": handle, "word": "approve", "tool": asked.question.tool, "scope": given, "covers": says},
        f"allowed: {visible(says)}",
    )
    return Code.FINE


@verb(says="refuse a call that waits")
@places
@click.argument("handle")
@click.option("--reason", default="", metavar="TEXT", help="Why, for the model to read.")
def reject(out: Out, place: Place, *, handle: str, reason: str) -> int:
    """Nothing runs. The model reads that you refused, and your reason."""
    asked = _answer(place, handle, Reply(word="reject", reason=reason))
    out.answer(
        {"handle": handle, "word": "reject", "tool": asked.question.tool, "reason": reason},
        f"refused: {asked.question.tool}",
    )
    return Code.FINE


@verb(says="end leave that was given")
@places
@click.argument("id", metavar="ID")
def revoke(out: Out, place: Place, *, id: str) -> int:
    """ID is one that hilt approvals lists. Calls that it covered are asked about again from now on."""
    leaves, revoked = _with_store(place, partial(_revoke, id))
    if not revoked:
        near = nearest(id, [each.id for each in leaves], most=1)
        step = f"hilt approvals revoke {near[0]}" if near else "hilt approvals lists what holds"
        raise CommandError(f"no leave {id!r} holds", step, label="unknown_leave")
    out.answer({"revoked": id}, f"revoked: {id}")
    return Code.FINE


for each in (list_all, approve, reject, revoke):
    command.add_command(each)


def _answer(place: Place, handle: str, reply: Reply) -> Asked:
    try:
        return _with_store(place, lambda store: answer_question(store, handle, reply, by=getpass.getuser()))
    except HiltError as error:
        if isinstance(error, CommandError) or error.__cause__ is not None:
            raise
        raise CommandError(error.problem, *error.next_steps, label="not_answered") from None


def _with_store(place: Place, work: Callable[[Store], Awaitable[R]]) -> R:
    config = settings(place)
    if config.text("store.where") == MEMORY:
        raise CommandError(
            "the store is in memory, where nothing waits and no leave is kept", "name a store: -c store.where=FILE"
        )

    async def done() -> R:
        store = store_of(config)
        try:
            return await work(store)
        finally:
            await store.close()

    return anyio.run(done)


async def _both(store: Store) -> tuple[list[Pending], list[Approval]]:
    return await store.list_pending(), await store.approvals()


async def _revoke(id: str, store: Store) -> tuple[list[Approval], bool]:
    leaves = await store.approvals()
    return leaves, await store.revoke_approval(id, getpass.getuser())


def _question(kept: Pending) -> dict[str, object]:
    asked = read_asked(kept.handle, kept.session, kept.document)
    question = asked.question
    return {
        "handle": kept.handle,
        "session": kept.session,
        "principal": asked.principal,
        "tool": question.tool,
        "arguments": question.arguments,
        "activity": question.activity,
        "reasons": list(question.reasons),
        "preview": question.preview,
        "shape": question.shape,
        "scopes": list(question.scopes),
        "asked": _rfc3339(kept.asked),
        "expires": _rfc3339(kept.expires),
    }


def _leave(leave: Approval) -> dict[str, object]:
    return {
        "id": leave.id,
        "scope": leave.scope,
        "principal": leave.principal,
        "session": leave.session or None,
        "tool": leave.tool,
        "covers": leave.says,
        "by": leave.by,
        "given": _rfc3339(leave.given),
        "expires": _rfc3339(leave.expires),
    }


def _text(out: Out, waiting: Sequence[Pending], leaves: Sequence[Approval]) -> str:
    parts = [_waiting_text(out, each) for each in waiting]
    if leaves:
        rows = [(each.id, each.scope, each.principal, _left(each.expires), visible(each.says)) for each in leaves]
        heads = ("ID", "SCOPE", "FOR", "LEFT", "COVERS")
        parts.append(table(heads, rows, paint=lambda head: out.paint(head, "dim")))
    return "\n\n".join(parts) or "nothing waits for your leave, and none that was given holds"


def _waiting_text(out: Out, kept: Pending) -> str:
    """One question, whole; nothing in it can act on the terminal."""
    question = read_asked(kept.handle, kept.session, kept.document).question
    rows = [("waits", f"{kept.handle}  {question.tool}  asked {_left(time.time(), kept.asked)} ago")]
    rows += [(name, line) for name, text in arguments_of(question) for name, line in _lines(name, text)]
    rows += _lines("would", question.preview) if question.preview else []
    rows += [
        line for place, reason in enumerate(question.reasons) for line in _lines("" if place else "because", reason)
    ]
    rows.append(("expires", f"in {_left(kept.expires)}; in the session {kept.session}"))
    rows.append(("allow", f"hilt approvals approve {kept.handle}" + _scopes(question.scopes)))
    rows.append(("refuse", f"hilt approvals reject {kept.handle} --reason TEXT"))
    return pairs([(visible(name), visible(text)) for name, text in rows], paint=lambda name: out.paint(name, "dim"))


def _scopes(scopes: Sequence[str]) -> str:
    return f" [--scope {'|'.join(scopes)}]" if len(scopes) > 1 else ""


def _lines(name: str, text: str) -> list[tuple[str, str]]:
    return [("" if place else name, line) for place, line in enumerate(text.split("\n"))]


def _rfc3339(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _left(until: float, since: float | None = None) -> str:
    """A length of time in its two largest units."""
    seconds = max(0, round(until - (time.time() if since is None else since)))
    units = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
    words: list[str] = []
    for size, unit in units:
        count, seconds = divmod(seconds, size)
        if count and len(words) < 2:
            words.append(f"{count} {unit}")
    return " ".join(words) or "0 s"
