"""The gateway that the settings ask for."""

from collections.abc import Callable
from functools import partial

from hilt.assembly.config import Config
from hilt.assembly.gateway.gateway import Gateway
from hilt.assembly.gateway.named import FROM, servers_of, style_of
from hilt.assembly.gateway.watching import follow
from hilt.assembly.server_tables import SERVERS
from hilt.calls.session import Session
from hilt.runtime.runtime import Runtime


def open_gateway(
    config: Config, runtime: Runtime, session: Session, *, changed: Callable[[], None] = lambda: None
) -> Gateway | None:
    """The gateway of a configuration, not yet running; None where it names no servers."""
    if not config.value(SERVERS) and not config.texts(FROM):
        return None
    servers = servers_of(config)
    gateway = Gateway(
        runtime,
        servers.specs,
        style=style_of(config),
        session=session,
        changed=changed,
        notes=(*servers.notes, *(each.problem for each in servers.faults)),
    )
    gateway.beside = partial(follow, gateway, config)
    return gateway
