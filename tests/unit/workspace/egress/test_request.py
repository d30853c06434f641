"""How requests to the proxy are read: one meaning, or none."""

import pytest

from hilt.workspace.egress.request import Asked, NotAsked, read_head


def test_a_tunnel_names_a_host_and_a_port() -> None:
    assert read_head(b"CONNECT Example.ORG.:443 HTTP/1.1\r\nHost: other") == Asked(host="example.org", port=443)
    assert read_head(b"CONNECT [2001:DB8::1]:443 HTTP/1.0").host == "2001:db8::1"


def test_a_plain_request_goes_on_for_that_host_alone_without_what_was_meant_for_a_proxy() -> None:
    head = (
        b"GET http://Example.org:8080/a?b=c HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic x\r\n"
        b"Proxy-Connection: keep-alive\r\nConnection: keep-alive\r\nUpgrade: h2c\r\nAccept: */*"
    )

    asked = read_head(head)

    assert (asked.host, asked.port, asked.tunnel) == ("example.org", 8080, False)
    assert asked.head == (b"GET /a?b=c HTTP/1.1\r\nHost: Example.org:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n")
    assert read_head(b"GET http://example.org HTTP/1.1").head.startswith(b"GET / HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1",
        b"GET https://example.org/ HTTP/1.1",
        b"GET ftp://example.org/ HTTP/1.1",
        b"GET http://user@example.org/ HTTP/1.1",
        b"GET http://example.org?x HTTP/1.1",
        b"GET http://example.org/#x HTTP/1.1",
        b"GET http:// HTTP/1.1",
        b"GET http://2130706433/ HTTP/1.1",
        b"GET http://0x7f.1/ HTTP/1.1",
        b"GET http://ex%61mple.org/ HTTP/1.1",
        b"GET http://example.org/ HTTP/2",
        b"GET http://example.org/ HTTP/1.1\r\nno header",
        b"GET http://example.org/ HTTP/1.1\r\nX: a\nHost: b",
        b"GET http://example.org/ HTTP/1.1\r\n Folded: a",
        b"CONNECT example.org HTTP/1.1",
        b"CONNECT example.org:0 HTTP/1.1",
        b"CONNECT example.org:99999 HTTP/1.1",
        b"CONNECT example.org:443x HTTP/1.1",
        b"CONNECT http://example.org:443 HTTP/1.1",
        b"CONNECT 127.1:443 HTTP/1.1",
        b"\x16\x03\x01",
    ],
)
def test_what_could_be_read_in_two_ways_is_not_taken(head: bytes) -> None:
    with pytest.raises(NotAsked):
        read_head(head)
