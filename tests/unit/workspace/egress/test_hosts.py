"""Which hosts commands may reach, and what is said of the others."""

import pytest

from hilt.errors import ConfigError
from hilt.workspace.egress.hosts import MOST_NAMED, SETTING, Hosts

HOSTS = Hosts(
    ["example.org", "*.Example.net", "localhost:8000", "10.1.2.3", "[2001:db8::1]:8443", "git.example.com:22"]
)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("example.org", 443),
        ("example.org", 80),
        ("a.example.net", 443),
        ("a.b.example.net", 80),
        ("localhost", 8000),
        ("10.1.2.3", 443),
        ("2001:db8::1", 8443),
        ("git.example.com", 22),
    ],
)
def test_what_a_person_wrote_may_be_reached(host: str, port: int) -> None:
    assert HOSTS.refusal(host, port) == ""


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("example.org", 22),
        ("www.example.org", 443),
        ("example.net", 443),
        ("evilexample.net", 443),
        ("example.org.evil.com", 443),
        ("localhost", 8001),
        ("10.1.2.4", 443),
        ("git.example.com", 443),
        ("2001:db8::1", 443),
        ("", 443),
    ],
)
def test_nothing_else_may_be_reached(host: str, port: int) -> None:
    assert HOSTS.refusal(host, port)


def test_a_refusal_says_what_was_asked_what_is_allowed_and_what_can_be_done() -> None:
    said = HOSTS.refusal("evil.example", 8080)

    assert "evil.example:8080 is not among the hosts that commands may reach" in said
    assert "Allowed: example.org, *.Example.net, localhost:8000, 10.1.2.3" in said
    assert f'ask the person to add "evil.example:8080" to {SETTING} in their own hilt.toml' in said
    assert "port 22 of example.org is not among" in HOSTS.refusal("example.org", 22)


def test_a_long_list_is_cut_with_its_number_and_an_empty_one_says_none() -> None:
    many = Hosts([f"h{number}.example" for number in range(MOST_NAMED + 2)])

    assert f"h{MOST_NAMED - 1}.example and 2 more" in many.refusal("x.example", 443)
    assert "Allowed: none" in Hosts([]).refusal("x.example", 443)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"])
def test_an_allowed_name_that_leads_into_this_machine_or_a_private_network_is_refused(address: str) -> None:
    said = HOSTS.address_refusal("example.org", 443, ["93.184.215.14", address])

    assert f"example.org is {address}, which is" in said
    assert "ask the person to add" in said


def test_an_address_that_a_person_wrote_may_be_private_and_localhost_is_this_machine() -> None:
    assert HOSTS.address_refusal("example.org", 443, ["93.184.215.14"]) == ""
    assert HOSTS.address_refusal("10.1.2.3", 443, ["10.1.2.3"]) == ""
    assert HOSTS.address_refusal("example.org", 443, ["10.1.2.3"]) == ""
    assert HOSTS.address_refusal("localhost", 8000, ["127.0.0.1", "::1"]) == ""
    assert HOSTS.address_refusal("localhost", 8000, ["10.9.9.9"])


@pytest.mark.parametrize(
    "written", ["", "*", "*.*", "http://a.example", "a b", "a.example/x", "a:0", "a:99999", "a:b", "-a.example", "*a.b"]
)
def test_what_is_no_host_is_a_mistake_of_the_settings(written: str) -> None:
    with pytest.raises(ConfigError, match=SETTING):
        Hosts([written])
