"""What may be fetched: addresses with one meaning, at hosts of the public internet."""

import ipaddress

import pytest

from hilt.errors import ConfigError
from hilt.results.failures import InvalidArguments, Refused
from hilt.workspace.network import AddressRules
from hilt.workspace.network.addresses import closed
from hilt.workspace.network.urls import LONGEST_URL, joined, read_url, shown_url

CLOSED = {
    "loopback": "127.0.0.1",
    "all of loopback": "127.255.255.254",
    "loopback of six": "::1",
    "unspecified": "0.0.0.0",
    "this network": "0.1.2.3",
    "unspecified of six": "::",
    "private ten": "10.0.0.1",
    "private 172": "172.16.0.1",
    "private 192": "192.168.1.1",
    "carriers": "100.64.0.1",
    "link-local with credentials": "169.254.169.254",
    "link-local of six": "fe80::1",
    "unique local": "fd00:ec2::254",
    "site-local": "fec0::1",
    "multicast": "224.0.0.1",
    "multicast of six": "ff02::1",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
    "documentation": "192.0.2.1",
    "benchmarks": "198.18.0.1",
    "protocol assignments": "192.0.0.1",
    "relays": "192.88.99.1",
    "mapped": "::ffff:127.0.0.1",
    "mapped private": "::ffff:10.0.0.1",
    "compatible": "::127.0.0.1",
    "translated": "64:ff9b::7f00:1",
    "translated locally": "64:ff9b:1::7f00:1",
    "6to4": "2002:7f00:1::",
    "teredo": "2001:0:53aa:64c::1",
}


@pytest.mark.parametrize("address", CLOSED.values(), ids=CLOSED)
def test_an_address_that_is_not_public_is_closed(address: str) -> None:
    assert closed(ipaddress.ip_address(address))
    with pytest.raises(Refused) as refused:
        AddressRules().check("site.example", 80, (address,))
    assert address in refused.value.reason
    assert len(refused.value.next_steps) == 2


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_a_public_address_is_open(address: str) -> None:
    AddressRules().check("site.example", 443, (address,))


def test_one_closed_address_among_public_ones_closes_the_host() -> None:
    with pytest.raises(Refused):
        AddressRules().check("site.example", 80, ("93.184.216.34", "10.0.0.1"))


@pytest.mark.parametrize(
    ("allowed", "host", "port", "address"),
    [
        ("localhost", "localhost", 8000, "127.0.0.1"),
        ("localhost:8000", "localhost", 8000, "127.0.0.1"),
        ("10.1.0.0/16", "intranet.example", 80, "10.1.2.3"),
        ("::1", "::1", 80, "::1"),
        ("[::1]:8000", "::1", 8000, "::1"),
        ("Intranet.example", "intranet.example", 80, "192.168.0.1"),
        ("169.254.0.0/16", "x.example", 80, "169.254.169.254"),
    ],
    ids=["host", "host and port", "network", "six", "six and port", "in capitals", "link-local by name"],
)
def test_the_settings_open_a_host_or_a_network(allowed: str, host: str, port: int, address: str) -> None:
    AddressRules(allow_hosts=(allowed,)).check(host, port, (address,))


@pytest.mark.parametrize(("host", "port"), [("localhost", 8001), ("other", 8000)], ids=["port", "host"])
def test_what_is_opened_is_that_place_alone(host: str, port: int) -> None:
    with pytest.raises(Refused):
        AddressRules(allow_hosts=("localhost:8000",)).check(host, port, ("127.0.0.1",))


def test_opening_private_addresses_keeps_the_place_of_credentials_closed() -> None:
    rules = AddressRules(allow_private=True)

    rules.check("intranet", 80, ("10.0.0.1", "127.0.0.1", "fd00::1"))
    for address in ("169.254.169.254", "fe80::1", "::ffff:169.254.169.254"):
        with pytest.raises(Refused):
            rules.check("cloud", 80, (address,))


def test_a_network_that_is_none_is_the_settings_mistake() -> None:
    with pytest.raises(ConfigError, match=r"web\.allow_hosts"):
        AddressRules(allow_hosts=("10.0.0.0/99",))


@pytest.mark.parametrize(
    ("host", "refused"), [("localhost", True), ("127.0.0.1", True), ("::1", True), ("site.example", False)]
)
def test_behind_a_proxy_what_is_written_is_checked(host: str, refused: bool) -> None:
    if refused:
        with pytest.raises(Refused):
            AddressRules().check_literal(host, 80)
    else:
        AddressRules().check_literal(host, 80)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("http://Example.ORG", "http://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("http://example.org:8080/a b".replace(" ", "%20"), "http://example.org:8080/a%20b"),
        ("http://example.org./x", "http://example.org/x"),
        ("http://b\u00fccher.example/stra\u00dfe", "http://xn--bcher-kva.example/stra%C3%9Fe"),
        ("http://\u0440\u0430ypal.example/", "http://xn--ypal-43d9g.example/"),
        ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://example.org?q=1", "http://example.org/?q=1"),
        ("http://example.org/%7Ea%2Fb", "http://example.org/%7Ea%2Fb"),
    ],
)
def test_an_address_is_read_in_its_one_plain_form(asked: str, text: str) -> None:
    assert read_url(asked).text == text


BENT = {
    "decimal": "http://2130706433/",
    "octal": "http://0177.0.0.1/",
    "hexadecimal": "http://0x7f.0.0.1/",
    "hexadecimal in one": "http://0x7f000001/",
    "short": "http://127.1/",
    "leading zero": "http://127.0.0.01/",
    "user": "http://user@example.org/",
    "password": "http://user:secret@example.org/",
    "host before at": "http://example.org@127.0.0.1/",
    "backslash": "http://example.org\\@127.0.0.1/",
    "tab": "http://exa\tmple.org/",
    "line end": "http://example.org/\r\nHost: x",
    "space": "http://example.org/a b",
    "nothing": "http:///path",
    "no host": "http://",
    "port nought": "http://example.org:0/",
    "port too large": "http://example.org:70000/",
    "port no number": "http://example.org:x/",
    "file": "file:///etc/passwd",
    "script": "javascript:alert(1)",
    "inline": "data:text/html,x",
    "no scheme": "example.org/page",
    "zone": "http://[fe80::1%25eth0]/",
    "no address of six": "http://[::1/",
    "bad address of six": "http://[::zz]/",
    "escaped host": "http://%31%32%37.0.0.1/",
    "empty label": "http://a..b/",
    "only a dot": "http://./",
    "bad name": "http://xn--a\u0378.example/",
    "long": "http://example.org/" + "a" * LONGEST_URL,
    "nul": "http://example.org/\x00",
}


@pytest.mark.parametrize("asked", BENT.values(), ids=BENT)
def test_an_address_with_two_meanings_or_none_is_refused_with_a_step(asked: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        read_url(asked)
    assert refused.value.next_steps
    assert "secret" not in refused.value.problem
    assert len(refused.value.problem) < LONGEST_URL


def test_a_reference_is_joined_to_where_it_stands() -> None:
    base = read_url("http://example.org/a/b?c")

    assert joined(base, "../d").text == "http://example.org/d"
    assert joined(base, "//other.example/x").text == "http://other.example/x"
    for reference in ("javascript:x", "http://[", "http://user@example.org/"):
        with pytest.raises(InvalidArguments):
            joined(base, reference)


def test_an_address_in_a_message_is_one_line_and_short() -> None:
    assert "\n" not in shown_url("http://a/\nfake line")
    assert shown_url("http://a/" + "x" * 5_000).endswith("(5,009 characters)")
