"""FastMCP: the tools of a server in this process as ours, at once with bounds, classes of failure, policy and a bill.

runtime = Runtime(await fastmcp.from_fastmcp(server))
"""

from typing import TYPE_CHECKING, Any

from hilt.adapters.framework_tools import Judged
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import UNDECLARED
from hilt.errors import MissingExtra

if TYPE_CHECKING:
    from fastmcp import Client, FastMCP
    from fastmcp.tools import Tool

EXTRA = "fastmcp"


async def from_fastmcp(
    source: "FastMCP[Any] | Tool | Client[Any]", *, effects: Judged = UNDECLARED, server: str = ""
) -> list[AnyTool]:
    """The tools of a FastMCP server as ours; of one tool; or of a `Client` that the host has entered.

    A server is called in this process, through its middleware and without a transport. What needs its lifespan, reports
    progress or lies elsewhere needs a client: `async with Client(server) as client`. What a server says of its tools'
    effects counts for nothing. `server` is the server's own name unless given. Raises `MissingExtra` and
    `DeclarationError`.
    """
    try:
        from hilt.adapters.fastmcp_tools import tools_of
    except ImportError as error:
        raise MissingExtra("tools of FastMCP", EXTRA) from error
    return await tools_of(source, effects=effects, server=server)
