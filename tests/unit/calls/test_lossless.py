"""A type that reads JSON without altering it is known beforehand; any doubt means that each call is proved."""

from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, field_serializer, field_validator
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from hilt.calls.lossless import lossless


class Place(BaseModel):
    name: str
    lines: list[int] = []
    more: dict[str, bool] | None = None


class Held(TypedDict):
    place: Place
    mode: NotRequired[Literal["a", 1, None]]


class Trimming(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    name: str


class Renaming(BaseModel):
    name: str = Field(alias="called")


class Checking(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def shorter(cls, name: str) -> str:
        return name[:1]


class Writing(BaseModel):
    name: str

    @field_serializer("name")
    def longer(self, name: str) -> str:
        return name * 2


class Later(BaseModel):
    name: str

    def model_post_init(self, context: Any) -> None:
        self.name = ""


class Tree(BaseModel):
    below: list["Tree"] = []


@dataclass
class Data:
    name: str = ""


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    "hint",
    [
        *(str, int, bool, None, Any, list, list[str], dict[str, int], int | str | None, Literal["a", "b"], Place, Held),
        *(Annotated[str, Field(min_length=1, pattern="a")], list[Place | None], dict[str, Any]),
    ],
    ids=str,
)
def test_json_in_plain_types_is_given_back_as_it_was(hint: Any) -> None:
    assert lossless(TypeAdapter(hint).core_schema)


@pytest.mark.parametrize(
    "hint",
    [
        *(float, bytes, date, Colour, Literal[Colour.RED], set[str], tuple[int, ...], dict[int, str], Data, Tree),
        *(Trimming, Renaming, Checking, Writing, Later, list[Checking], Trimming | None),
        *(Annotated[str, StringConstraints(to_lower=True)], Annotated[list[str], Field(max_length=2)] | float),
    ],
    ids=str,
)
def test_whatever_may_read_a_value_differently_is_proved(hint: Any) -> None:
    assert not lossless(TypeAdapter(hint).core_schema)


def test_what_is_no_schema_proves_nothing() -> None:
    assert not lossless(None)
    assert not lossless({"type": "dict"})
