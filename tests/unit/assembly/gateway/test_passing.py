"""Resources and prompts of servers behind Hilt, of all of them as of one."""

from pathlib import Path

import pytest

from hilt.assembly.gateway.passing import fits_template
from hilt.results.failures import InvalidArguments
from hilt.store import MemoryStore
from tests.unit.assembly.gateway.kit import Told, behind


def stocked(folder: Path, name: str) -> Told:
    told = Told(folder, name, "read")
    told.write("resources", [{"uri": "note://a", "name": "a"}, {"uri": f"note://{name}/b", "name": "b"}])
    told.write("resourceTemplates", [{"uriTemplate": f"{name}://{{path}}"}, {"uriTemplate": "both://{x}/{y}"}])
    told.write("prompts", [{"name": "greet"}])
    return told


async def test_a_uri_that_two_servers_have_stays_the_first_ones_and_the_others_says_its_server(tmp_path: Path) -> None:
    async with behind(stocked(tmp_path, "one").spec(), stocked(tmp_path, "two").spec()) as held:
        passing = held.gateway.passing
        uris = [str(each["uri"]) for each in await passing.resources()]
        templates = [str(each["uriTemplate"]) for each in await passing.resource_templates()]
        read = [(await passing.read_resource(uri))["contents"] for uri in uris]

    assert uris[:2] == ["note://a", "note://one/b"]
    assert uris[2].startswith("hilt-server://two/")
    assert [each[0]["text"] for each in read] == [  # type: ignore[index]  # JSON of the test's own server
        "one: note://a",
        "one: note://one/b",
        "two: note://a",
        "two: note://two/b",
    ]
    assert templates[:2] == ["one://{path}", "both://{x}/{y}"]
    assert templates[3].startswith("hilt-server://two/")
    assert "{x}" in templates[3]


async def test_a_uri_that_fits_a_template_is_read_at_its_server_and_no_other_is(tmp_path: Path) -> None:
    async with behind(stocked(tmp_path, "one").spec(), stocked(tmp_path, "two").spec()) as held:
        passing = held.gateway.passing
        found = await passing.read_resource("two://some/where")
        with pytest.raises(InvalidArguments, match="no server has the resource"):
            await passing.read_resource("three://some/where")
        with pytest.raises(InvalidArguments, match="no server has the resource"):
            await passing.read_resource("hilt-server://three/x")

    assert "two: two://some/where" in str(found)


async def test_prompts_have_their_servers_name_before_their_own(tmp_path: Path) -> None:
    async with behind(stocked(tmp_path, "one").spec(), stocked(tmp_path, "two").spec()) as held:
        passing = held.gateway.passing
        names = [each["name"] for each in await passing.prompts()]
        filled = await passing.prompt("two__greet", {"who": "x"})
        with pytest.raises(InvalidArguments, match="no server has the prompt"):
            await passing.prompt("greet", {})

    assert names == ["one__greet", "two__greet"]
    assert "two: greet" in str(filled)


async def test_a_server_that_waits_to_be_called_is_not_started_to_be_asked_for_resources(tmp_path: Path) -> None:
    one, store = stocked(tmp_path, "one"), MemoryStore()
    async with behind(one.spec(), store=store):
        pass
    heard: list[str] = []

    async with behind(one.spec(), store=store) as held:
        held.gateway.passing.listen(heard.append)
        before = await held.gateway.passing.resources()
        starts = one.starts
        await held.call("one__read")
        after = await held.gateway.passing.resources()

    assert (list(before), starts) == ([], 1)
    assert len(after) == 2
    assert {"resources", "prompts"} <= set(heard)


@pytest.mark.parametrize(
    ("uri", "template", "fits"),
    [
        ("one://a/b", "one://{path}", True),
        ("one://", "one://{path}", False),
        ("one://a/", "one://{x}/{y}", False),
        ("one://a//b", "one://{x}/{y}", True),
        ("a.b", "{x}{y}.{z}", False),
        ("ab.c", "{x}{y}.{z}", True),
        ("note://a", "note://a", True),
        ("aba", "ab{x}ba", False),
        ("x" * 3_000, "".join(f"{{a{each}}}y" for each in range(300)), False),
        ("x" * 3_000, "".join(f"{{a{each}}}" for each in range(300)), True),
    ],
)
def test_a_template_is_compared_with_a_uri_in_a_time_like_their_length(uri: str, template: str, fits: bool) -> None:
    """As one pattern, thirty expressions side by side held up the process for ever."""
    assert fits_template(uri, template) is fits
