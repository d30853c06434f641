"""`fetch_page`: the main text of a page, in parts that fit together, and a plain word for everything else."""

from collections.abc import Mapping
from typing import cast

import anyio
import pytest

from hilt.calls.answer import Answer
from hilt.calls.session import Session
from hilt.declarations.description import Environment
from hilt.documents.main_text_content import EMPTY
from hilt.results.envelope import Status, ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.runtime.sightings import BY_OTHERS
from hilt.tools.fetch_page import BLOCKS, MOST_HEADINGS, SHOWN_BYTES, fetch_page
from hilt.workspace.network import AddressRules, Client, Web
from tests.fakes.web_site import reply, said, web_site
from tests.kit import runtime

GUIDE = """<!DOCTYPE html><html lang="en"><head><title>The Guide</title></head><body>
<nav><a href="/">Home</a> <a href="/all">All pages</a></nav>
<main><h1>Guide</h1><p>Read <a href="next.html?a=1&amp;b=2">the next page</a> too.</p>
<h2>Install</h2><pre><code class="language-sh">pip install widget
  --quiet</code></pre>
<h2>Options</h2><table><tr><th>Name</th><th>Default</th></tr><tr><td>size</td><td>10</td></tr></table>
</main><footer>Imprint</footer></body></html>"""


class Reader:
    """One session that reads pages of this machine."""

    def __init__(self, web: Web | None = None) -> None:
        web = web or Web(Client(AddressRules(allow_hosts=("127.0.0.1",))))
        self.session = Session()
        self.runtime: Runtime = runtime(fetch_page, parts={Web: web})

    async def answer(self, url: str, **arguments: object) -> Answer:
        with anyio.fail_after(30):
            return await self.runtime.answer_one(self.session, "fetch_page", {"url": url, **arguments})

    async def __call__(self, url: str, **arguments: object) -> ToolResult[object]:
        return (await self.answer(url, **arguments)).result

    async def text(self, url: str, **arguments: object) -> str:
        return text_of(await self(url, **arguments))


@pytest.fixture
def read() -> Reader:
    return Reader()


def text_of(result: ToolResult[object]) -> str:
    return "".join(str(cast("Mapping[str, object]", item)["text"]) for item in result.items)


def failed(result: ToolResult[object], kind: FailureKind) -> str:
    assert result.failure is not None, result.summary
    assert result.failure.kind is kind, result.failure
    assert 1 <= len(result.failure.next_steps) <= 2
    return result.failure.problem


async def test_a_page_is_its_main_part_with_links_tables_and_code(read: Reader) -> None:
    async with web_site() as site:
        url = site.page("/docs/guide.html", GUIDE)
        answer = await read.answer(url)

    text = text_of(answer.result)
    assert f"[the next page](http://127.0.0.1:{site.port}/docs/next.html?a=1&b=2)" in text
    assert "```sh\npip install widget\n  --quiet\n```" in text
    assert "| Name | Default |\n|---|---|\n| size | 10 |" in text
    assert not {"Home", "All pages", "Imprint"} & set(text.replace("[", " ").split())
    assert answer.result.summary.startswith(f"{url}: The Guide, language en")
    assert text.strip() in answer.text


async def test_one_section_is_given_by_its_heading(read: Reader) -> None:
    async with web_site() as site:
        url = site.page("/docs/guide.html", GUIDE)
        text = await read.text(url, section="options")

    assert text.startswith("## Options\n")
    assert "Install" not in text


async def test_following_next_gives_the_whole_page_once_and_asks_the_site_once(read: Reader) -> None:
    paragraphs = [f"Paragraph {number} " + "word " * 50 for number in range(300)]
    html = "<main>" + "".join(f"<h2>Part {n}</h2><p>{text}</p>" for n, text in enumerate(paragraphs)) + "</main>"
    pieces: list[str] = []
    async with web_site() as site:
        call: dict[str, object] = {"url": site.page("/long", html)}
        while True:
            result = await read(**call)  # type: ignore[arg-type]  # what next holds is a call
            pieces.append(text_of(result))
            site.answers["/long"] = reply(b"changed", content_type="text/plain")
            if result.truncation is None:
                break
            assert len(pieces[-1].encode()) <= SHOWN_BYTES
            assert len(result.items) <= BLOCKS
            call = dict(result.truncation.next)

    whole = "".join(pieces)
    assert [line for line in whole.splitlines() if line.startswith("Paragraph")] == [p.strip() for p in paragraphs]
    assert whole.count("## Part ") == 300
    assert site.targets() == ["/long"]
    assert len(pieces) > 3


async def test_a_section_that_is_not_there_is_answered_with_the_nearest(read: Reader) -> None:
    async with web_site() as site:
        url = site.page("/docs/guide.html", GUIDE)
        problem = failed(await read(url, section="Instal it"), FailureKind.INVALID_ARGUMENTS)

    assert "Install" in problem


async def test_this_machine_is_not_fetched_unless_the_settings_say_so() -> None:
    async with web_site() as site:
        site.page("/", GUIDE)
        result = await Reader(Web(Client(AddressRules())))(site.url("/"))

    assert result.status is Status.DENIED
    assert result.denied is not None
    assert result.denied.rule == "public-addresses-only"
    assert site.asked == []


async def test_a_heading_that_several_sections_have_is_answered_with_their_paths(read: Reader) -> None:
    html = "<main><h1>A</h1><h2>Use</h2><p>one</p><h1>B</h1><h2>Use</h2><p>two</p></main>"
    async with web_site() as site:
        url = site.page("/", html)
        problem = failed(await read(url, section="Use"), FailureKind.INVALID_ARGUMENTS)
        text = await read.text(url, section="B > Use")

    assert "A > Use; B > Use" in problem
    assert "two" in text
    assert "one" not in text


async def test_a_page_without_headings_has_no_section(read: Reader) -> None:
    async with web_site({"/": reply(b"only text", content_type="text/plain")}) as site:
        problem = failed(await read(site.url("/"), section="x"), FailureKind.INVALID_ARGUMENTS)

    assert "has no headings" in problem


async def test_a_section_unlike_any_is_answered_with_the_headings_there_are(read: Reader) -> None:
    html = "<main>" + "".join(f"<h2>Topic {number}</h2><p>x</p>" for number in range(MOST_HEADINGS + 3)) + "</main>"
    async with web_site() as site:
        problem = failed(await read(site.page("/", html), section="zzzz"), FailureKind.INVALID_ARGUMENTS)

    assert "Topic 0; Topic 1" in problem
    assert "(and 3 more)" in problem


async def test_a_cut_page_names_the_sections_that_follow(read: Reader) -> None:
    html = "<main>" + "".join(f"<h2>Part {number}</h2><p>{'word ' * 900}</p>" for number in range(9)) + "</main>"
    async with web_site() as site:
        result = await read(site.page("/", html))

    assert result.truncation is not None
    assert any(note.startswith("sections that follow: ") and note.endswith("Part 8") for note in result.notes)


async def test_a_section_is_read_on_within_itself(read: Reader) -> None:
    long = "".join(f"<p>{number} {'word ' * 300}</p>" for number in range(30))
    async with web_site() as site:
        url = site.page("/", f"<main><h1>A</h1><p>no</p><h1>B</h1>{long}<h1>C</h1><p>no</p></main>")
        result = await read(url, section="B")
        assert result.truncation is not None
        assert result.truncation.next["section"] == "B"
        text = text_of(result)
        while result.truncation is not None:
            result = await read(**cast("dict[str, str]", result.truncation.next))
            text += text_of(result)

    assert text.startswith("# B\n")
    assert [line.split()[0] for line in text.splitlines() if "word" in line] == [str(number) for number in range(30)]


async def test_an_offset_past_the_end_is_answered_with_the_end(read: Reader) -> None:
    async with web_site({"/": reply(b"short", content_type="text/plain")}) as site:
        problem = failed(await read(site.url("/"), offset=3), FailureKind.INVALID_ARGUMENTS)

    assert "has 1 blocks" in problem


async def test_a_page_that_changed_while_it_was_read_is_told() -> None:
    reader = Reader(Web(Client(AddressRules(allow_hosts=("127.0.0.1",))), fresh_s=0))
    async with web_site() as site:
        url = site.page("/", "<main>" + "<p>first words</p>" * 1_000 + "</main>")
        result = await reader(url)
        assert result.truncation is not None
        kept = await reader(**cast("dict[str, str]", result.truncation.next))
        site.page("/", "<main>" + "<p>other words</p>" * 1_000 + "</main>")
        with anyio.fail_after(20):  # another session reads the page as it is now, and the old one is kept no more
            await reader.runtime.answer_one(Session(), "fetch_page", {"url": url})
        changed = await reader(**cast("dict[str, str]", result.truncation.next))

    assert "first words" in text_of(kept)
    assert said(kept) == ()
    assert "other words" in text_of(changed)
    assert said(changed) == ("the page has changed since its beginning was read; blocks may have moved",)


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b'{"a": [1, 2]}', "application/json", '{"a": [1, 2]}'),
        (b"# T\n\n| a |\n", "text/markdown", "# T\n\n| a |"),
        ("gr\u00fc\u00dfe".encode(), "text/plain", "gr\u00fc\u00dfe"),
        ("gr\u00fc\u00dfe".encode("latin-1"), "text/plain; charset=iso-8859-1", "gr\u00fc\u00dfe"),
        ("\u4f60\u597d\u4e16\u754c".encode("gbk"), "text/plain; charset=gb2312", "\u4f60\u597d\u4e16\u754c"),
        ("mark".encode("utf-16"), "text/plain; charset=utf-8", "mark"),
        (b"<meta charset=shift_jis><p>" + "\u65e5\u672c".encode("shift_jis"), "text/html", "\u65e5\u672c"),
        (b"<html><p>no type", "", "no type"),
    ],
    ids=["json", "markdown", "utf-8", "latin-1", "gbk", "mark before header", "meta", "no type"],
)
async def test_text_is_read_in_its_own_form(read: Reader, body: bytes, content_type: str, expected: str) -> None:
    named = {"content_type": content_type} if content_type else {}
    async with web_site({"/": reply(body, 200, **named)}) as site:
        assert (await read.text(site.url("/"))).strip() == expected


async def test_a_character_set_that_is_a_lie_is_told(read: Reader) -> None:
    body = "<p>gr\u00fc\u00dfe".encode()
    async with web_site({"/": reply(body, content_type="text/html; charset=ascii-not-really")}) as site:
        assert await read.text(site.url("/")) == "gr\u00fc\u00dfe\n\n"
    async with web_site({"/": reply("\u4f60\u597d".encode("gbk"), content_type="text/plain; charset=utf-8")}) as site:
        result = await read(site.url("/"))

    assert any("says its text is utf-8, which it is not" in note for note in result.notes)


@pytest.mark.parametrize("named", ["iso-8859-1", "ascii", "windows-1252"])
async def test_a_server_default_does_not_turn_utf_8_into_other_letters(read: Reader, named: str) -> None:
    async with web_site(
        {"/": reply("10 \u00b5m \u2013 gr\u00fc\u00dfe".encode(), content_type=f"text/plain; charset={named}")}
    ) as site:
        result = await read(site.url("/"))

    assert text_of(result).strip() == "10 \u00b5m \u2013 gr\u00fc\u00dfe"
    assert any("which it is not; read as utf-8" in note for note in result.notes)


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"%PDF-1.7 \x00\x01", "application/pdf", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\x00", "image/png", "image/png"),
        (b"\x00\x01\x02" * 100, "", "of a kind it does not say"),
        (b"PK\x03\x04", "application/zip", "application/zip"),
        (b"%PDF-1.7 only text so far", "text/html", "text/html"),
    ],
)
async def test_what_is_no_text_is_told_with_type_and_size(
    read: Reader, body: bytes, content_type: str, kind: str
) -> None:
    named = {"content_type": content_type} if content_type else {}
    async with web_site({"/": reply(body, 200, **named)}) as site:
        problem = failed(await read(site.url("/")), FailureKind.ENVIRONMENT)

    assert f"is {kind}, {len(body):,} bytes" in problem


async def test_binary_that_is_called_text_is_told(read: Reader) -> None:
    async with web_site({"/": reply(b"\x00\x01text" * 10, content_type="text/plain")}) as site:
        assert any("mostly not" in note for note in (await read(site.url("/"))).notes)


async def test_a_fragment_that_no_heading_has_is_told_to_have_no_effect(read: Reader) -> None:
    async with web_site() as site:
        url = site.page("/", GUIDE)
        assert any("no heading is at #install" in note for note in (await read(f"{url}#install")).notes)
        assert said(await read(f"{url}#install", section="Install")) == ()


async def test_a_fragment_gives_the_section_it_leads_to_and_following_next_stays_in_it(read: Reader) -> None:
    long = "".join(f"<p>Line {number} {'word ' * 60}</p>" for number in range(100))
    html = (
        f"<main><h1>G</h1><p>begin</p><section id='in%20st'><h2>Install</h2>{long}</section><h2>Use</h2><p>u</p></main>"
    )
    pieces: list[str] = []
    async with web_site() as site:
        call: dict[str, object] = {"url": site.page("/", html) + "#in%20st"}
        while call:
            result = await read(**call)
            pieces.append(text_of(result))
            call = dict(result.truncation.next) if result.truncation else {}

    whole = "".join(pieces)
    assert len(pieces) > 1
    assert whole.startswith("## Install\n")
    assert [line.split()[1] for line in whole.splitlines() if line.startswith("Line")] == [str(n) for n in range(100)]
    assert not {"begin", "Use"} & set(whole.split())


async def test_a_path_of_whole_headings_leads_to_one_section(read: Reader) -> None:
    html = "<main>" + "".join(f"<h2>Part {n}</h2><h3>Options</h3><p>of {n}</p>" for n in (1, 10, 11)) + "</main>"
    async with web_site() as site:
        text = await read.text(site.page("/", html), section="Part 1 > Options")

    assert text.split() == ["###", "Options", "of", "1"]


@pytest.mark.parametrize("named", [{}, {"content_type": "text/html"}, {"content_type": "text/markdown"}])
async def test_a_page_without_text_says_so(read: Reader, named: dict[str, str]) -> None:
    async with web_site({"/": reply(b"", 200, **named)}) as site:
        result = await read(site.url("/"))

    assert result.items == ()
    assert said(result) == (EMPTY,)


async def test_a_redirect_is_told_to_whoever_reads(read: Reader) -> None:
    async with web_site({"/old": reply(status=301, location="/new")}) as site:
        site.page("/new", GUIDE)
        result = await read(site.url("/old"))

    assert result.summary.startswith(site.url("/new"))
    assert said(result) == (f"{site.url('/old')} redirected here", BY_OTHERS)


async def test_an_empty_page_is_a_success_that_says_so(read: Reader) -> None:
    async with web_site() as site:
        result = await read(site.page("/", "<body><script>x</script></body>"))

    assert result.status is Status.SUCCESS
    assert result.items == ()
    assert any("without running its scripts" in note for note in result.notes)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("example.org", FailureKind.INVALID_ARGUMENTS),
        ("file:///etc/passwd", FailureKind.INVALID_ARGUMENTS),
        ("http://u:p@example.org/", FailureKind.INVALID_ARGUMENTS),
    ],
)
async def test_what_is_no_address_of_the_web_is_an_argument_to_mend(read: Reader, url: str, kind: FailureKind) -> None:
    failed(await read(url), kind)


def test_the_description_says_the_bound_that_holds() -> None:
    text = fetch_page.declaration.description.render(Environment())

    assert f"{SHOWN_BYTES:,} bytes a call" in text
