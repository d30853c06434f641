"""A result as the ledger keeps it: every field, so that a turn presented again gets the same answer.

Not the public contract (`hilt.results.form`): this form is read back by the same version only.
"""

import json
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hilt.results.envelope import ToolResult

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
    return f'{fields[:-1]},"text":{json.dumps(text)}}}'  # never empty before: a summary is compulsory


def restore(kept: str) -> Kept:
    """The answer that `keep` wrote."""
    return Kept(_adapter().validate_json(kept), json.loads(kept)["text"])
