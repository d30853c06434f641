"""A description cannot drift: its numbers are constants of the tool's module, the fields it quotes are returned."""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType

from hilt.calls.tool import AnyTool
from hilt.declarations.description import Environment
from hilt.declarations.schema import is_array, is_object

# No numeral: the figure of a name, such as UTF-8.
NUMERAL = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
EXAMPLE = re.compile(r'"[^"]*"')
QUOTED = re.compile(r"`([a-z_]+)`")


def numerals_without_constant(tool: AnyTool, constants: Iterable[float]) -> list[str]:
    """Numbers a model reads in the description and the parameters' texts that no constant stands behind."""
    known = {f"{number:,}" for number in constants} | {f"{number}" for number in constants}
    known |= {f"{number - 1:,}" for number in constants if isinstance(number, int)}
    said = (EXAMPLE.sub("", text) for text in texts(tool))
    return [found for text in said for found in NUMERAL.findall(text) if found not in known]


def texts(tool: AnyTool) -> Iterator[str]:
    """Everything written for the model."""
    yield tool.declaration.text(Environment())
    properties = tool.declaration.parameters.get("properties")
    if is_object(properties):
        for each in properties.values():
            if is_object(each) and isinstance(each.get("description"), str):
                yield str(each["description"])


def constants_of(*modules: ModuleType) -> list[float]:
    """Named constants of modules: upper-case numbers."""
    return [
        value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, (int, float)) and not isinstance(value, bool)
    ]


def field_names(schema: Mapping[str, object]) -> set[str]:
    """Names of fields anywhere in a schema."""
    names: set[str] = set()
    layer: list[object] = [schema]
    while layer:
        node = layer.pop()
        if is_object(node):
            properties = node.get("properties")
            names |= set(properties) if is_object(properties) else set()
            layer += node.values()
        elif is_array(node):
            layer += node
    return names


def quoted_fields_not_returned(tool: AnyTool) -> list[str]:
    """Fields that the description of the return quotes and the return schema does not have."""
    returns = tool.declaration.description.returns
    text = returns if isinstance(returns, str) else returns(Environment())
    properties = tool.declaration.parameters.get("properties")
    known = field_names(tool.declaration.returns) | (set(properties) if is_object(properties) else set())
    return [name for name in QUOTED.findall(text) if name not in known]
