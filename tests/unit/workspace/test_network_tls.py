"""Over TLS a server must prove the name that was asked for, although its address was chosen before."""

import ssl
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

from hilt.results.failures import EnvironmentFailure
from hilt.workspace.network import AddressRules, Client, Web
from tests.fakes.web_site import reply
from tests.needs import need

NAME = "secure.example"


class Here:
    """Every name is this machine's."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        return ("127.0.0.1",)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of `NAME` in one file, signed by itself."""
    need("openssl", "certificates for tests are made with it")
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "cert.pem"
    names = ("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key)]
    subprocess.run([*command, "-out", str(made), *names], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both


@pytest.fixture
async def port(certificate: Path) -> AsyncGenerator[int, None]:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(certificate)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with plain, anyio.create_task_group() as tasks:
        tasks.start_soon(TLSListener(plain, server, standard_compatible=False).serve, _answer)
        yield plain.extra(SocketAttribute.local_port)
        tasks.cancel_scope.cancel()


async def _answer(stream: ByteStream) -> None:
    async with stream:
        await stream.receive()
        await stream.send(reply(b"proved"))


def web(tls: ssl.SSLContext | None) -> Web:
    client = Client(AddressRules(allow_private=True), resolver=Here(), tls=tls)
    return Web(client, robots=False)


async def test_the_name_that_was_asked_for_is_proved(certificate: Path, port: int) -> None:
    trusting = ssl.create_default_context(cafile=certificate)
    with anyio.fail_after(20):
        assert (await web(trusting).page("me", f"https://{NAME}:{port}/")).body == b"proved"


async def test_another_name_at_the_same_address_is_not(certificate: Path, port: int) -> None:
    trusting = ssl.create_default_context(cafile=certificate)
    with pytest.raises(EnvironmentFailure, match=r"(?i)hostname mismatch"), anyio.fail_after(20):
        await web(trusting).page("me", f"https://other.example:{port}/")


async def test_a_certificate_that_nobody_vouches_for_is_not(port: int) -> None:
    with pytest.raises(EnvironmentFailure, match="self-signed certificate"), anyio.fail_after(20):
        await web(None).page("me", f"https://{NAME}:{port}/")
