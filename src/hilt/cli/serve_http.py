"""`hilt serve --http`: where it listens, whose tokens it takes, and what a worker opens."""

import ipaddress
import os
import socket
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex

import anyio

from hilt.adapters.mcp_http import address, listen, serve_http
from hilt.adapters.mcp_http_door import PATH, is_origin
from hilt.adapters.mcp_http_plan import Opened, Plan
from hilt.adapters.mcp_http_tokens import Token, checked, made_token, read_tokens
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import Config, read_config
from hilt.cli.faults import Code, CommandError
from hilt.cli.output import Out
from hilt.cli.serve_asked import HOST, Asked
from hilt.cli.verb import Place
from hilt.cli.version import VERSION
from hilt.store import MEMORY

VARIABLE = "HILT_TOKEN"
MARK_BYTES = 3
OTHERS = 0o077
"""Bits of a file's mode that let anybody but its owner in."""
SERVER_SESSION = "http"
"""The session of the server itself, in which no call runs; jobs in the background outlive a worker because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """The tokens, where they came from, and whether they were made here."""

    tokens: tuple[Token, ...]
    place: str
    made: bool = False


def serve_over_http(out: Out, place: Place, asked: Asked, *, structured: bool) -> int:
    """Serve until told to end. Raises `HiltError`."""
    config = read_config(place.workspace, file=place.config, settings=place.settings)
    if asked.workers > 1 and config.text("store.where") == MEMORY:
        raise CommandError(
            f"{asked.workers} workers share their sessions in the store, and store.where is {MEMORY}",
            "leave store.where out, or serve with --workers 1",
        )
    for each in asked.origins:
        if not is_origin(each):
            raise CommandError(
                f"--allow-origin {each} is no web origin", "name it as browsers do: https://app.example:8443"
            )
    keys = _keys(asked)
    if asked.token_file is not None and os.name == "posix" and asked.token_file.stat().st_mode & OTHERS:
        out.note(f"others on this machine can read the tokens in {asked.token_file}: chmod 600 {asked.token_file}")
    plan = Plan(
        open=partial(_opened, place, out),
        tokens=keys.tokens,
        scope=_scope(config, place),
        version=VERSION,
        structured=structured,
        hosts=(asked.host, socket.gethostname()),
        origins=asked.origins,
    )
    listener = listen(asked.host, asked.port)
    serve_http(plan, listener, workers=asked.workers, ready=partial(_announce, out, keys, _url(listener), asked))
    return Code.FINE


def _opened(place: Place, out: Out, speaks: bool) -> Opened:  # noqa: FBT001 - as `Plan.open` is called
    """What one worker serves."""
    from hilt.adapters.mcp_people import ClientPerson  # lazy: the first process of several need not load the SDK

    os.environ.pop(VARIABLE, None)  # what tools start need not know it
    config = read_config(place.workspace, file=place.config, settings=place.settings)
    person = ClientPerson(inbox=config.value("review.inbox") is True)
    assembled = open_runtime(place.workspace, config=config, person=person, session=SERVER_SESSION)
    # Several workers make calls of one session at once, and the log and the trail know a call by its key.
    assembled.runtime.mark_calls(f"{token_hex(MARK_BYTES)}.")
    if speaks:
        for note in assembled.notes:
            out.note(note)
    return Opened(
        runtime=assembled.runtime,
        beside=partial(_beside, assembled),
        closing=assembled.close,
        know=assembled.trace.know,
        passing=assembled.gateway.passing if assembled.gateway else None,
        settling=assembled.gateway.ready if assembled.gateway else None,
    )


async def _beside(assembled: Assembled) -> None:
    """What goes on while a worker serves: the trace is written, and servers behind are run."""
    async with anyio.create_task_group() as group:
        group.start_soon(assembled.trace.keep_flushing)
        if assembled.gateway is not None:
            group.start_soon(assembled.gateway.run)


def _keys(asked: Asked) -> _Keys:
    """The tokens the person gave, else one made now, which is for this machine alone."""
    given = os.environ.pop(VARIABLE, "")
    if asked.token_file is not None and given:
        raise CommandError(f"both --token-file and {VARIABLE} give tokens", "leave one of them out")
    if asked.token_file is not None:
        text = asked.token_file.read_text(encoding="utf-8-sig", errors="replace")
        return _Keys(tokens=read_tokens(text, str(asked.token_file)), place=f"in {asked.token_file}")
    if given:
        return _Keys(tokens=(checked(Token(text=given), VARIABLE),), place=f"what {VARIABLE} was set to")
    if not _is_here(asked.host):
        raise CommandError(
            f"--host {asked.host} lets other machines in, and no token was given",
            f"give one: --token-file FILE, or the variable {VARIABLE}",
            f"serve this machine alone: --host {HOST}",
        )
    return _Keys(tokens=(made_token(),), place="shown below, this once", made=True)


def _is_here(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _scope(config: Config, place: Place) -> str:
    """What sessions belong to beside their principal: the folders that are served."""
    roots = config.paths("workspace.roots") or (place.workspace or Path.cwd(),)
    return "\n".join(sorted(str(each.absolute()) for each in roots))


def _url(listener: socket.socket) -> str:
    host, port = address(listener)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def _announce(out: Out, keys: _Keys, url: str, asked: Asked) -> None:
    """Where it listens, how a client is told, and where the token is: which stands in no line but its own."""
    add = f'claude mcp add --transport http hilt {url} --header "Authorization: Bearer ${VARIABLE}"'
    with_token = {"token": keys.tokens[0].text} if keys.made else {}
    document = {"url": url, "workers": asked.workers, "add": add, "token_is": keys.place, **with_token}
    processes = f", {asked.workers} workers" if asked.workers > 1 else ""
    text = f"serving MCP at {url}{processes}\nadd it to a client: {add}\n{VARIABLE} is the token: {keys.place}"
    if out.json:
        out.answer(document, text)
        return
    if not out.quiet:
        sys.stderr.write(f"{text}\n")
    if keys.made:
        sys.stderr.write(f"token: {keys.tokens[0].text}\n")
    sys.stderr.flush()
