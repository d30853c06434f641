"""A return is held to its declaration: it becomes items, or it is the host's fault and never a success."""

import typing
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from hilt import ToolResult, tool
from tests.kit import answered, perceiving, runtime


@dataclass
class Point:
    x: int
    y: int = 0


class Old(typing.TypedDict):
    a: int


class Loose(BaseModel):
    anything: Any


def _misused() -> Point:
    fields: dict[str, Any] = {"x": 1, "y": "2"}
    return Point(**fields)


@pytest.mark.parametrize(
    ("hint", "value", "items"),
    [
        (None, None, ()),
        (str | None, None, ()),
        (str | None, "a", ("a",)),
        (list[int] | None, None, ()),
        (list[int] | None, [1], (1,)),
        (int | str | None, 1, (1,)),
        (Sequence[int], (1,), (1,)),
        (tuple[int, ...], (1,), (1,)),
        (tuple[int, str], (1, "a"), ([1, "a"],)),
        (Annotated[list[int], "noted"], [1], (1,)),
        (Annotated[int, "noted"], 1, (1,)),
        (Point, Point(1, 2), ({"x": 1, "y": 2},)),
        (Old, {"a": 1}, ({"a": 1},)),
        (dict[str, Any], {"a": [1]}, ({"a": [1]},)),
        (datetime, datetime(2026, 1, 1), ("2026-01-01T00:00:00",)),
        (ToolResult[None], ToolResult(summary="x"), ()),
        (ToolResult[int], ToolResult(summary="x", items=(1,)), (1,)),
        (Loose, Loose(anything=1.5), ({"anything": 1.5},)),
    ],
    ids=ascii,
)
async def test_a_return_becomes_items_as_it_is_declared(hint: Any, value: object, items: tuple[object, ...]) -> None:
    def give() -> Any:
        return value

    give.__annotations__ = {"return": hint}
    result = (await answered(runtime(tool(**perceiving())(give)), "give")).result

    assert not result.is_error
    assert result.items == items


class Unshown:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("hint", "value", "says"),
    [
        (None, 1, "declared None, returned int 1"),
        (str, 1, "declared str, returned int 1"),
        (str, Unshown, "declared str, returned Unshown"),
        (int, True, "valid integer"),
        (list[int], "12", "declared a list, returned str '12'"),
        (list[int], ["1"], "0: Input should be a valid integer"),
        (Point, {"x": 1}, "instance of Point"),
        (Old, {"a": 1, "z": 2}, None),
        (float, float("nan"), "item 0 is nan, which JSON has not"),
        (dict[str, Any], {"a": [1, {"b": float("-inf")}]}, "item 0.a[1].b is -inf"),
        (dict[str, Any], {"a": range}, "Unable to serialize"),
        (bytes, b"\xff", "invalid utf-8"),
        (Loose, Loose(anything=range), "Unable to serialize"),
        (Loose, Loose(anything=[float("nan")]), "item 0.anything[0] is nan"),
        (Point, _misused(), "Expected `int`"),
        (ToolResult[None], ToolResult(summary="x", items=(1,)), "declared no items, returned 1"),
    ],
    ids=ascii,
)
async def test_a_return_that_breaks_its_declaration_is_never_a_success(
    hint: Any, value: object, says: str | None
) -> None:
    def give() -> Any:
        return value() if value is Unshown else value

    give.__annotations__ = {"return": hint}
    answer = await answered(runtime(tool(**perceiving())(give)), "give")

    if says is None:
        assert answer.result.items == ({"a": 1},)  # a field that is not declared does not leave
        return
    assert answer.result.failure is not None
    assert "the tool give is faulty" in answer.text
    assert says in answer.text
