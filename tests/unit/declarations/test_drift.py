"""No built-in tool says a number that its code does not use, or promises a field it does not return."""

import importlib
import pkgutil
from typing import Annotated

import pytest

import hilt.tools
from hilt import Description, Param, Tool, tool
from tests.kit import perceiving
from tests.unit.declarations.drift import constants_of, numerals_without_constant, quoted_fields_not_returned

MODULES = [importlib.import_module(f"hilt.tools.{each.name}") for each in pkgutil.iter_modules(hilt.tools.__path__)]
TOOLS = {
    found.name: (found, module)
    for module in MODULES
    for found in vars(module).values()
    if isinstance(found, Tool) and found.function.__module__ == module.__name__
}
LEAST = 7


@pytest.mark.parametrize("name", TOOLS)
def test_every_number_a_built_in_tool_says_is_a_constant_of_its_code(name: str) -> None:
    found, module = TOOLS[name]

    assert numerals_without_constant(found, [*constants_of(module), 0, 1]) == []


@pytest.mark.parametrize("name", TOOLS)
def test_every_field_a_built_in_tool_promises_is_in_its_return(name: str) -> None:
    assert quoted_fields_not_returned(TOOLS[name][0]) == []


def test_a_number_without_a_constant_and_a_field_that_is_not_returned_are_found() -> None:
    @tool(**perceiving(description=Description(use_for=f"up to {LEAST} or 1,000 rows", returns="`rows` of 12 bytes")))
    def drifting(n: Annotated[int, Param("at most 99")]) -> str:
        return ""

    assert numerals_without_constant(drifting, [LEAST]) == ["1,000", "12", "99"]
    assert quoted_fields_not_returned(drifting) == ["rows"]
