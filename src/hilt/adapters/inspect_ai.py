"""Inspect AI, both ways: a session's tools in an evaluation, and Inspect's tools as ours.

solver = react(tools=inspect_ai.source(runtime, session))
runtime = Runtime(inspect_ai.from_inspect_ai([add()]))
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hilt.adapters.framework_tools import Judged
from hilt.adapters.frameworks import Door, Host
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import UNDECLARED
from hilt.errors import MissingExtra

if TYPE_CHECKING:
    from inspect_ai.tool import Tool, ToolDef, ToolSource

EXTRA = "inspect"


def tools(runtime: Host, session: Session, *, deferred: bool = False) -> "list[ToolDef]":
    """What the session offers now; with `deferred`, all tools at once. The list stays as it is: see `source`.

    Inspect checks arguments against the same schema before the road does, in its own words; keywords it does not
    know are told in descriptions. A failure keeps its text, as an error of Inspect's type `parsing`, `approval`
    (refused) or `unknown`. Results are never cut a second time. Raises `MissingExtra`.
    """
    try:
        from hilt.adapters.inspect_ai_tools import hilt_tools
    except ImportError as error:
        raise MissingExtra("tools for Inspect AI", EXTRA) from error
    door = Door(host=runtime, session=session)
    return [*hilt_tools(door, door.offers(deferred=deferred))]


def source(runtime: Host, session: Session) -> "ToolSource":
    """As `tools`, read anew for every generation: what the session has loaded appears. Raises `MissingExtra`."""
    try:
        from hilt.adapters.inspect_ai_tools import HiltSource
    except ImportError as error:
        raise MissingExtra("tools for Inspect AI", EXTRA) from error
    return HiltSource(Door(host=runtime, session=session))


def from_inspect_ai(
    source: "Tool | ToolDef | Iterable[Tool | ToolDef]", *, effects: Judged = UNDECLARED, server: str = ""
) -> list[AnyTool]:
    """Inspect's tools as ours, called through its own `execute_tools`: approvals and errors are the sample's.

    A tool that needs a sample (a sandbox, a store) needs one here too. Raises `MissingExtra` and `DeclarationError`.
    """
    try:
        from hilt.adapters.inspect_ai_foreign import tools_of
    except ImportError as error:
        raise MissingExtra("tools of Inspect AI", EXTRA) from error
    return tools_of(source, effects=effects, server=server)
