"""One request by the model, as it was received."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count


# No slots and its own __init__: the generated one of a frozen class takes twice as long, and every call makes one.
@dataclass(frozen=True, kw_only=True, init=False)
class ToolCall:
    """A call: the provider's id (it only correlates), the name asked for, the argument text *as received*.

    `position` is the call's place in its turn, from 0. `cut` says that the turn was ended by the
    output limit, so that the arguments may be half of what was meant.
    """

    name: str
    arguments: str = "{}"
    id: str = ""
    position: int = 0
    cut: bool = False

    def __init__(self, *, name: str, arguments: str = "{}", id: str = "", position: int = 0, cut: bool = False) -> None:
        own = self.__dict__
        own["name"], own["arguments"], own["id"] = name, arguments, id
        if position or cut:
            own["position"], own["cut"] = position, cut


def call(name: str, arguments: Mapping[str, object] | str | None = None, **more: object) -> ToolCall:
    """A call written by a program: `call("read_file", path="/a")` or with a ready mapping or JSON text."""
    if isinstance(arguments, str):
        return ToolCall(name=name, arguments=arguments, id=_fresh_id())
    given = {**(arguments or {}), **more}
    return ToolCall(name=name, arguments=_written(given), id=_fresh_id())


_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_numbers = count(1)


def _fresh_id() -> str:
    return f"call_{next(_numbers)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One assistant message's calls, in order.

    `id` is the provider's message id joined with a digest of the whole message, so that the same
    turn presented again is known; "" makes every presentation a new turn.
    """

    id: str = ""
    calls: tuple[ToolCall, ...] = field(default=())
