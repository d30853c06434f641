"""An MCP server over pipes that needs no SDK, and misbehaves in the way its first argument names.

python tests/servers/stdio.py WAY [FOLDER]
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOOLS = [
    {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}},
    {"name": "slow", "inputSchema": {"type": "object"}},
]
MEBIBYTE = 1 << 20
HOUR = 3_600
ENDLESS_BYTES = 400 * MEBIBYTE
"""What an endless server writes at most, should nobody end it."""

Answer = Callable[["Server", dict[str, Any]], object]


class Server:
    """Reads a message a line and answers it as the handlers say; without one, as a good server does."""

    def __init__(self, way: str, folder: Path) -> None:
        self.way = way
        self.folder = folder
        self.starts = self._count("starts")
        self.calls = 0

    def _count(self, name: str) -> int:
        with (self.folder / name).open("a+") as file:
            file.write("x")
            return file.tell()

    def note(self, text: str) -> None:
        """Leave something for the test to read."""
        with (self.folder / "notes").open("a") as file:
            file.write(text + "\n")

    def raw(self, content: bytes) -> None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()

    def write(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def result(self, request: dict[str, Any], result: object) -> None:
        self.write({"id": request["id"], "result": result})

    def text(self, request: dict[str, Any], text: str) -> None:
        self.result(request, {"content": [{"type": "text", "text": text}]})

    def run(self) -> None:
        WAYS.get(f"start {self.way}", lambda _: None)(self)
        for line in sys.stdin.buffer:
            message = json.loads(line)
            method = message.get("method", "answer")
            own = HANDLERS.get(f"{method} {self.way}")
            if own is not None:
                own(self, message)
            else:
                self.answer(method, message)

    def answer(self, method: str, message: dict[str, Any]) -> None:
        if "id" not in message or method == "answer":
            self.note(json.dumps(message))
        elif method == "initialize":
            capabilities = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
            info = {"name": "the server", "version": "1"}
            protocol = message["params"]["protocolVersion"]
            self.result(
                message,
                {
                    "protocolVersion": protocol,
                    "capabilities": capabilities,
                    "serverInfo": info,
                    "instructions": "Ask kindly.",
                },
            )
        elif method == "tools/list":
            self.result(message, {"tools": TOOLS})
        elif method == "tools/call":
            self.call(message)
        else:
            self.write({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})

    def call(self, message: dict[str, Any]) -> None:
        self.calls += 1
        if message["params"]["name"] == "slow":
            self.note("slow")
            return  # it never answers
        self.text(message, json.dumps(message["params"]["arguments"]))


def _wait() -> None:
    time.sleep(HOUR)


def _exit(text: str, code: int) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
    os._exit(code)


def _hang(server: Server, _: object = None) -> None:
    server.note("hangs")
    _wait()


def _crash_at_start(_: Server) -> None:
    _exit("loading\nno such option: --frob\nsee --token sk-secretsecret\n", 3)


def _crash_at_first_start(server: Server) -> None:
    if server.starts == 1:
        _exit("first time\n", 4)


def _crash(_: Server, __: object) -> None:
    _exit("Segmentation fault in libfrob\n", 9)


def _crash_once(server: Server, message: dict[str, Any]) -> None:
    if server.starts == 1:
        _crash(server, message)
    server.text(message, "second life")


def _crash_when_told(server: Server, message: dict[str, Any]) -> None:
    if message["params"]["name"] == "crash":
        _crash(server, message)
    server.call(message)


def _half_frame(server: Server, message: dict[str, Any]) -> None:
    server.raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[\n' % message["id"])


def _half_frame_without_id(server: Server, _: object) -> None:
    server.raw(b'{"result":{"content":[],"jsonrpc":"2.0"\n')


def _not_utf8(server: Server, message: dict[str, Any]) -> None:
    server.raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":"\xff\xfe"}}\n' % message["id"])


def _twice(server: Server, message: dict[str, Any]) -> None:
    server.raw(b'{"jsonrpc":"2.0","id":%d,"result":{"a":1,"a":2}}\n' % message["id"])


def _number_result(server: Server, message: dict[str, Any]) -> None:
    server.result(message, 7)


def _strays(server: Server, message: dict[str, Any]) -> None:
    server.raw(b'Server is running!\n42\n\n{"level":"info"}\n[1,2]\n')
    server.write({"id": 999_999, "result": {}})
    server.write({"id": "word", "result": {}})
    server.raw(b"between\n")
    server.answer(message["method"], message)
    server.raw(b"after\n")


def _large(server: Server, message: dict[str, Any]) -> None:
    head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % message["id"]
    _write_much(server, head, b'"}]}}\n')


def _large_id_last(server: Server, message: dict[str, Any]) -> None:
    tail = b'"}]},"jsonrpc":"2.0","id":%d}\n' % message["id"]
    _write_much(server, b'{"result":{"content":[{"type":"text","text":"', tail)


def _large_without_id(server: Server, _: object) -> None:
    _write_much(server, b'{"result":"', b'"}\n')


def _write_much(server: Server, head: bytes, tail: bytes) -> None:
    server.raw(head)
    for _ in range(50):
        server.raw(b"x" * MEBIBYTE)
    server.raw(tail)


def _endless_line(server: Server, _: object) -> None:
    for _ in range(ENDLESS_BYTES // MEBIBYTE):
        server.raw(b"x" * MEBIBYTE)
    _wait()


def _endless_lines(server: Server, _: object) -> None:
    for _ in range(ENDLESS_BYTES // MEBIBYTE):
        server.raw(b"noise\n" * (MEBIBYTE // 6))
    _wait()


def _endless_notices(server: Server, _: object) -> None:
    notice = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n' * 1_000
    for _ in range(ENDLESS_BYTES // len(notice)):
        server.raw(notice)
    _wait()


def _flood_errors(server: Server, message: dict[str, Any]) -> None:
    for _ in range(20):
        os.write(2, b"e" * (MEBIBYTE - 1) + b"\n")
    os.write(2, b"the last line\n")
    server.text(message, "flooded")


def _endless_pages(server: Server, message: dict[str, Any]) -> None:
    place = int(message["params"].get("cursor", "0"))
    tool = {"name": f"t{place}", "inputSchema": {"type": "object"}}
    server.result(message, {"tools": [tool], "nextCursor": str(place + 1)})


def _same_page(server: Server, message: dict[str, Any]) -> None:
    server.result(message, {"tools": TOOLS, "nextCursor": "again"})


def _many_tools(server: Server, message: dict[str, Any]) -> None:
    place = int(message["params"].get("cursor", "0"))
    page = [{"name": f"t{place + each}", "inputSchema": {"type": "object"}} for each in range(1_000)]
    more = {} if place + 1_000 >= 10_000 else {"nextCursor": str(place + 1_000)}
    server.result(message, {"tools": page, **more})


def _no_list(server: Server, message: dict[str, Any]) -> None:
    server.result(message, {"tools": "none"})


def _asks(server: Server, message: dict[str, Any]) -> None:
    """Answers a call with what came of its own three requests."""
    said = []
    for number, method in enumerate(("sampling/createMessage", "roots/list", "elicitation/create", "ping")):
        server.write({"id": f"own-{number}", "method": method, "params": {}})
        said.append(json.loads(sys.stdin.buffer.readline()))
    server.text(message, json.dumps(said))


def _child(server: Server) -> None:
    """A grandchild in a session of its own, which holds both outputs and heeds no request to end."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    (server.folder / "child").write_text(str(child.pid))


def _crash_with_child(server: Server, message: dict[str, Any]) -> None:
    _child(server)
    _crash(server, message)


def _close_output(_: Server, __: object) -> None:
    os.close(1)
    _wait()


def _close_input(server: Server, message: dict[str, Any]) -> None:
    os.close(0)
    server.text(message, "closed")
    _wait()


def _id_as_text(server: Server, message: dict[str, Any]) -> None:
    server.text({**message, "id": str(message["id"])}, "text")


def _long_id(server: Server, message: dict[str, Any]) -> None:
    server.raw(b'{"jsonrpc":"2.0","id":"' + b"9" * 5_000 + b'","result":{}}\n')
    server.text(message, "behind it")


def _stubborn(_: Server) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _stay(server: Server) -> None:
    """Ends neither for a closed input nor for TERM."""
    _stubborn(server)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        server.answer(message.get("method", "answer"), message)
    _wait()


def _progress(server: Server, message: dict[str, Any]) -> None:
    token = message["params"]["_meta"]["progressToken"]
    for step in (1, 2, 3):
        server.write(
            {
                "method": "notifications/progress",
                "params": {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"},
            }
        )
    for bad in ({"progress": "half"}, {"progressToken": token, "progress": None}, {"progressToken": [1]}):
        server.write({"method": "notifications/progress", "params": bad})
    server.text(message, "done")


def _change(server: Server, message: dict[str, Any]) -> None:
    for kind in ("tools", "resources", "prompts"):
        server.write({"method": f"notifications/{kind}/list_changed"})
    server.text(message, "changed")


def _error(code: int) -> Answer:
    def answer(server: Server, message: dict[str, Any]) -> None:
        server.write({"id": message["id"], "error": {"code": code, "message": "path: must be\nabsolute"}})

    return answer


def _modern(server: Server, message: dict[str, Any]) -> None:
    data = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    server.write({"id": message["id"], "error": {"code": -32022, "message": "unsupported", "data": data}})


def _discover(server: Server, message: dict[str, Any]) -> None:
    info = {"io.modelcontextprotocol/serverInfo": {"name": "newer", "version": "2"}}
    capabilities = {"tools": {"listChanged": True}}
    known = ["2026-07-28"] if server.way == "modern" else ["2031-01-01"]
    server.result(message, {"supportedVersions": known, "capabilities": capabilities, "_meta": info})


def _meta(server: Server, message: dict[str, Any]) -> None:
    server.text(message, json.dumps(message["params"].get("_meta")))


def _subscribed(server: Server, message: dict[str, Any]) -> None:
    server.note(json.dumps(message["params"]["notifications"]))
    server.write({"method": "notifications/tools/list_changed"})


def _input_required(server: Server, message: dict[str, Any]) -> None:
    server.result(message, {"resultType": "input_required", "inputRequests": {}})


def _old(server: Server, message: dict[str, Any]) -> None:
    server.result(message, {"protocolVersion": "1.0", "capabilities": {}})


def _environment(server: Server, message: dict[str, Any]) -> None:
    server.text(message, json.dumps({"env": dict(os.environ), "cwd": str(Path.cwd()), "argv": sys.argv}))


def _out_of_order(server: Server, message: dict[str, Any]) -> None:
    """Holds back answers until there are ten, then gives them last first."""
    held = HELD.setdefault("calls", [])
    held.append(message)
    if len(held) == 10:
        for each in reversed(held):
            server.answer("tools/call", each)
        held.clear()


def _say(text: str) -> Answer:
    def answer(server: Server, message: dict[str, Any]) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
        server.answer(message["method"], message)

    return answer


def _listed(key: str) -> Answer:
    def answer(server: Server, message: dict[str, Any]) -> None:
        server.result(message, {key: [{"name": key, "uri": "a:b"}]})

    return answer


def _echo_params(server: Server, message: dict[str, Any]) -> None:
    server.result(message, {"params": message["params"]})


def _stop_reading(server: Server, _: object) -> None:
    server.note("reads no more")
    _wait()


HELD: dict[str, list[dict[str, Any]]] = {}
WAYS: dict[str, Callable[[Server], None]] = {
    "start hang-at-start": _hang,
    "start crash-at-start": _crash_at_start,
    "start crash-at-first-start": _crash_at_first_start,
    "start child": _child,
    "start stay": _stay,
}
HANDLERS: dict[str, Answer] = {
    "tools/list hang-at-list": _hang,
    "tools/list endless-pages": _endless_pages,
    "tools/list same-page": _same_page,
    "tools/list many-tools": _many_tools,
    "tools/list no-list": _no_list,
    "tools/list strays": _strays,
    "tools/list error": _error(-32000),
    "initialize modern": _modern,
    "initialize future": _modern,
    "initialize old": _old,
    "initialize refuse": _error(-32000),
    "initialize number": _number_result,
    "initialize say-secret": _say("using --key hunter2hunter2 and Authorization: Bearer abcdef123456abcdef\n"),
    "server/discover modern": _discover,
    "server/discover future": _discover,
    "subscriptions/listen modern": _subscribed,
    "tools/call crash": _crash,
    "tools/call crash-once": _crash_once,
    "tools/call crash-when-told": _crash_when_told,
    "tools/call crash-with-child": _crash_with_child,
    "tools/call half-frame": _half_frame,
    "tools/call half-frame-without-id": _half_frame_without_id,
    "tools/call not-utf8": _not_utf8,
    "tools/call twice": _twice,
    "tools/call number": _number_result,
    "tools/call strays": _strays,
    "tools/call large": _large,
    "tools/call large-id-last": _large_id_last,
    "tools/call large-without-id": _large_without_id,
    "tools/call endless-line": _endless_line,
    "tools/call endless-lines": _endless_lines,
    "tools/call endless-notices": _endless_notices,
    "tools/call flood-errors": _flood_errors,
    "tools/call asks": _asks,
    "tools/call close-output": _close_output,
    "tools/call progress": _progress,
    "tools/call change": _change,
    "tools/call invalid": _error(-32602),
    "tools/call unknown": _error(-32601),
    "tools/call error": _error(-32000),
    "tools/call modern": _meta,
    "tools/call input-required": _input_required,
    "tools/call environment": _environment,
    "tools/call id-as-text": _id_as_text,
    "tools/call long-id": _long_id,
    "tools/call close-input": _close_input,
    "tools/call out-of-order": _out_of_order,
    "tools/call stop-reading": _stop_reading,
    "resources/list rich": _listed("resources"),
    "resources/templates/list rich": _listed("resourceTemplates"),
    "prompts/list rich": _listed("prompts"),
    "resources/read rich": _echo_params,
    "prompts/get rich": _echo_params,
}

if __name__ == "__main__":
    Server(sys.argv[1], Path(sys.argv[2])).run()
