"""Connections to other people's MCP servers: each alone, each kept, none able to harm another or the host.

Start with `connection.py`: an `Upstream` is one server, its state and its calls. `places.py` says
where one is and with which bounds; `stdio.py` and `http.py` are the two ways there; `peer.py` is the
protocol between them, `handshake.py` how it begins, `wording.py` what a model or person is told.

Not here: what becomes of a server's tools (`adapters/mcp_foreign.py`), which of them are offered, and
how long a call may take.
"""

from hilt.adapters.upstream.connection import Upstream
from hilt.adapters.upstream.places import Change, HttpPlace, Limits, Place, ServerUnreachable, State, StdioPlace

__all__ = ["Change", "HttpPlace", "Limits", "Place", "ServerUnreachable", "State", "StdioPlace", "Upstream"]
