"""pydantic-ai, both ways: a session's tools as its toolset, and its tools as ours.

agent = Agent("openai:gpt-5", toolsets=[pydantic_ai.toolset(runtime, session)])
runtime = Runtime(await pydantic_ai.from_pydantic_ai(agent))
"""

from typing import TYPE_CHECKING, TypeVar

from hilt.adapters.framework_tools import Judged
from hilt.adapters.frameworks import Door, Host
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import UNDECLARED
from hilt.errors import MissingExtra

if TYPE_CHECKING:
    from pydantic_ai import Agent, Tool
    from pydantic_ai.toolsets import AbstractToolset

DepsT = TypeVar("DepsT")
OutputT = TypeVar("OutputT")
EXTRA = "pydantic-ai"


def toolset(
    runtime: Host, session: Session, *, deferred: bool = False, id: str | None = None
) -> "AbstractToolset[object]":
    """What the session offers, as a toolset: read anew at each step, so that what is loaded appears in the next.

    A call that fails or is refused reaches the model as a failed result, and uses none of the framework's retries.
    With `deferred`, the tools that are not loaded are there too, for pydantic-ai's own tool search to find; without
    it, the framework refuses a call of such a tool itself. `id` is for durable execution. Raises `MissingExtra`.
    """
    try:
        from hilt.adapters.pydantic_ai_toolset import HiltToolset
    except ImportError as error:
        raise MissingExtra("a toolset for pydantic-ai", EXTRA) from error
    return HiltToolset(Door(host=runtime, session=session), id=id, deferred=deferred)


async def from_pydantic_ai(
    source: "Tool[DepsT] | AbstractToolset[DepsT] | Agent[DepsT, OutputT]",
    deps: DepsT = None,
    *,
    effects: Judged = UNDECLARED,
    server: str = "",
) -> list[AnyTool]:
    """The tools of pydantic-ai as ours: a tool, a toolset, or all toolsets of an agent, which is not run.

    `deps` is what their `RunContext` holds. A `ModelRetry` becomes `invalid_arguments`, a `ToolFailed` what its words
    say. A tool that `requires_approval` keeps every effect whatever `effects` say, so that a person is asked. A toolset
    that must be entered is entered by the host. Raises `MissingExtra` and `DeclarationError`.
    """
    try:
        from hilt.adapters.pydantic_ai_tools import tools_of
    except ImportError as error:
        raise MissingExtra("tools of pydantic-ai", EXTRA) from error
    return await tools_of(source, deps, effects=effects, server=server)
