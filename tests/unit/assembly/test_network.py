"""The web as the settings say."""

import json
from pathlib import Path

import pytest

from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.assembly.network import INDEX, web_parts
from hilt.errors import ConfigError
from hilt.results.envelope import ToolResult
from tests.fakes.web_site import reply, web_site

ALLOWED = ("policy.rules=[{word='allow', tools='*', actions=['fetch']}]",)
"""What a person says who lets an agent read the web."""


def opened(*settings: str) -> Assembled:
    return open_runtime(config=read_config(settings=[*ALLOWED, *settings]))


async def ask(assembled: Assembled, tool: str, **arguments: object) -> ToolResult[object]:
    assembled.runtime.declare(assembled.session, [tool])
    return (await assembled.runtime.answer_one(assembled.session, tool, arguments)).result


@pytest.mark.usefixtures("project")
async def test_a_site_of_this_machine_is_fetched_once_the_settings_name_it() -> None:
    async with web_site({"/": reply(b"hello", content_type="text/plain")}) as site:
        async with opened() as assembled:
            refused = await ask(assembled, "fetch_page", url=site.url("/"))
        for setting in (f'web.allow_hosts=["127.0.0.1:{site.port}"]', "web.allow_private=true"):
            async with opened(setting) as assembled:
                assert (await ask(assembled, "fetch_page", url=site.url("/"))).status == "success"

    assert refused.denied is not None
    assert refused.denied.rule == "public-addresses-only"


@pytest.mark.usefixtures("project")
async def test_without_a_rule_a_fetch_is_asked_for() -> None:
    async with open_runtime(config=read_config(settings=[])) as assembled:
        result = await ask(assembled, "fetch_page", url="https://example.org/")

    assert result.denied is not None
    assert result.denied.by == "nobody_to_ask"


@pytest.mark.usefixtures("project")
async def test_robots_and_redirects_are_the_settings_to_say() -> None:
    async with web_site({"/there": reply(b"there", content_type="text/plain")}) as other, web_site() as site:
        site.answers = {
            "/robots.txt": reply(b"User-agent: *\nDisallow: /"),
            "/": reply(status=302, location=other.url("/there")),
        }
        async with opened("web.allow_private=true") as assembled:
            by_robots = await ask(assembled, "fetch_page", url=site.url("/"))
        async with opened("web.allow_private=true", "web.robots=ignore") as assembled:
            elsewhere = await ask(assembled, "fetch_page", url=site.url("/"))
        async with opened("web.allow_private=true", "web.robots=ignore", "web.redirects=any") as assembled:
            there = await ask(assembled, "fetch_page", url=site.url("/"))

    assert by_robots.denied is not None
    assert by_robots.denied.rule == "robots.txt"
    assert elsewhere.failure is not None
    assert "another site" in elsewhere.failure.problem
    assert there.status == "success"


@pytest.mark.usefixtures("project")
async def test_pages_read_in_one_process_are_found_in_the_next(home: Path) -> None:
    async with web_site({"/": reply(b"rare words", content_type="text/plain")}) as site:
        async with opened("web.allow_private=true") as assembled:
            await ask(assembled, "fetch_page", url=site.url("/"))
        async with opened() as assembled:
            found = await ask(assembled, "search_web", query="rare")

    assert found.items == ({"title": site.url("/"), "url": site.url("/"), "snippet": "rare words"},)
    assert (home / "state" / INDEX).is_file()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("provider", "variable"), [("brave", "BRAVE_API_KEY"), ("tavily", "TAVILY_API_KEY")])
async def test_a_provider_without_its_key_names_the_variable(
    provider: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    for setting, named in (("log.level=error", variable), ("web.search.key_env=MINE", "MINE")):
        async with opened(f"web.search.provider={provider}", setting) as assembled:
            result = await ask(assembled, "search_web", query="x")

        assert result.failure is not None
        assert named in result.failure.problem


@pytest.mark.usefixtures("project")
async def test_the_server_that_the_settings_name_is_asked_wherever_it_stands() -> None:
    answer = {"results": [{"title": "T", "url": "https://example.org/", "content": "words"}]}
    async with web_site({"/search?q=x&format=json&pageno=1": reply(json.dumps(answer).encode())}) as site:
        assembled = opened("web.search.provider=searxng", f"web.search.url={site.url('/')}")
        result = await ask(assembled, "search_web", query="x")
        fetched = await ask(assembled, "fetch_page", url=site.url("/"))
        await assembled.close()

    assert result.items == ({"title": "T", "url": "https://example.org/", "snippet": "words"},)
    assert fetched.status == "denied"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("web.search.provider=searxng",), r"web\.search\.url is not set"),
        (("web.search.provider=searxng", "web.search.url=search.example"), "is no http address"),
        (("web.proxy=socks5://x",), "is no http proxy"),
        (('web.allow_hosts=["10.0.0.0/99"]',), "is no network"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_with_a_step(settings: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        web_parts(read_config(settings=settings))
    assert refused.value.next_steps


def test_a_strange_folders_file_opens_no_host(project: Path) -> None:
    (project / "hilt.toml").write_text('[web]\nallow_private = true\nallow_hosts = ["localhost"]\nrobots = "ignore"\n')
    config = read_config()

    assert config.value("web.allow_private") is False
    assert config.texts("web.allow_hosts") == ()
    assert config.text("web.robots") == "respect"
    assert any("web.allow_private" in note for note in config.notes)
