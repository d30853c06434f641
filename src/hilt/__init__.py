"""Hilt: the tool layer between language models and the world.

    from hilt import Description, Param, Runtime, Session, tool

Every name here is loaded when it is first used, so that `import hilt` costs nothing; inside
`src/hilt`, import from the rooms. The road is `hilt.runtime.pipeline`; the map of rooms is
`docs/architecture.md`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Aborted": "hilt.results.failures",
    "Awaiting": "hilt.declarations.declaration",
    "Budget": "hilt.results.cutting",
    "Check": "hilt.declarations.checks",
    "Collaboration": "hilt.declarations.declaration",
    "Communication": "hilt.declarations.declaration",
    "Context": "hilt.calls.context",
    "Description": "hilt.declarations.description",
    "Effects": "hilt.declarations.effects",
    "EnvironmentFailure": "hilt.results.failures",
    "HiltError": "hilt.errors",
    "Image": "hilt.results.parts",
    "InvalidArguments": "hilt.results.failures",
    "Limit": "hilt.results.envelope",
    "Param": "hilt.declarations.parameters",
    "Ref": "hilt.declarations.parameters",
    "Repair": "hilt.declarations.parameters",
    "Retryable": "hilt.results.failures",
    "Runtime": "hilt.runtime.runtime",
    "Session": "hilt.calls.session",
    "Tool": "hilt.calls.tool",
    "ToolCall": "hilt.calls.call",
    "ToolFailure": "hilt.results.failures",
    "ToolResult": "hilt.results.envelope",
    "Truncation": "hilt.results.envelope",
    "call": "hilt.calls.call",
    "schema_tool": "hilt.calls.tool",
    "tool": "hilt.calls.declaring",
}

if TYPE_CHECKING:
    from hilt.calls.call import ToolCall as ToolCall
    from hilt.calls.call import call as call
    from hilt.calls.context import Context as Context
    from hilt.calls.declaring import tool as tool
    from hilt.calls.session import Session as Session
    from hilt.calls.tool import Tool as Tool
    from hilt.calls.tool import schema_tool as schema_tool
    from hilt.declarations.checks import Check as Check
    from hilt.declarations.declaration import Awaiting as Awaiting
    from hilt.declarations.declaration import Collaboration as Collaboration
    from hilt.declarations.declaration import Communication as Communication
    from hilt.declarations.description import Description as Description
    from hilt.declarations.effects import Effects as Effects
    from hilt.declarations.parameters import Param as Param
    from hilt.declarations.parameters import Ref as Ref
    from hilt.declarations.parameters import Repair as Repair
    from hilt.errors import HiltError as HiltError
    from hilt.results.cutting import Budget as Budget
    from hilt.results.envelope import Limit as Limit
    from hilt.results.envelope import ToolResult as ToolResult
    from hilt.results.envelope import Truncation as Truncation
    from hilt.results.failures import Aborted as Aborted
    from hilt.results.failures import EnvironmentFailure as EnvironmentFailure
    from hilt.results.failures import InvalidArguments as InvalidArguments
    from hilt.results.failures import Retryable as Retryable
    from hilt.results.failures import ToolFailure as ToolFailure
    from hilt.results.parts import Image as Image
    from hilt.runtime.runtime import Runtime as Runtime

__all__ = [
    "Aborted",
    "Awaiting",
    "Budget",
    "Check",
    "Collaboration",
    "Communication",
    "Context",
    "Description",
    "Effects",
    "EnvironmentFailure",
    "HiltError",
    "Image",
    "InvalidArguments",
    "Limit",
    "Param",
    "Ref",
    "Repair",
    "Retryable",
    "Runtime",
    "Session",
    "Tool",
    "ToolCall",
    "ToolFailure",
    "ToolResult",
    "Truncation",
    "__version__",
    "call",
    "schema_tool",
    "tool",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"hilt has no {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
