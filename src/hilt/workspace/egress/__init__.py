"""The one way out of an isolated command: to the hosts a person allowed, through a filtering proxy of ours.

Start with `egress.py`: `Egress` keeps the proxy, a process of its own that outlives this one while
a command it serves runs on. `proxy.py` judges and carries each connection, `hosts.py` is what may
be reached, `request.py` reads what is asked. `forwarder.py` is run in the sandbox: it opens the
port that programs are told of, and hands it out to the proxy.

Not here: the sandbox itself (`isolation`), and fetching for a model (`network`).
"""

from hilt.workspace.egress.egress import Egress
from hilt.workspace.egress.events import Event

__all__ = ["Egress", "Event"]
