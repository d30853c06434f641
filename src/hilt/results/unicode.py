"""Text that every encoder takes. Python's strings may hold half of a surrogate pair, which UTF-8 cannot.

It comes from file names that are not UTF-8 and from cut UTF-16; it is shown escaped, and told.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from hilt.results.envelope import ToolResult

SURROGATES = "halves of surrogate pairs, which are no text, are shown as \\udXXX"


def well_formed(text: str) -> bool:
    """Whether the text can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_surrogates(result: ToolResult[object]) -> ToolResult[object]:
    """The result with every half of a pair escaped, in its words and in its items."""
    return replace(
        result,
        summary=_escaped(result.summary),
        items=tuple(_clean(each) for each in result.items),
        notes=tuple(map(_escaped, result.notes)),
        failure=result.failure
        and replace(
            result.failure,
            problem=_escaped(result.failure.problem),
            next_steps=tuple(map(_escaped, result.failure.next_steps)),
        ),
        denied=result.denied
        and replace(
            result.denied,
            reason=_escaped(result.denied.reason),
            next_steps=tuple(map(_escaped, result.denied.next_steps)),
        ),
    )


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _clean(value: object) -> object:
    if isinstance(value, str):
        return value if well_formed(value) else _escaped(value)
    if isinstance(value, list):
        return [_clean(each) for each in cast("list[object]", value)]
    if isinstance(value, Mapping):
        record = cast("Mapping[str, object]", value)
        return {_escaped(name): _clean(each) for name, each in record.items()}
    return value
