"""Fetching over real sockets on this machine: what is connected to, followed, unpacked, waited for and kept."""

import errno
import gzip
import ssl
import sys
import zlib
from collections.abc import AsyncGenerator, Callable

import anyio
import httpcore2
import pytest
from anyio.abc import ByteStream, SocketAttribute

from hilt.results.failures import Aborted, EnvironmentFailure, InvalidArguments, Refused, Retryable
from hilt.workspace.network import AddressRules, Client, Page, Web
from hilt.workspace.network.client import PER_HOST, Bounds
from hilt.workspace.network.extra import MODULES
from hilt.workspace.network.faults import failure_of
from hilt.workspace.network.pages import CACHE_PAGES, PageCache
from hilt.workspace.network.resolving import SystemResolver
from hilt.workspace.network.statuses import LONGEST_WAIT_S, retry_after
from hilt.workspace.network.urls import read_url
from hilt.workspace.network.web import MOST_REDIRECTS, PAGE_BYTES, same_site
from tests.fakes.web_site import Site, reply, web_site

LOCAL = AddressRules(allow_hosts=("127.0.0.1", "localhost"))
WHO = "somebody"


class Names:
    """A resolver that gives these answers in turn, the last again and again."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
async def site() -> AsyncGenerator[Site, None]:
    async with web_site() as running:
        yield running


@pytest.fixture
def web() -> Web:
    return Web(Client(LOCAL))


async def page(web: Web, url: str) -> Page:
    with anyio.fail_after(20):
        return await web.page(WHO, url)


async def test_a_page_comes_with_its_type_and_where_it_was_found(web: Web, site: Site) -> None:
    site.answers["/a?b=c"] = reply(b"hello", content_type="text/plain; charset=UTF-8")
    found = await page(web, site.url("/a?b=c#part"))

    assert (found.body, found.media_type, found.charset) == (b"hello", "text/plain", "utf-8")
    assert found.url.text == site.url("/a?b=c")
    assert found.complete
    assert not found.cached


@pytest.mark.parametrize("module", MODULES)
async def test_a_part_of_the_extra_that_is_missing_is_told_before_anything_is_sent(
    web: Web, site: Site, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(EnvironmentFailure, match=r"needs the extra hilt\[web\], which is not installed"):
        await page(web, site.url("/"))
    assert site.asked == []


async def test_nothing_of_this_machine_is_sent(web: Web, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    site.answers["/"] = reply(b"x", set_cookie="id=1")
    for target in ("/", "/other"):
        site.answers[target] = reply(b"x", set_cookie="id=1")
        await page(web, site.url(target))

    for asked in site.asked:
        assert not {"cookie", "authorization", "referer"} & asked.headers.keys()
        assert asked.headers["host"] == f"127.0.0.1:{site.port}"


async def test_a_name_that_leads_inside_is_not_connected_to(site: Site) -> None:
    site.answers["/"] = reply(b"secret")
    web = Web(Client(AddressRules(), resolver=Names(("127.0.0.1",))))
    with pytest.raises(Refused, match=r"inside\.example is 127\.0\.0\.1, which is this machine itself"):
        await page(web, site.url("/", host="inside.example"))

    assert site.asked == []


async def test_a_name_that_changes_its_mind_is_looked_up_and_checked_for_each_connection(site: Site) -> None:
    site.answers["/"] = reply(b"secret")
    names = Names(("127.0.0.1",), ("127.0.0.1",), ("10.0.0.1",))
    web = Web(Client(AddressRules(allow_hosts=("127.0.0.0/8",)), resolver=names))

    assert (await page(web, site.url("/", host="rebound.example"))).body == b"secret"
    site.answers["/2"] = reply(b"never")
    with pytest.raises(Refused, match=r"10\.0\.0\.1"):
        await page(web, site.url("/2", host="rebound.example"))
    assert names.asked == ["rebound.example"] * 3  # robots.txt, the page, the second page
    assert [asked.headers["host"] for asked in site.asked] == [f"rebound.example:{site.port}"] * 2


async def test_the_next_address_of_a_host_is_tried_where_one_does_not_answer(site: Site) -> None:
    site.answers["/"] = reply(b"here")
    web = Web(Client(AddressRules(allow_private=True), resolver=Names(("127.0.0.2", "127.0.0.1"))))

    assert (await page(web, site.url("/", host="two.example"))).body == b"here"


async def test_a_redirect_on_the_site_is_followed_and_told(web: Web, site: Site) -> None:
    site.answers["/old"] = reply(status=301, location="../new")
    site.answers["/new"] = reply(b"new")
    found = await page(web, site.url("/old"))

    assert found.url.text == site.url("/new")
    assert found.body == b"new"
    assert found.steps == (f"{site.url('/old')} redirected here",)


async def test_a_redirect_with_a_space_in_it_is_followed_as_browsers_do(web: Web, site: Site) -> None:
    site.answers |= {"/old": reply(status=301, location="/new page"), "/new%20page": reply(b"new")}

    assert (await page(web, site.url("/old"))).body == b"new"


async def test_a_redirect_inside_is_refused_at_the_hop(site: Site) -> None:
    async with web_site({"/secret": reply(b"secret")}) as inside:
        rules = AddressRules(allow_hosts=(f"127.0.0.1:{site.port}",))
        site.answers["/out"] = reply(status=302, location=inside.url("/secret"))
        with pytest.raises(Refused):
            await page(Web(Client(rules), cross_hosts=True), site.url("/out"))

        assert inside.asked == []


async def test_a_redirect_to_another_site_is_named_and_not_followed(web: Web, site: Site) -> None:
    site.answers["/out"] = reply(status=302, location="https://other.example/login?from=x")
    with pytest.raises(EnvironmentFailure, match="another site") as failure:
        await page(web, site.url("/out"))

    assert failure.value.next_steps == ("call again with url https://other.example/login?from=x",)


async def test_a_redirect_to_a_closed_address_is_no_next_step(web: Web, site: Site) -> None:
    site.answers["/out"] = reply(status=302, location="http://169.254.169.254/latest")
    with pytest.raises(Refused, match="clouds hand out credentials"):
        await page(web, site.url("/out"))


async def test_a_packed_page_that_is_too_large_is_not_given_its_packed_size(web: Web, site: Site) -> None:
    packed = gzip.compress(bytes(PAGE_BYTES + 1))
    site.answers["/"] = reply(packed, content_encoding="gzip")
    with pytest.raises(EnvironmentFailure, match=f"at most {PAGE_BYTES:,} bytes") as failure:
        await page(web, site.url("/"))

    assert f"{len(packed):,}" not in failure.value.problem


async def test_a_redirect_to_another_site_is_followed_where_the_settings_say_so(site: Site) -> None:
    async with web_site({"/there": reply(b"there")}) as other:
        site.answers["/out"] = reply(status=307, location=other.url("/there"))
        found = await page(Web(Client(LOCAL), cross_hosts=True), site.url("/out"))

    assert found.body == b"there"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://example.org/", "https://www.example.org/", True),
        ("https://www.example.org/a", "https://example.org/b", True),
        ("http://example.org/", "http://example.org:8080/", False),
        ("http://example.org:8000/", "http://example.org:8000/x", True),
        ("http://example.org/", "http://evil.example.org/", False),
        ("http://example.org/", "http://example.org.evil.example/", False),
    ],
)
def test_what_is_one_site(one: str, other: str, same: bool) -> None:
    assert same_site(read_url(one), read_url(other)) is same


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("", "without saying where"),
        ("javascript:alert(1)", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("http://user:pw@127.0.0.1/", "never sent"),
        ("http://2130706433/", "numeric host"),
    ],
)
async def test_a_redirect_that_leads_nowhere_is_said(web: Web, site: Site, location: str, said: str) -> None:
    site.answers["/r"] = reply(status=302, location=location) if location else reply(status=302)
    with pytest.raises(EnvironmentFailure, match=said):
        await page(web, site.url("/r"))


async def test_redirects_have_an_end(web: Web, site: Site) -> None:
    site.answers["/loop"] = reply(status=302, location="/loop")
    with pytest.raises(EnvironmentFailure, match=f"more than {MOST_REDIRECTS} redirects"):
        await page(web, site.url("/loop"))

    assert len(site.targets()) == MOST_REDIRECTS + 1


def _deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", _deflated),
        ("x-gzip", lambda body: gzip.compress(body[:10]) + gzip.compress(body[10:])),
        ("identity", bytes),
    ],
    ids=["gzip", "zlib", "raw deflate", "gzip in two", "identity"],
)
async def test_a_packed_page_is_unpacked(web: Web, site: Site, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b"some words, " * 5_000
    site.answers["/"] = reply(pack(body), content_encoding=encoding)

    assert (await page(web, site.url("/"))).body == body


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [
        ("br", b"xxxx", "only gzip, deflate was asked for"),
        ("gzip, gzip", b"xxxx", "only gzip, deflate was asked for"),
        ("gzip", b"this is no gzip", "cannot be unpacked"),
        ("deflate", b"\xff\xff\xff\xff", "cannot be unpacked"),
    ],
)
async def test_what_cannot_be_unpacked_is_said(web: Web, site: Site, encoding: str, body: bytes, said: str) -> None:
    site.answers["/"] = reply(body, content_encoding=encoding)
    with pytest.raises(EnvironmentFailure, match=said):
        await page(web, site.url("/"))


async def test_a_small_body_that_unpacks_without_end_is_stopped_at_the_bound(web: Web, site: Site) -> None:
    bomb = gzip.compress(bytes(20 * PAGE_BYTES))
    assert len(bomb) < PAGE_BYTES // 40
    site.answers["/"] = reply(bomb, content_encoding="gzip")
    with pytest.raises(EnvironmentFailure, match=f"at most {PAGE_BYTES:,} bytes"):
        await page(web, site.url("/"))

    assert len((await web.head(WHO, site.url("/"), 1_000)).body) == 1_000


async def test_a_page_over_the_bound_is_not_read_to_its_end(web: Web, site: Site) -> None:
    sent = 0

    async def endless(stream: ByteStream) -> None:
        nonlocal sent
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 900000000000\r\n\r\n")
        while True:
            await stream.send(bytes(100_000))
            sent += 100_000

    site.answers["/"] = endless
    with pytest.raises(EnvironmentFailure, match="900,000,000,000 bytes by its own word"):
        await page(web, site.url("/"))
    assert sent < 3 * PAGE_BYTES


async def test_a_body_shorter_than_its_server_said_is_no_page(web: Web, site: Site) -> None:
    site.answers["/"] = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"
    with pytest.raises(Retryable, match="broke the connection off"):
        await page(web, site.url("/"))


async def test_a_packed_body_that_ends_in_its_middle_is_no_page(web: Web, site: Site) -> None:
    site.answers["/"] = reply(gzip.compress(b"words " * 1_000)[:-20], content_encoding="gzip")
    with pytest.raises(Retryable, match="ended in its middle"):
        await page(web, site.url("/"))


async def test_what_is_no_http_is_said(web: Web, site: Site) -> None:
    site.answers["/robots.txt"] = b"SSH-2.0-OpenSSH\r\n\r\n"
    with pytest.raises(Retryable, match="broke the connection off"):
        await page(web, site.url("/"))


@pytest.mark.parametrize("trickle", [False, True], ids=["silent", "a byte now and then"])
async def test_a_server_that_never_ends_is_left(site: Site, trickle: bool) -> None:
    async def slow(stream: ByteStream) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while trickle:
            await stream.send(b"x")
            await anyio.sleep(0.02)
        await anyio.sleep_forever()

    site.answers["/slow"] = slow
    bounds = Bounds(most=1_000_000, total_s=0.6, idle_s=0.3)
    with pytest.raises(Aborted if trickle else Retryable), anyio.fail_after(20):
        await Client(LOCAL).exchange(read_url(site.url("/slow")), bounds)


async def test_a_port_where_nothing_listens_is_said(web: Web) -> None:
    async with web_site() as gone:
        url = gone.url("/")
    with pytest.raises(EnvironmentFailure, match="the connection was refused"):
        await page(web, url)


async def test_a_name_without_an_address_is_said() -> None:
    with pytest.raises((EnvironmentFailure, Retryable), match=r"nowhere\.invalid"):
        await page(Web(Client(AddressRules())), "http://nowhere.invalid/")


async def test_a_name_of_this_machine_has_its_address() -> None:
    assert set(await SystemResolver().resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
    assert await SystemResolver().resolve("127.0.0.1", 80) == ("127.0.0.1",)


async def test_what_speaks_no_tls_is_said(web: Web) -> None:
    async def plain(stream: ByteStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(reply(b"plain", 400))

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, plain)
        with pytest.raises(EnvironmentFailure, match="over TLS: wrong version number"):
            await page(web, f"https://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/")
        tasks.cancel_scope.cancel()


async def test_a_host_is_asked_by_few_calls_at_a_time(web: Web, site: Site) -> None:
    running, most = 0, 0
    release = anyio.Event()

    async def counted(stream: ByteStream) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == PER_HOST:
            release.set()
        await release.wait()
        running -= 1
        await stream.send(reply(b"x"))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for number in range(3 * PER_HOST):
                site.answers[f"/{number}"] = counted
                tasks.start_soon(web.page, WHO, site.url(f"/{number}"))
    assert most == PER_HOST


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, EnvironmentFailure),
        (401, EnvironmentFailure),
        (403, EnvironmentFailure),
        (404, EnvironmentFailure),
        (410, EnvironmentFailure),
        (418, EnvironmentFailure),
        (429, Retryable),
        (500, Retryable),
        (503, Retryable),
        (599, EnvironmentFailure),
    ],
)
async def test_a_status_is_a_failure_of_its_class(web: Web, site: Site, status: int, kind: type[Exception]) -> None:
    site.answers["/"] = reply(b"no", status, retry_after="7")
    with pytest.raises(kind, match=f"HTTP {status}") as failure:
        await page(web, site.url("/"))

    if isinstance(failure.value, Retryable):
        assert failure.value.retry_after_s == 7


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("999999", LONGEST_WAIT_S),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Fri, 31 Dec 2999 23:59:59 GMT", LONGEST_WAIT_S),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("1" * 5_000, None),
    ],
)
def test_a_word_on_waiting_is_read_in_both_forms(value: str, seconds: float | None) -> None:
    assert retry_after(value) == seconds


async def test_a_page_that_is_not_there_is_answered_with_one_that_was_linked_to(web: Web, site: Site) -> None:
    links = '<a href="/docs/installing.html#x">i</a><a href="http://other.example/docs/install.html">o</a><a href="http://[">'
    await page(web, site.page("/docs/", links))
    with pytest.raises(EnvironmentFailure) as failure:
        await page(web, site.url("/docs/install.html"))
    with pytest.raises(EnvironmentFailure) as stranger, anyio.fail_after(20):
        await web.page("another", site.url("/docs/install.html"))

    assert failure.value.next_steps == (f"fetch {site.url('/docs/installing.html')}",)
    assert "other.example" not in failure.value.problem
    assert "installing" not in stranger.value.problem


async def test_a_page_without_content_is_a_page(web: Web, site: Site) -> None:
    site.answers["/"] = b"HTTP/1.1 204 No Content\r\n\r\n"

    assert (await page(web, site.url("/"))).body == b""


async def test_a_page_is_kept_for_whom_it_was_fetched(web: Web, site: Site) -> None:
    site.answers["/"] = reply(b"one")
    first = await page(web, site.url("/"))
    site.answers["/"] = reply(b"two")

    assert (await page(web, site.url("/#other"))).body == b"one"
    assert (await web.page("another", site.url("/"))).body == b"two"
    assert web.kept(WHO, site.url("/"), first.digest) is not None
    assert web.kept(WHO, site.url("/"), "another") is None
    assert web.kept("nobody", site.url("/"), first.digest) is None


async def test_a_page_that_is_old_is_asked_for_only_if_it_changed(site: Site) -> None:
    web = Web(Client(LOCAL), fresh_s=0)
    site.answers["/"] = reply(b"body", etag='"1"', last_modified="Mon, 30 Nov 2026 10:00:00 GMT")
    await page(web, site.url("/"))
    site.answers["/"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    again = await page(web, site.url("/"))

    assert again.body == b"body"
    assert site.asked[-1].headers["if-none-match"] == '"1"'
    assert site.asked[-1].headers["if-modified-since"] == "Mon, 30 Nov 2026 10:00:00 GMT"


async def test_a_first_part_is_kept_only_where_it_is_the_whole(web: Web, site: Site) -> None:
    site.answers["/long"] = reply(bytes(3_000))
    site.answers["/short"] = reply(b"short")

    assert not (await web.head(WHO, site.url("/long"), 1_000)).complete
    assert len((await page(web, site.url("/long"))).body) == 3_000
    assert (await web.head(WHO, site.url("/short"), 1_000)).complete
    assert (await page(web, site.url("/short"))).cached
    assert (await web.head(WHO, site.url("/short"), 1_000)).cached


def test_pages_are_let_go_of_when_there_are_many() -> None:
    cache = PageCache()
    url = read_url("http://example.org/")
    for number in range(CACHE_PAGES + 5):
        cache.put((WHO, str(number)), Page(url=url, media_type="", charset="", headers={}, body=b"x"))

    assert cache.get((WHO, "4")) is None
    assert cache.get((WHO, "5")) is not None


ROBOTS = b"""User-agent: *
Disallow: /private
Allow: /private/open

User-agent: Hilt
Disallow: /not-for-hilt
"""


async def test_robots_txt_is_asked_once_and_respected(web: Web, site: Site) -> None:
    site.answers |= {"/robots.txt": reply(ROBOTS), "/": reply(b"x"), "/not-for-hilt/a": reply(b"x")}
    await page(web, site.url("/"))
    with pytest.raises(Refused, match=r"robots\.txt") as refused:
        await page(web, site.url("/not-for-hilt/a"))

    assert refused.value.rule == "robots.txt"
    assert site.targets() == ["/"]
    assert len(site.asked) == 2


async def test_a_redirect_into_what_robots_txt_closes_is_not_followed(web: Web, site: Site) -> None:
    site.answers |= {"/robots.txt": reply(ROBOTS), "/in": reply(status=302, location="/not-for-hilt/a")}
    with pytest.raises(Refused):
        await page(web, site.url("/in"))

    assert site.targets() == ["/in"]


async def test_robots_txt_is_ignored_where_the_settings_say_so(site: Site) -> None:
    site.answers |= {"/robots.txt": reply(ROBOTS), "/not-for-hilt": reply(b"x")}

    assert (await page(Web(Client(LOCAL), robots=False), site.url("/not-for-hilt"))).body == b"x"
    assert [asked.target for asked in site.asked] == ["/not-for-hilt"]


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_robots_txt_that_cannot_be_read_closes_the_site_for_a_while(web: Web, site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": reply(b"", status), "/": reply(b"x")}
    for _ in range(2):
        with pytest.raises(Retryable, match=r"robots\.txt answered") as failure:
            await page(web, site.url("/"))
        assert failure.value.retry_after_s
    assert len(site.asked) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_site_without_robots_txt_is_open(web: Web, site: Site, status: int) -> None:
    site.answers |= {"/robots.txt": reply(b"", status), "/": reply(b"x")}

    assert (await page(web, site.url("/"))).body == b"x"


async def test_a_robots_txt_may_stand_elsewhere_and_redirects_of_it_have_an_end(web: Web, site: Site) -> None:
    async with web_site({"/rules": reply(b"User-agent: *\nDisallow: /")}) as other:
        site.answers |= {"/robots.txt": reply(status=302, location=other.url("/rules")), "/": reply(b"x")}
        with pytest.raises(Refused):
            await page(web, site.url("/"))
    for location in ("/robots.txt", "javascript:x"):
        site.answers["/robots.txt"] = reply(status=302, location=location)
        assert (await page(Web(Client(LOCAL)), site.url("/"))).body == b"x"


async def test_a_hostile_robots_txt_costs_no_time(web: Web, site: Site) -> None:
    rule = b"Disallow: /" + b"*a" * 2_000 + b"*b$\n"
    site.answers |= {"/robots.txt": reply(b"User-agent: *\n" + rule * 100), "/" + "a" * 3_000: reply(b"x")}
    with anyio.fail_after(5):
        await page(web, site.url("/" + "a" * 3_000))


async def test_a_proxy_of_the_settings_is_gone_through(site: Site) -> None:
    site.answers["http://public.example/page"] = reply(b"by proxy")
    site.answers["http://public.example/robots.txt"] = reply(b"", 404)
    web = Web(Client(AddressRules(), proxy=site.url("/")))

    assert (await page(web, "http://public.example/page")).body == b"by proxy"
    with pytest.raises(Refused):
        await page(web, "http://127.0.0.1/page")


async def test_an_address_that_is_none_is_never_asked_for(web: Web) -> None:
    with pytest.raises(InvalidArguments):
        await page(web, "http://user:secret@example.org/")
    with pytest.raises(InvalidArguments):
        await web.head(WHO, "ftp://example.org/", 10)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (httpcore2.ConnectTimeout(), Retryable, "did not answer within 3 s"),
        (httpcore2.ReadTimeout(), Retryable, "sent nothing for 3 s"),
        (httpcore2.ConnectError(OSError(errno.ENETUNREACH, "x")), EnvironmentFailure, "no way to example.org"),
        (httpcore2.ConnectError(OSError(errno.EPIPE, "x")), Retryable, "could not be connected to"),
        (
            httpcore2.ConnectError(ExceptionGroup("all", [OSError(errno.ECONNREFUSED, "x"), OSError(1, "y")])),
            EnvironmentFailure,
            "nothing answers at example.org",
        ),
        (httpcore2.ReadError(OSError("reset")), Retryable, "broke the connection off: reset"),
        (httpcore2.LocalProtocolError("bad header"), EnvironmentFailure, "cannot be spoken to: bad header"),
        (ssl.SSLError(1, "x"), EnvironmentFailure, "over TLS"),
    ],
)
def test_what_goes_wrong_on_the_way_is_a_failure_of_its_class(
    error: Exception, kind: type[Exception], said: str
) -> None:
    failure = failure_of(error, "example.org", 3)

    assert isinstance(failure, kind)
    assert said in failure.problem


async def test_without_the_extra_the_command_that_installs_it_is_told(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpcore2", None)
    with pytest.raises(EnvironmentFailure, match=r"hilt\[web\]") as failure:
        await page(web, "http://example.org/")
    assert "uv pip install" in failure.value.next_steps[0]
