"""What a model is told of isolation: once a session what holds, and with a failure what of it explains that."""

import re
from collections.abc import Iterator

from hilt.calls.resolver import Property
from hilt.calls.session import Session
from hilt.workspace.processes import Processes
from hilt.workspace.processes.supervisor import host_environment

SETTINGS = "hilt.toml, [isolation]"
LAST_CHARS = 8_000
"""Of the output, the end in which an error is looked for."""
_NO_NAME = re.compile(
    r"Temporary failure in name resolution|Could not resolve (?:host|proxy)|Name or service not known|ENOTFOUND"
    r"|EAI_AGAIN|getaddrinfo|No address associated|Network is unreachable|ENETUNREACH|Failed to resolve|dns error",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"Connection refused|ECONNREFUSED|Failed to connect|Couldn't connect to server", re.IGNORECASE)
_SOCKET = re.compile(r"socket.*(?:not permitted|denied)|(?:not permitted|denied).*socket|EPERM.*socket", re.IGNORECASE)
_READ_ONLY = re.compile(r"Read-only file system|EROFS", re.IGNORECASE)
_BUSY = re.compile(r"Device or resource busy|EBUSY", re.IGNORECASE)
_DENIED = re.compile(r"Permission denied|EACCES|Operation not permitted|EPERM", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"^bwrap: execvp (?P<program>.+): (?:No such file|Permission denied)", re.MULTILINE)
_NO_HOME = re.compile(r"(?:^|[\s'\"=:])(?:~|/root|/home/[^/\s]+|/Users/[^/\s]+)/[^\s'\"]+.*No such file", re.MULTILINE)


def isolation_note(processes: Processes, session: Session) -> list[str]:
    """What keeps commands to the workspace, or that nothing does; nothing where the session was told before."""
    owner = (session.principal, session.id)
    if processes.isolation is None or owner in processes.told:
        return []
    processes.told.add(owner)
    return [processes.isolation.says]


def withheld_note(processes: Processes, command: str) -> list[str]:
    """Which variables the command uses that are set here but kept from it."""
    said = processes.isolation.missed(command, host_environment()) if processes.isolation else ""
    return [said] if said else []


def explained_by_isolation(processes: Processes, code: int, output: str) -> list[str]:
    """What of isolation may be why a command failed, and what the person can change."""
    isolation = processes.isolation
    if isolation is None or not code:
        return []
    return list(dict.fromkeys(_reasons(isolation.properties, output[-LAST_CHARS:])))


def _reasons(properties: frozenset[Property], output: str) -> Iterator[str]:
    if "net_blocked" in properties:
        yield from _network(output)
    if "fs_write_confined" in properties:
        yield from _files(output)
    if "fs_read_confined" in properties and (found := _NOT_SHOWN.search(output)):
        yield f"commands do not see {found['program']}; the person can add its folder to readable in {SETTINGS}"
    elif "fs_read_confined" in properties and _NO_HOME.search(output):
        yield f"commands see an empty home folder; the person can add what they need to readable in {SETTINGS}"


def _network(output: str) -> Iterator[str]:
    if _NO_NAME.search(output) or _SOCKET.search(output):
        yield f"commands have no network; the person can name hosts they may reach: hosts in {SETTINGS}"
    elif _REFUSED.search(output):
        yield (
            "each command has a loopback of its own: what another one serves cannot be reached, so start server and "
            f"client in one command; for other hosts the person can add to hosts in {SETTINGS}"
        )


def _files(output: str) -> Iterator[str]:
    if _READ_ONLY.search(output) or _BUSY.search(output):
        yield (
            "commands change the workspace only, and in it no protected names (.git/config, .git/hooks, shell and "
            f"editor settings, hilt.toml); the person can add folders to writable in {SETTINGS}"
        )
    elif _DENIED.search(output):
        yield (
            "commands may reach the workspace, the system's folders and a private home alone; the person can add to "
            f"readable and writable in {SETTINGS}"
        )
