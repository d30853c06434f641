"""Completing a broken transcript, whatever the provider: every call gets its result, beside its turn, in call order.

Results that exist are kept and moved to their place; those that are missing come from the ledger.
Nothing is run, and every other message is handed back as it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hilt.adapters.wire import Message, fresh_ids, plain_object
from hilt.calls.adapter import Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One result in a transcript, and the call it names: by id, or by tool where the form has no ids."""

    id: str
    name: str
    content: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How one provider writes a transcript.

    `turn` reads the calls of a message; `blocks` finds results in a message, `without` leaves them
    out of it (None when nothing is left); `written` makes one block an answer, `after` messages
    that follow the blocks; `placed` makes messages of a turn's blocks, in front of what is left of
    the message that stood there; `repaired` and `labelled` give a turn and a block ids that correlate,
    except where a provider correlates by order and `ids_are_mended` is false.
    """

    provider: str
    ids_are_mended: bool = True
    turn: Callable[[Message], Turn]
    blocks: Callable[[Message], list[Block]]
    without: Callable[[Message, Sequence[Message]], Message | None]
    written: Callable[[Sequence[Answer]], list[Message]]
    after: Callable[[Sequence[Answer]], list[Message]]
    placed: Callable[[list[Message], Message | None], list[Message]]
    repaired: Callable[[Message], Message]
    labelled: Callable[[Message, str], Message]


@dataclass(slots=True, kw_only=True)
class _Open:
    """One turn with calls, and the results found for it, by place."""

    turn: Turn
    ids: list[str]
    found: dict[int, Message] = field(default_factory=dict[int, Message])
    after: list[Message] = field(default_factory=list[Message])

    def place_of(self, block: Block) -> int | None:
        """The first call without a result that the block can be for."""
        for place, call in enumerate(self.turn.calls):
            if place not in self.found and self._fits(block, call, self.ids[place]):
                return place
        return None

    def _fits(self, block: Block, call: ToolCall, id: str) -> bool:
        if block.name and not block.id:
            return block.name == call.name
        return block.id in (call.id, id)


async def answered(road: Road, session: Session, turn: Turn) -> list[Answer]:
    """The turn answered: kept in the ledger under the ids of its transcript, and naming the calls as received."""
    known = await road.answer(session, replace(turn, calls=ledger_calls(turn.calls)))
    return [replace(each, call=call) for each, call in zip(known, turn.calls, strict=True)]


def ledger_calls(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls with ids of their own, as in the repaired message; a block that a stream repeated keeps the first's."""
    ids = fresh_ids([call.id for call in calls])
    first: dict[tuple[str, str, str], str] = {}
    return tuple(
        replace(call, id=first.setdefault((call.id, call.name, call.arguments), id) if call.id else id)
        for call, id in zip(calls, ids, strict=True)
    )


async def completed(form: Form, road: Road, session: Session, messages: Sequence[object]) -> list[object]:
    """The transcript with one result for each call, contiguous and in call order. Runs nothing."""
    plain = [plain_object(each, form.provider) for each in messages]
    return as_given(await completed_plain(form, road, session, plain), plain, messages)


def as_given(whole: Sequence[Message], plain: Sequence[Message], messages: Sequence[object]) -> list[object]:
    """The messages as they were handed in, where they are still the same ones."""
    given = {id(made): message for made, message in zip(plain, messages, strict=True)}
    return [given.get(id(each), each) for each in whole]


async def completed_plain(form: Form, road: Road, session: Session, plain: Sequence[Message]) -> list[Message]:
    """As `completed`, of plain messages; those that did not change are the same objects."""
    turns, taken = _read(form, plain)
    for each in turns.values():
        await _recover(form, road, session, each)
    return _written(form, plain, turns, taken)


def _read(form: Form, plain: Sequence[Message]) -> tuple[dict[int, _Open], dict[int, list[Message]]]:
    """Turns with calls by their place, and the results that stand in each message and belong to one."""
    turns: dict[int, _Open] = {}
    taken: dict[int, list[Message]] = {}
    for index, message in enumerate(plain):
        turn = form.turn(message)
        if turn.calls:
            turns[index] = _Open(turn=turn, ids=fresh_ids([call.id for call in turn.calls]))
        for block in form.blocks(message):
            for each in reversed(turns.values()):
                place = each.place_of(block)
                if place is not None:
                    each.found[place] = block.content
                    taken.setdefault(index, []).append(block.content)
                    break
    return turns, taken


async def _recover(form: Form, road: Road, session: Session, each: _Open) -> None:
    missing = [place for place in range(len(each.turn.calls)) if place not in each.found]
    if not missing:
        return
    calls = ledger_calls(each.turn.calls) if form.ids_are_mended else each.turn.calls
    answers = await road.recover(session, replace(each.turn, calls=calls))
    lost = [replace(answers[place], call=each.turn.calls[place]) for place in missing]
    for place, block in zip(missing, form.written(lost), strict=True):
        each.found[place] = form.labelled(block, each.ids[place])
    each.after = form.after(lost)


def _written(
    form: Form, plain: Sequence[Message], turns: dict[int, _Open], taken: dict[int, list[Message]]
) -> list[Message]:
    whole: list[Message] = []
    done: set[int] = set()
    for index, message in enumerate(plain):
        if index in done:
            continue
        each = turns.get(index)
        if each is None:
            left = form.without(message, taken[index]) if index in taken else message
            whole += [left] if left is not None else []
            continue
        whole += [message if each.ids == [call.id for call in each.turn.calls] else form.repaired(message)]
        following = plain[index + 1] if index + 1 in taken else None
        left = form.without(following, taken[index + 1]) if following is not None else None
        blocks = _blocks(form, each)
        placed = form.placed(blocks, left)
        whole += [following] if following is not None and placed == [following] else placed
        whole += each.after
        done |= {index + 1} if following is not None else set()
    return whole


def _blocks(form: Form, each: _Open) -> list[Message]:
    """The results in call order, with their calls' ids where those had to be made."""
    return [
        each.found[place] if call.id == each.ids[place] else form.labelled(each.found[place], each.ids[place])
        for place, call in enumerate(each.turn.calls)
    ]
