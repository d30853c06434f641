"""JSON-RPC frames as an MCP client writes them: read without altering a byte, or refused under the id they came with.

The text of a tool call's arguments is kept as it was received, for the road to judge: it is the
model's. Everything else is the client program's, and a fault there is a protocol error.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from hilt.declarations.schema import is_object

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
JSONRPC = "2.0"
CALL_METHOD = "tools/call"
EARLY = 4_096
"""Bytes of an overlong frame that are searched for its id."""

RequestId = int | str

_skip_space = re.compile(r"[ \t\r\n]*").match


class FrameFault(Exception):
    """A frame that is no JSON-RPC message. `id` is that of the request it was to be, where it could be read."""

    def __init__(self, code: int, problem: str, id: RequestId | None) -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem
        self.id = id

    def answer(self) -> bytes:
        """The JSON-RPC error that answers it, as one frame."""
        fault = {"code": self.code, "message": self.problem}
        return json.dumps({"jsonrpc": JSONRPC, "id": self.id, "error": fault}).encode() + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One JSON-RPC message. `arguments` is the text of a tool call's arguments; `message` then holds `{}` for them."""

    message: dict[str, object]
    arguments: str | None = None


class Lines:
    """Bytes as they arrive, cut into frames at line feeds. A frame over `longest` bytes is refused and skipped."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._skipping = False

    def feed(self, piece: bytes) -> Iterator[bytes | FrameFault]:
        """The frames that `piece` completes."""
        self._buffer += piece
        start = 0
        # What was searched before is not searched again: a frame may come in hundreds of pieces.
        while (end := self._buffer.find(b"\n", max(start, self._searched))) >= 0:
            yield from self._whole(bytes(self._buffer[start:end]))
            start = self._searched = end + 1
        del self._buffer[:start]
        if len(self._buffer) > self._longest:
            yield from self._whole(bytes(self._buffer))
            self._skipping = True
            self._buffer.clear()
        self._searched = len(self._buffer)

    def rest(self) -> Iterator[bytes | FrameFault]:
        """What stands after the last line feed, when no more comes."""
        yield from self._whole(bytes(self._buffer))
        self._buffer.clear()

    def _whole(self, line: bytes) -> Iterator[bytes | FrameFault]:
        if self._skipping:
            self._skipping = False
        elif len(line) > self._longest:
            yield FrameFault(INVALID_REQUEST, f"a frame has at most {self._longest:,} bytes", _early_id(line))
        elif line.strip():
            yield line


def _early_id(line: bytes) -> RequestId | None:
    """The id of a frame that is too long to be read whole, where it stands before its params."""
    walk = _Walk(line[:EARLY].decode("utf-8", "replace"))
    with suppress(ValueError, RecursionError, FrameFault):
        walk.whole()
    return walk.id


def read_frame(line: bytes) -> Frame:
    """One frame, without its line feed. Raises `FrameFault`."""
    text, unreadable = _decoded(line)
    walk = _Walk(text)
    try:
        walk.whole()
    except RecursionError:
        raise FrameFault(INVALID_REQUEST, "the frame is nested too deep to be read", walk.id) from None
    except ValueError as error:
        raise FrameFault(PARSE_ERROR, f"the frame is not one JSON object: {error}", walk.id) from None
    if unreadable:
        raise FrameFault(PARSE_ERROR, unreadable, walk.id)
    return walk.frame()


def _decoded(line: bytes) -> tuple[str, str]:
    """The frame as text, and what keeps it from being UTF-8: then the text is good for finding the id alone."""
    try:
        return line.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return line.decode("utf-8", "replace"), f"byte {error.start} of the frame is not UTF-8"


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are each given once: of two, any choice would alter what was sent."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError(f"the key {_repeated(key for key, _ in pairs)!r} is given twice")
    return made


def _repeated(keys: Iterator[str]) -> str:
    """The first key that comes again."""
    seen: set[str] = set()
    return next((key for key in keys if key in seen or seen.add(key)), "")


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number).raw_decode
# Finds where a value ends and throws the value away, so numbers of any length may stay text.
_EXTENT = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len).raw_decode


class _Walk:
    """Reads the envelope by hand, so that the arguments' own text is found, and values by the fast decoder."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.id: RequestId | None = None
        self._message: dict[str, object] = {}
        self._arguments: str | None = None

    def whole(self) -> None:
        """Read all of the text. Raises `ValueError` where it stops being one JSON object."""
        place = self._space(0)
        if self.text.startswith("[", place):
            _STRICT(self.text, place)
            raise FrameFault(INVALID_REQUEST, "a frame is one object; send the messages of a batch one by one", None)
        end = self._space(self._members(place, self._top))
        if end != len(self.text):
            raise ValueError(f"more follows after its end at character {end}")

    def frame(self) -> Frame:
        """What was read, as a message. Raises `FrameFault` where it is none of JSON-RPC's."""
        message, arguments = self._message, self._arguments
        if problem := _problem(message):
            raise FrameFault(INVALID_REQUEST, problem, self.id)
        params = message.get("params")
        if arguments is None or not is_object(params):
            return Frame(message=message)
        if message.get("method") != CALL_METHOD:
            try:
                params["arguments"] = _STRICT(arguments)[0]
            except ValueError as error:
                raise FrameFault(PARSE_ERROR, str(error), self.id) from None
            return Frame(message=message)
        return Frame(message=message, arguments="{}" if arguments == "null" else arguments)

    def _top(self, key: str, place: int) -> int:
        if key == "params" and self.text.startswith("{", place):
            params: dict[str, object] = {}
            self._message[key] = params
            return self._members(place, lambda name, at: self._param(params, name, at))
        value, end = _STRICT(self.text, place)
        self._message[key] = value
        if key == "id" and _is_id(value):
            self.id = value
        return end

    def _param(self, params: dict[str, object], key: str, place: int) -> int:
        if key == "arguments":
            end = _EXTENT(self.text, place)[1]
            self._arguments = self.text[place:end]
            params[key] = {}
            return end
        params[key], end = _STRICT(self.text, place)
        return end

    def _members(self, place: int, take: Callable[[str, int], int]) -> int:
        """Read the object that begins at `place`: `take` reads the value of each key, and says where it ends."""
        text = self.text
        self._expect("{", place)
        place = self._space(place + 1)
        if text.startswith("}", place):
            return place + 1
        seen: set[str] = set()
        while True:
            self._expect('"', place)
            key, place = _STRICT(text, place)
            if key in seen:
                raise ValueError(f"the key {key!r} is given twice")
            seen.add(key)
            place = self._space(place)
            self._expect(":", place)
            place = self._space(take(key, self._space(place + 1)))
            if text.startswith("}", place):
                return place + 1
            self._expect(",", place)
            place = self._space(place + 1)

    def _space(self, place: int) -> int:
        found = _skip_space(self.text, place)
        return found.end() if found else place

    def _expect(self, mark: str, place: int) -> None:
        if not self.text.startswith(mark, place):
            found = self.text[place : place + 1]
            raise ValueError(f"{mark} is expected at character {place}, " + (f"not {found!r}" if found else "the end"))


def _problem(message: dict[str, object]) -> str:
    """What keeps an object from being a JSON-RPC message; "" when nothing does."""
    if message.get("jsonrpc") != JSONRPC:
        return 'a message says "jsonrpc": "2.0"'
    if "id" in message and not _is_id(message["id"]) and not ("error" in message and message["id"] is None):
        return "an id is a string or an integer"
    if "method" not in message:
        is_answer = "id" in message and ("result" in message) != ("error" in message)
        return "" if is_answer else "a message has a method, or an id and one of result and error"
    if not isinstance(message["method"], str):
        return "a method is a string"
    return "" if is_object(message.get("params", {})) else "params are an object"


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
