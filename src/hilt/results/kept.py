"""A result as the ledger keeps it: every field, so that a turn presented again gets the same answer.

Not the public contract (`hilt.results.form`): this form is read back by the same version only.
"""

from functools import cache
from typing import TYPE_CHECKING

from hilt.results.envelope import ToolResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@cache
def _adapter() -> "TypeAdapter[ToolResult[object]]":
    from pydantic import ConfigDict, TypeAdapter, with_config  # lazy: costs 90 ms, and only answers need it

    config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(with_config(config)(ToolResult)[object])


def keep(result: ToolResult[object]) -> str:
    """The result as text for the ledger."""
    return _adapter().dump_json(result, exclude_defaults=True).decode()


def restore(text: str) -> ToolResult[object]:
    """The result that `keep` wrote."""
    return _adapter().validate_json(text)
