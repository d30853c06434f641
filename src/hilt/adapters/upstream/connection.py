"""`Upstream`: one server, connected to when somebody asks, kept, and come back to when it was lost."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Literal, Protocol, cast

import anyio
from anyio.abc import TaskStatus

from hilt.adapters.upstream import wording
from hilt.adapters.upstream.faults import (
    METHOD_NOT_FOUND,
    BrokenAnswer,
    CannotConnect,
    Expired,
    Lost,
    NotSent,
    RpcError,
)
from hilt.adapters.upstream.frames import LastLines
from hilt.adapters.upstream.handshake import WITHOUT_HANDSHAKE, Hello, shake
from hilt.adapters.upstream.nest import nest
from hilt.adapters.upstream.peer import Message, Peer, Progress
from hilt.adapters.upstream.places import Change, Limits, Mask, Place, ServerUnreachable, State, StdioPlace
from hilt.adapters.upstream.stdio import started
from hilt.declarations.schema import is_array, is_object
from hilt.results.failures import EnvironmentFailure, ToolFailure
from hilt.workspace.processes import Processes

PATIENT_S = 1.0
"""Seconds a caller waits for a reconnect; when it is further off, the caller is told instead."""
SETTLE_S = 0.05
"""Seconds in which notices of the same change are taken for one."""
BY_HAND = "run it by hand and see what it says: {}"

_FAULTS = (RpcError, BrokenAnswer, Lost, NotSent, Expired)
_Kind = Literal["tools", "resources", "prompts"]
_CHANGED: Mapping[str, _Kind] = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}
_log = logging.getLogger(__name__)


class _Link(Protocol):
    failure: Exception
    ended: anyio.Event

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None: ...


class Upstream:
    """One MCP server. `run` owns the connection and lasts as long as the host; the rest is called beside it.

        upstream = Upstream("files", StdioPlace(("mcp-files", "/data")))
        group.start_soon(upstream.run)
        tools = await upstream.tools()
        result = await upstream.call("read", {"path": "a.txt"})

    A connection that was lost is made anew by itself, each time later; what ran meanwhile is never
    repeated. `state`, `fault` and `last_lines` say how it stands, `line` all of it in one line.
    """

    def __init__(self, name: str, place: Place, limits: Limits = Limits()) -> None:  # noqa: B008  # frozen
        self.name = name
        self.place = place
        self.state: State = "idle"
        self.fault = ""
        self.restarts = 0
        self.server_name = name
        self.instructions = ""
        self.protocol = ""
        self._limits = limits
        self._mask = Mask(place)
        self._lines = LastLines(self._mask)
        self._step = BY_HAND.format(place.shown)
        self._listeners: list[Callable[[Change], None]] = []
        self._unsettled: set[_Kind] = set()
        self._peer: Peer | None = None
        self._offers: frozenset[str] = frozenset()
        self._scope: anyio.CancelScope | None = None
        self._done = anyio.Event()
        self._wanted = anyio.Event()
        self._moved = anyio.Event()
        self._was_ready = False
        self._ready_at = self._retry_at = 0.0
        self._failures = self._tried = 0

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last the server wrote beside its messages, cut and without secrets."""
        return tuple(self._lines)

    @property
    def line(self) -> str:
        """How it stands, for a person."""
        again = f", tried again in {self._remaining():.1f} s" if self.state == "waiting" else ""
        restarts = f", restarted {self.restarts}x" if self.restarts else ""
        fault = f": {self.fault}" if self.fault and self.state != "ready" else ""
        return f"{self.name} {self.state}{again}{restarts}{fault}"

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Have every change told, in the event loop of `run`."""
        self._listeners.append(listener)

    def wake(self) -> None:
        """Connect now, though nobody asks yet."""
        self._wanted.set()

    async def run(self) -> None:
        """Connect when somebody asks, and again after a loss, until closed or cancelled."""
        if self.state == "closed":
            return
        with anyio.CancelScope() as self._scope:
            try:
                async with nest() as processes:
                    await self._keep_up(processes)
            finally:
                self._move("closed")
                self._done.set()

    async def close(self) -> None:
        """End the connection, and the server where we started it."""
        if self._scope is None:
            self._move("closed")
        elif self.state != "closed":
            self._scope.cancel()
            await self._done.wait()

    async def _keep_up(self, processes: Processes) -> None:
        while True:
            await self._wanted.wait()
            self._move("connecting")
            failure = await self._once(processes)
            if isinstance(failure, Expired):
                continue
            if self.state == "waiting":
                await anyio.sleep(max(self._remaining(), 0.0))

    def _note(self, failure: Exception) -> None:
        now = anyio.current_time()
        if not self._ready_at:
            self._tried += 1
        elif now - self._ready_at >= self._limits.healthy_s:
            self._failures = 0
        self._ready_at = 0.0
        self._failures += 1
        self.fault = wording.cut(self._mask(str(failure)))
        final = False
        self._step = BY_HAND.format(self.place.shown)
        if isinstance(failure, CannotConnect):
            final, self._step = failure.final, failure.step
        self._retry_at = now + self._limits.delay_s(self._failures)
        if final or self._failures >= self._limits.tries:
            self._wanted = anyio.Event()
            self._move("failed")
        else:
            self._move("waiting")

    async def _once(self, processes: Processes) -> Exception:
        """One connection from its start to its end; how it ended."""
        self._lines = lines = LastLines(self._mask)
        peer = Peer(self._heard)
        try:
            async with self._opened(peer, processes, lines) as link:
                return await self._beside(peer, link)
        except CannotConnect as error:
            self._note(error)
            return error
        finally:
            self._peer = None
            peer.end(Lost("it is being closed"))

    async def _beside(self, peer: Peer, link: _Link) -> Exception:
        failure: Exception = Lost("it is being closed")
        async with anyio.create_task_group() as group:
            await group.start(link.run)
            failure = await self._lived(peer, link, group.start_soon)
            self._peer = None
            if not isinstance(failure, Expired):
                self._note(failure)  # before the server is ended, which may take a while
            group.cancel_scope.cancel()
        return failure

    @asynccontextmanager
    async def _opened(self, peer: Peer, processes: Processes, lines: LastLines) -> AsyncGenerator[_Link]:
        if isinstance(self.place, StdioPlace):
            async with started(self.place, peer, processes, self._limits, lines) as link:
                yield link
        else:
            from hilt.adapters.upstream.http import connected  # lazy: its client takes a while to import

            async with connected(self.place, peer, self._limits, lines) as link:
                yield link

    async def _lived(self, peer: Peer, link: _Link, start: Callable[..., object]) -> Exception:
        try:
            with anyio.fail_after(self._limits.start_s):
                hello = await shake(peer)
        except TimeoutError:
            said = f"it did not answer within {self._limits.start_s:g} s of its start"
            return CannotConnect(wording.with_lines(said, self._lines), BY_HAND.format(self.place.shown))
        except CannotConnect as error:
            return error
        except (Lost, NotSent) as error:
            if peer.link is None:  # it ends, and will say why
                await link.ended.wait()
                return link.failure
            return CannotConnect(f"no first answer came: {error}", BY_HAND.format(self.place.shown))
        except _FAULTS as error:
            return CannotConnect(f"its first answer is of no use: {error}", BY_HAND.format(self.place.shown))
        self._became_ready(hello, peer)
        if hello.protocol == WITHOUT_HANDSHAKE:
            start(self._subscribe, peer)
        await link.ended.wait()
        return link.failure

    def _became_ready(self, hello: Hello, peer: Peer) -> None:
        self.restarts += self._was_ready
        self._was_ready = True
        self._ready_at = anyio.current_time()
        self.fault = ""
        self.server_name = self._mask(hello.name) or self.name
        self.instructions = hello.instructions
        self.protocol = hello.protocol
        self._offers = hello.offers
        self._peer = peer
        self._move("ready")

    async def _subscribe(self, peer: Peer) -> None:
        """Ask to be told of changes; the request stays open as long as the connection."""
        wanted = {f"{kind}ListChanged": True for kind in ("tools", "resources", "prompts") if kind in self._offers}
        try:
            await peer.request("subscriptions/listen", {"notifications": wanted})
        except _FAULTS as error:
            _log.debug("%s tells of no changes: %s", self.name, error)

    def _move(self, state: State) -> None:
        self.state = state
        self._moved.set()
        self._moved = anyio.Event()
        self._tell(Change(kind="state", line=self.line))

    def _heard(self, method: str, params: Message) -> None:
        kind = _CHANGED.get(method)
        if kind is not None and kind not in self._unsettled:
            self._unsettled.add(kind)
            asyncio.get_running_loop().call_later(SETTLE_S, self._settled, kind)

    def _settled(self, kind: _Kind) -> None:
        self._unsettled.discard(kind)
        self._tell(Change(kind=kind, line=f"{self.name} changed its {kind}"))

    def _tell(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:  # a listener's own fault is not the connection's
                _log.exception("who listens to the server %s failed", self.name)

    def _remaining(self) -> float:
        return self._retry_at - anyio.current_time()

    async def _connected(self) -> Peer:
        """The live connection, made if need be. Raises EnvironmentFailure or Retryable."""
        if self._peer is not None and self._peer.link is not None:
            return self._peer
        tried = self._tried
        with anyio.move_on_after(self._limits.start_s + PATIENT_S):
            while self._peer is None or self._peer.link is None:
                if self.state == "closed":
                    raise wording.down(self.name, "it was closed", "start Hilt again")
                far = self.state in ("waiting", "failed") and self._remaining() > PATIENT_S
                if far or self._tried > tried:
                    raise self._refusal()
                self._wanted.set()
                await self._moved.wait()
            return self._peer
        raise wording.down(self.name, f"no connection came about within {self._limits.start_s:g} s", self._step)

    def _refusal(self) -> ToolFailure:
        if self._was_ready and self.state != "failed":
            return wording.restarting(self.name, self.fault, max(round(self._remaining(), 1), 0.1))
        return wording.down(self.name, self.fault, self._step)

    async def tools(self) -> tuple[Mapping[str, object], ...]:
        """The entries of its list of tools, as it wrote them. Raises ServerUnreachable."""
        return await self._listed("tools/list", "tools")

    async def resources(self) -> tuple[Mapping[str, object], ...]:
        """The entries of its list of resources; none where it offers none. Raises ServerUnreachable."""
        return await self._listed("resources/list", "resources")

    async def resource_templates(self) -> tuple[Mapping[str, object], ...]:
        """The entries of its list of resource templates. Raises ServerUnreachable."""
        return await self._listed("resources/templates/list", "resourceTemplates", offer="resources")

    async def prompts(self) -> tuple[Mapping[str, object], ...]:
        """The entries of its list of prompts. Raises ServerUnreachable."""
        return await self._listed("prompts/list", "prompts")

    async def read_resource(self, uri: str) -> Mapping[str, object]:
        """What a resource holds. Raises a ToolFailure."""
        return await self._asked("resources/read", {"uri": uri}, uri)

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Mapping[str, object]:
        """A prompt, filled in. Raises a ToolFailure."""
        return await self._asked("prompts/get", {"name": name, "arguments": dict(arguments)}, name)

    async def call(
        self, tool: str, arguments: Mapping[str, object], *, progress: Progress | None = None
    ) -> Mapping[str, object]:
        """Call a tool; its `CallToolResult`, as the server wrote it. Raises a ToolFailure.

        A cancelled caller is free at once, and the server is told.
        """
        return await self._asked("tools/call", {"name": tool, "arguments": dict(arguments)}, tool, progress)

    async def _asked(
        self, method: str, params: Message, what: str, progress: Progress | None = None
    ) -> Mapping[str, object]:
        peer = await self._connected()
        try:
            result = await self._request(peer, method, params, progress)
        except CannotConnect as error:
            raise wording.down(self.name, self._mask(error.problem), error.step) from None
        except _FAULTS as error:
            raise wording.call_failed(self.name, what, error, self._limits.first_delay_s, self._mask) from None
        if result.get("resultType") == "input_required":
            raise EnvironmentFailure(
                f"{what} of the server {self.name} asks for an answer of a person, which it cannot get here",
                wording.REPORT,
            )
        return self._mask.result(result)

    async def _request(
        self, peer: Peer, method: str, params: Message, progress: Progress | None = None
    ) -> Mapping[str, object]:
        try:
            return await peer.request(method, params, progress)
        except Expired:  # it did nothing, so it may be asked again
            return await (await self._connected()).request(method, params, progress)

    async def _listed(self, method: str, key: str, *, offer: str = "") -> tuple[Mapping[str, object], ...]:
        try:
            with anyio.fail_after(self._limits.list_s + self._limits.start_s):
                peer = await self._connected()
                if method != "tools/list" and (offer or key) not in self._offers:
                    return ()
                with anyio.fail_after(self._limits.list_s):
                    return await self._pages(peer, method, key)
        except ToolFailure as failure:
            step = self._step if isinstance(failure, EnvironmentFailure) else failure.next_steps[0]
            raise ServerUnreachable(failure.problem, step) from None
        except CannotConnect as error:
            raise ServerUnreachable(f"the server {self.name}: {self._mask(error.problem)}", error.step) from None
        except TimeoutError:
            why = f"it did not answer {method} within {self._limits.list_s:g} s"
        except RpcError as error:
            if error.code == METHOD_NOT_FOUND:
                return ()
            why = f"it answered {method} with error {error.code}: {error.message}"
        except _FAULTS as error:
            why = f"it gave no answer to {method}: {error}"
        problem = wording.cut(self._mask(f"the server {self.name} cannot be asked for its {key}: {why}"))
        raise ServerUnreachable(problem, BY_HAND.format(self.place.shown))

    async def _pages(self, peer: Peer, method: str, key: str) -> tuple[Mapping[str, object], ...]:
        found: list[Mapping[str, object]] = []
        cursor: object = None
        seen: set[str] = set()
        until = peer.received + self._limits.listed_bytes
        for _ in range(self._limits.most_pages):
            answer = await self._request(peer, method, {} if cursor is None else {"cursor": cursor})
            entries = answer.get(key)
            if not is_array(entries):
                raise BrokenAnswer(f"it holds no list of {key}")
            found += [cast("Mapping[str, object]", each) for each in entries if is_object(each)]
            cursor = answer.get("nextCursor")
            if not cursor:
                if method == "tools/list" and peer.link is not None:
                    peer.link.learn(found)
                return tuple(found)
            if str(cursor) in seen or len(found) > self._limits.most_listed or peer.received > until:
                break
            seen.add(str(cursor))
        raise BrokenAnswer(f"its list does not end: {len(found):,} entries on {len(seen) + 1:,} pages and more follow")
