"""The network as tools may touch it: public web pages, read within bounds.

Start with `network/web.py`: `Web` fetches a page through robots.txt, redirects and a cache.
`network/client.py` makes one exchange, and its connections go only to addresses that
`network/addresses.py` has let through, whatever a name resolves to; `network/urls.py` reads what a
model wrote as an address.

Not here: what a page says (`documents`), and whether a call may fetch at all (`policy`).
"""

from hilt.workspace.network.addresses import AddressRules
from hilt.workspace.network.client import Client
from hilt.workspace.network.pages import Page
from hilt.workspace.network.resolving import NameResolver
from hilt.workspace.network.web import Web

__all__ = ["AddressRules", "Client", "NameResolver", "Page", "Web"]
