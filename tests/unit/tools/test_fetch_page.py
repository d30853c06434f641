"""`fetch_page`: the main text of a page, in parts that fit together, and a plain word for everything else."""

from collections.abc import Mapping
from typing import cast

import anyio
import pytest

from hilt.calls.answer import Answer
from hilt.calls.session import Session
from hilt.results.envelope import Status, ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.tools.fetch_page import BLOCKS, SHOWN_BYTES, fetch_page
from hilt.workspace.network import AddressRules, Client, Web
from tests.fakes.web_site import reply, web_site
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
