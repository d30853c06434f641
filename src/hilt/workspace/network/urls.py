"""What was written as an address of the web, read strictly: one meaning, or a refusal that says which.

Programs disagree about addresses that are bent: `http://2130706433/`, `http://a@b/`, a tab in the
middle. What they disagree about leads past checks, so none of it is taken.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from hilt.results.failures import InvalidArguments
from hilt.workspace.network.extra import missing_extra

LONGEST_URL = 4_096
"""Characters of an address; longer ones are refused by many servers too."""

LONGEST_SHOWN = 300
"""Characters of an address that messages show."""

PORTS = {"http": 80, "https": 443}
_MISPLACED = re.compile(r"[\x00-\x20\x7f\\]")
_NUMERIC = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)")
_KEPT = "!$&'()*+,;=:@/?%~-._[]"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUrl:
    """An http or https address: the host in ASCII, `target` what is asked of it, `fragment` what is not sent."""

    scheme: str
    host: str
    port: int
    target: str
    fragment: str = ""

    @property
    def place(self) -> str:
        """The host, with the port where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.place}"

    @property
    def text(self) -> str:
        """The whole address as it is asked for, without its fragment."""
        return f"{self.origin}{self.target}"


def read_url(asked: str) -> WebUrl:
    """The address written in `asked`. Raises InvalidArguments for what is none, or has two meanings."""
    if len(asked) > LONGEST_URL:
        raise _wrong(asked, f"has {len(asked):,} characters; at most {LONGEST_URL:,} are taken", "give a shorter one")
    if _MISPLACED.search(asked):
        raise _wrong(asked, "holds a space, a backslash or a control character", "write it with %20 or leave it out")
    try:
        parts = urlsplit(asked)
        port = parts.port
    except ValueError as error:
        raise _wrong(asked, f"cannot be read: {error}", "give one such as https://example.org/page") from None
    if parts.scheme not in PORTS:
        raise _wrong_scheme(asked, parts)
    if "@" in parts.netloc:
        raise InvalidArguments(
            "the address holds a user name or password, which are never sent", "leave out what stands before the @"
        )
    if not parts.hostname or port == 0:
        raise _wrong(asked, "names no host" if not parts.hostname else "has port 0", "give a whole address")
    target = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
    return WebUrl(
        scheme=parts.scheme,
        host=_host(asked, parts.hostname),
        port=port or PORTS[parts.scheme],
        target=target,
        fragment=parts.fragment,
    )


def joined(base: WebUrl, reference: str) -> WebUrl:
    """Where a reference in a page or a redirect leads. Raises as `read_url`."""
    try:
        return read_url(urljoin(base.text, reference.strip()))
    except ValueError as error:
        raise _wrong(reference, f"cannot be read: {error}", "fetch another page") from None


def shown_url(text: str) -> str:
    """An address fit for a message: one line, and not endless."""
    line = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}... ({len(text):,} characters)"


def _host(asked: str, host: str) -> str:
    """The host in ASCII, without the dot that may end it; an address of numbers only in its one plain form."""
    name = host.removesuffix(".")
    if ":" in name:
        return _ipv6(asked, name)
    if not name.isascii():
        name = _punycode(asked, name)
    if not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", name):
        raise _wrong(asked, f"has no host name in {shown_url(host)!r}", "give a whole address")
    if _NUMERIC.fullmatch(name.rpartition(".")[2]):
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            raise _wrong(
                asked, f"writes a numeric host as {name!r}, which programs read differently", "write it as four numbers"
            ) from None
    return name.lower()


def _ipv6(asked: str, name: str) -> str:
    try:
        address = ipaddress.IPv6Address(name)
    except ValueError:
        raise _wrong(asked, f"has no IPv6 address in {name!r}", "write it as in http://[2001:db8::1]/") from None
    if address.scope_id:
        raise _wrong(asked, "names a network interface of this machine", "leave out what stands behind the %")
    return str(address)


def _punycode(asked: str, name: str) -> str:
    try:
        import idna
    except ImportError:
        raise missing_extra("a host name beyond ASCII") from None
    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise _wrong(asked, f"has a host name that is none: {error}", "give the name in ASCII") from None


def _wrong_scheme(asked: str, parts: SplitResult) -> InvalidArguments:
    if not parts.scheme or "." in parts.scheme:
        return _wrong(asked, "does not begin with http:// or https://", f"give https://{shown_url(asked.lstrip('/'))}")
    return _wrong(asked, f"is {parts.scheme}:, and only http and https are fetched", "give a page's own address")


def _wrong(asked: str, why: str, step: str) -> InvalidArguments:
    return InvalidArguments(f"the address {shown_url(asked)} {why}", step)
