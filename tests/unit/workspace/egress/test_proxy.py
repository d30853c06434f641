"""The proxy for allowed hosts: what is carried, what is refused, and what is told of each."""

import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from hilt.errors import ConfigError
from hilt.workspace.egress import Egress, Event
from hilt.workspace.egress.egress import PORT, proxy_environment
from tests.needs import missing

WAIT_S = 30


class Answering(http.server.BaseHTTPRequestHandler):
    """Says what it was asked."""

    def do_GET(self) -> None:
        self.answer(f"{self.path} {self.headers['Host']} {self.headers.get('Proxy-Connection')}")

    def do_POST(self) -> None:
        self.answer(f"took {len(self.rfile.read(int(self.headers['Content-Length'])))}")

    def answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Generator[int]:
    """The port of a website on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def website() -> Iterator[int]:
    with serving() as port:
        yield port


class Way:
    """A proxy with a port of this machine that was handed out to it, and what it told."""

    def __init__(self, egress: Egress, events: "Queue[Event]", port: int) -> None:
        self.egress = egress
        self.events = events
        self.port = port

    def told(self) -> Event:
        return self.events.get(timeout=WAIT_S)

    def raw(self, content: bytes) -> bytes:
        """What comes back for these bytes, until the end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as connection:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def get(self, url: str, data: bytes | None = None) -> tuple[int, str]:
        handler = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{self.port}"})
        try:
            with urllib.request.build_opener(handler).open(url, data, timeout=WAIT_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


HANDING = """
import socket, sys, time
sys.path.insert(0, sys.argv[1])
import forwarder
print(forwarder.hand_out(sys.argv[2], int(sys.argv[3])), flush=True)
sys.stdin.read()
"""


@contextmanager
def way(*hosts: str) -> Generator[Way]:
    """A proxy for these hosts, with one port that a process of ours hands out for as long as the block lasts."""
    events: Queue[Event] = Queue()
    egress = Egress(hosts, events.put)
    port = free_port()
    folder = str(Path(sys.modules["hilt.workspace.egress.egress"].__file__ or "").parent)
    words = [sys.executable, "-I", "-S", "-c", HANDING, folder, str(egress.socket()), str(port)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as handing:
        try:
            assert handing.stdout is not None
            assert handing.stdout.readline() == b"\n"
            yield Way(egress, events, port)
        finally:
            assert handing.stdin is not None
            handing.stdin.close()
            handing.wait(WAIT_S)
            egress.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_plain_request_to_an_allowed_host_is_carried_and_told_of_with_its_sizes(website: int) -> None:
    with way(f"localhost:{website}") as out:
        assert out.get(f"http://localhost:{website}/a?b") == (200, f"/a?b localhost:{website} None")
        event = out.told()
        assert out.get(f"http://localhost:{website}/", b"x" * 100_000) == (200, "took 100000")
        posted = out.told()

    assert (event.host, event.port, event.allowed, event.why) == ("localhost", website, True, "")
    assert event.sent > 0
    assert event.received > 50
    assert posted.sent > 100_000


def test_a_tunnel_to_an_allowed_host_carries_bytes_as_they_are(website: int) -> None:
    with way(f"127.0.0.1:{website}") as out:
        request = f"CONNECT 127.0.0.1:{website} HTTP/1.1\r\n\r\nGET /inner HTTP/1.0\r\n\r\n".encode()
        answer = out.raw(request)

    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200 OK\r\n")
    assert answer.endswith(b"/inner None None")


@pytest.mark.parametrize("ask", ["CONNECT evil.example:443 HTTP/1.1", "GET http://evil.example/ HTTP/1.1"])
def test_another_host_is_refused_in_words_and_told_of(ask: str) -> None:
    with way("example.org") as out:
        answer = out.raw(f"{ask}\r\n\r\n".encode()).decode()
        event = out.told()

    assert answer.startswith("HTTP/1.1 403 Forbidden\r\n")
    assert "hilt: evil.example is not among the hosts that commands may reach. Allowed: example.org" in answer
    assert (event.host, event.allowed, event.received) == ("evil.example", False, 0)
    assert "not among the hosts" in event.why


def test_a_name_that_leads_to_this_machine_is_refused_though_the_name_is_allowed(website: int) -> None:
    name = socket.gethostname()
    if not name or name == "localhost" or not name.isascii() or resolved(name) != "127.0.0.1":
        name = "localhost.localdomain"
    if resolved(name) != "127.0.0.1":
        missing("no other name of this machine than localhost is known here: an allowed name leads to it")
    with way(f"{name}:{website}") as out:
        status, text = out.get(f"http://{name}:{website}/")

    assert status == 403
    assert "which is this machine itself" in text


def resolved(name: str) -> str:
    try:
        return socket.gethostbyname(name)
    except OSError:
        return ""


def test_what_is_no_request_is_answered_so() -> None:
    with way("example.org") as out:
        assert out.raw(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert out.raw(b"x" * 100_000).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert out.raw(b"CONNECT example.org:443") == b""
        assert out.get("http://user:pass@example.org/")[0] in (200, 400, 403, 502)


def test_an_allowed_host_that_does_not_answer_is_said_so() -> None:
    port = free_port()
    with way(f"localhost:{port}", "no-such-name.invalid") as out:
        assert out.get(f"http://localhost:{port}/") == (502, f"hilt: localhost does not answer on port {port}.\n")
        assert out.told().allowed is False
        assert out.get("http://no-such-name.invalid/") == (502, "hilt: the name no-such-name.invalid has no address.\n")


def test_many_connections_at_once_are_each_answered(website: int) -> None:
    with way(f"localhost:{website}") as out:
        found: Queue[tuple[int, str]] = Queue()
        threads = [
            threading.Thread(target=lambda: found.put(out.get(f"http://localhost:{website}/"))) for _ in range(40)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)

    assert [found.get_nowait()[0] for _ in threads] == [200] * 40


def test_the_proxy_ends_behind_the_last_command_and_not_before(website: int) -> None:
    with way(f"localhost:{website}") as out:
        child = out.egress._child  # whether its process ends is what is asked
        assert child is not None
        assert child.stdin is not None
        child.stdin.close()  # as when this process is gone
        assert out.get(f"http://localhost:{website}/")[0] == 200
        assert child.poll() is None
    child.wait(WAIT_S)


def test_strangers_who_hand_out_nothing_or_anything_do_no_harm(website: int) -> None:
    with way(f"localhost:{website}") as out:
        for handed in ([], [0], [0, 0], [0, 0, 0]):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(str(out.egress.socket()))
                socket.send_fds(stranger, [b"port"], handed)
        assert out.get(f"http://localhost:{website}/")[0] == 200


def test_a_wrong_host_is_told_before_anything_is_started() -> None:
    with pytest.raises(ConfigError):
        Egress(["http://x"])


def test_a_command_in_a_network_of_its_own_reaches_the_allowed_host_and_no_other(website: int, tmp_path: Path) -> None:
    if shutil.which("bwrap") is None or shutil.which("curl") is None:
        missing("bwrap and curl are not here: a command is run in a network of its own")
    egress = Egress([f"localhost:{website}"])
    own = f"http://127.0.0.1:{website}/"
    addresses = ("http://evil.example/", "https://evil.example/", f"--noproxy '*' {own}")
    script = f"curl -sS --noproxy '' http://localhost:{website}/in; echo;" + "".join(
        f"curl -sS {address};" for address in addresses
    )
    apart = ("--dev-bind", "/", "/", "--unshare-net", "--unshare-pid", "--die-with-parent")
    try:
        done = subprocess.run(
            ["bwrap", *apart, *egress.words(), "bash", "-c", script],
            env={"PATH": os.environ["PATH"], **proxy_environment()},
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
    finally:
        egress.close()

    said = done.stdout + done.stderr
    assert f"/in localhost:{website} None" in said
    assert "hilt: evil.example is not among the hosts that commands may reach" in said
    assert "response 403" in said
    assert "Failed to connect to 127.0.0.1" in said or "Couldn't connect" in said
    assert website != PORT


def test_a_proxy_that_is_gone_is_told_and_the_command_runs(tmp_path: Path) -> None:
    forwarder = Path(sys.modules["hilt.workspace.egress.egress"].__file__ or "").with_name("forwarder.py")
    words = [sys.executable, "-I", "-S", str(forwarder), str(tmp_path / "none"), str(free_port())]

    done = subprocess.run([*words, "echo", "ran"], capture_output=True, text=True, timeout=WAIT_S, check=False)
    wrong = subprocess.run([*words, "/no/such"], capture_output=True, text=True, timeout=WAIT_S, check=False)

    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "hilt: the proxy for the allowed hosts cannot be reached: " in done.stderr
    assert (wrong.returncode, "hilt: /no/such cannot be run" in wrong.stderr) == (127, True)
