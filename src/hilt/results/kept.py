"""A result as the ledger keeps it: every field, so that a turn presented again gets the same answer.

Not the public contract (`hilt.results.form`): this form is read back by the same version only.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hilt.results.envelope import ToolResult
from hilt.results.parts import Audio, FilePart, Image, Part

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@cache
def _adapter() -> "TypeAdapter[ToolResult[object]]":
    from pydantic import ConfigDict, TypeAdapter, with_config  # lazy: costs 90 ms, and only answers need it

    config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(with_config(config)(ToolResult)[object])


class Kept(NamedTuple):
    """An answer as it was given: the result, and the text the model read."""

    result: ToolResult[object]
    text: str


def keep(result: ToolResult[object], text: str) -> str:
    """The answer for the ledger: one JSON object, the result's fields and beside them `text`."""
    fields = _adapter().dump_json(result, exclude_defaults=True).decode()
    beside: dict[str, object] = {"text": text}
    if result.parts:
        beside["kinds"] = [type(part).__name__ for part in result.parts]
    return f"{fields[:-1]},{json.dumps(beside)[1:]}"  # neither is empty: a summary is compulsory


def restore(kept: str) -> Kept:
    """The answer that `keep` wrote."""
    result, beside = _adapter().validate_json(kept), json.loads(kept)
    if result.parts:
        # Parts of two kinds may have the same fields, so that only their kind tells them apart.
        parts = [_KINDS[kind](**asdict(part)) for kind, part in zip(beside["kinds"], result.parts, strict=True)]
        result = replace(result, parts=tuple(parts))
    return Kept(result, beside["text"])


_KINDS: dict[str, Callable[..., Part]] = {kind.__name__: kind for kind in (Image, Audio, FilePart)}
