"""LangChain, both ways: a session's tools as its tools, and its tools as ours.

model = model.bind_tools(langchain.tools(runtime, session))
runtime = Runtime(langchain.from_langchain([tavily, retriever]))
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hilt.adapters.framework_tools import Judged
from hilt.adapters.frameworks import Door, Host
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import UNDECLARED
from hilt.errors import MissingExtra

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool

EXTRA = "langchain"


def tools(runtime: Host, session: Session, *, deferred: bool = False) -> "list[BaseTool]":
    """What the session offers now, for `bind_tools` or an agent.

    A tool call becomes a `ToolMessage`: its content the text and pictures, its status `error` where the call failed or
    was refused, its artifact the envelope as JSON. The list stays as it is: bind a new one when the session has loaded
    more, or give all tools at once with `deferred`, those that may wait marked `defer_loading` for providers that
    search. LangChain hands over arguments that it has parsed, and keeps text that is no JSON to itself. `invoke` runs
    the call in a thread of its own; use it or `ainvoke` for one runtime, not both at once. Raises `MissingExtra`.
    """
    try:
        from hilt.adapters.langchain_tools import hilt_tools
    except ImportError as error:
        raise MissingExtra("tools for LangChain", EXTRA) from error
    door = Door(host=runtime, session=session)
    return [*hilt_tools(door, door.offers(deferred=deferred))]


def from_langchain(
    source: "BaseTool | Iterable[BaseTool]",
    *,
    effects: Judged = UNDECLARED,
    server: str = "",
    injected: Mapping[str, object] | None = None,
    config: "RunnableConfig | None" = None,
) -> list[AnyTool]:
    """Tools of LangChain as ours.

    `injected` gives by name what a graph would inject, such as `state`; `config` goes along with every call. A
    `ToolException` becomes a failure of the class that its words tell, worded by the tool's own `handle_tool_error`;
    artifacts stay with the tool. Raises `MissingExtra`, and `DeclarationError` for an argument that nobody injects.
    """
    try:
        from hilt.adapters.langchain_foreign import tools_of
    except ImportError as error:
        raise MissingExtra("tools of LangChain", EXTRA) from error
    return tools_of(source, effects=effects, server=server, injected=injected or {}, config=config)
