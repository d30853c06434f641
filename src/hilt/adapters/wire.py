"""What the wire forms of all providers share: SDK objects made plain, turns with an identity, ids that correlate.

Pure, and free of any SDK: an SDK's response object is recognised by its `model_dump`.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol, cast, runtime_checkable

from hilt.calls.call import ToolCall, Turn
from hilt.declarations.schema import is_array, is_object
from hilt.errors import WireError

Message = dict[str, object]
"""One message, block or item, as JSON."""

DIGEST_BYTES = 16
DEEPEST_MESSAGE = 12
"""Levels of a provider's own envelope, at most, down to where an SDK's object may stand."""
_NOT_THE_MODELS = frozenset({"cache_control", "index", "parsed", "parsed_arguments"})
"""Keys that SDKs and hosts add beside what the model wrote; a turn is the same with and without them."""


@runtime_checkable
class _Dumping(Protocol):
    def model_dump(self, *, by_alias: bool, warnings: bool) -> dict[str, object]: ...


def plain(message: object, *, levels: int = DEEPEST_MESSAGE) -> object:
    """The message as dicts and lists, whichever of its parts are an SDK's objects.

    Below `levels` there are only values a model wrote, which are as deep as it likes.
    """
    # JSON's own kinds first: to ask for a protocol takes microseconds, and a result has many parts.
    if message is None or isinstance(message, str | int | float):
        return message
    if type(message) not in (dict, list) and isinstance(message, _Dumping):
        return message.model_dump(by_alias=True, warnings=False)
    if levels == 0:
        return message
    if isinstance(message, Mapping):
        given = cast("Mapping[str, object]", message)
        return {key: plain(value, levels=levels - 1) for key, value in given.items()}
    if isinstance(message, list | tuple):
        return [plain(each, levels=levels - 1) for each in cast("Sequence[object]", message)]
    return message


def plain_object(message: object, provider: str) -> Message:
    """The message as one JSON object. Raises `WireError` when it is none."""
    made = plain(message)
    if not is_object(made):
        raise WireError(
            f"{provider}: a response is expected, and {type(message).__name__} was given",
            "pass the SDK's response, its message, or either as a dict",
        )
    return made


def objects(value: object) -> Iterator[Message]:
    """The JSON objects of a list; none where there is no list."""
    if is_array(value):
        yield from (each for each in value if is_object(each))


def words(value: object) -> str:
    """Text as it is, and "" for what is missing."""
    return value if isinstance(value, str) else ""


def argument_text(value: object, *, none: str) -> str:
    """Argument text as received; a provider that parsed it gets it written out again, key order kept.

    `none` is what a missing value stands for. NaN and lone surrogates stay in the text, for
    `decode` to refuse.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return none
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return _deep_text(value)


class _Written(str):
    """Text that is JSON already."""

    __slots__ = ()


def _deep_text(value: object) -> str:
    """JSON of any depth, without recursion: `decode` must see what was sent in order to refuse it."""
    written: list[str] = []
    left: list[object] = [value]
    while left:
        each = left.pop()
        if isinstance(each, _Written):
            written.append(each)
        elif is_object(each):
            names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in each]
            left += reversed([_Written("{"), *_members(names, each.values()), _Written("}")])
        elif is_array(each):
            left += reversed([_Written("["), *_members([""] * len(each), each), _Written("]")])
        else:
            written.append(json.dumps(each, ensure_ascii=False))
    return "".join(written)


def _members(names: Sequence[str], values: Iterable[object]) -> Iterator[object]:
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        yield _Written(f", {name}" if place else name)
        yield value


def turn(id: str, message: object, calls: Iterable[ToolCall]) -> Turn:
    """The turn of one assistant message; without the provider's `id` it has none of its own."""
    return Turn(id=f"{id}:{digest(message)}" if id else "", calls=tuple(calls))


def digest(message: object) -> str:
    """A digest of what the model wrote: equal for the SDK's object and for the same message kept as JSON."""
    written = json.dumps(_significant(message), sort_keys=True, separators=(",", ":"), default=_bytes_as_text)
    return blake2b(written.encode(), digest_size=DIGEST_BYTES).hexdigest()


def _significant(node: object) -> object:
    """Without what is absent in one form and null or empty in another."""
    if is_object(node):
        kept = {key: _significant(value) for key, value in node.items() if key not in _NOT_THE_MODELS}
        return {key: value for key, value in kept.items() if value not in (None, [], {})}
    return [_significant(each) for each in node] if is_array(node) else node


def _bytes_as_text(value: object) -> str:
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)


def fresh_ids(ids: Sequence[str]) -> list[str]:
    """One id a call, none empty and none twice; an id that can correlate stays itself.

    The same ids give the same answer every time, so that a message and its results agree.

    >>> fresh_ids(["c1", "c1", ""])
    ['c1', 'c1_1', 'call_2']
    """
    fresh: list[str] = []
    taken = set(ids)
    for place, id in enumerate(ids):
        if id and id not in fresh:
            fresh.append(id)
            continue
        candidate = f"{id or 'call'}_{place}"
        while candidate in taken:
            candidate += "_"
        taken.add(candidate)
        fresh.append(candidate)
    return fresh


def sendable(text: str) -> str:
    r"""Text that every provider takes: half a surrogate pair, which no encoder takes, is written as `\ud83e`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
