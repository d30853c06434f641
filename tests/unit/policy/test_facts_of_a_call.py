"""Policy decides on what the function will get: repaired and translated arguments, each path of a list, and no less."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from hilt import Param, Repair, Runtime, Session, tool
from hilt.calls.memos import Memos
from hilt.calls.resolver import CommandFact, PathFact, Property
from tests.kit import acting, answered

WRITES = acting(effects={"reads": "none", "does": "write"}, repairs=[Repair(old="file", new="paths")])


class Here:
    """A resolver that knows one folder."""

    def __init__(self, root: str) -> None:
        self.root, self.asked = root, list[str]()

    def path(self, asked: str) -> PathFact:
        self.asked.append(asked)
        return PathFact(asked=asked, real=asked, inside=asked.startswith(self.root), kind="file", why="it is elsewhere")

    def command(self, asked: str | Sequence[str], folder: str | None = None) -> CommandFact:
        return CommandFact(text=str(asked))

    async def folder(self, session: Session, memos: Memos) -> str:
        return self.root

    confinement: frozenset[Property] = frozenset()


ran: list[object] = []


@tool(**WRITES)
def write(
    paths: Annotated[list[str] | None, Param("files", role="path")] = None,
    target: Annotated[Path | None, Param("a file", role="path")] = None,
    note: Annotated[str, Param("what to say", role="content")] = "",
) -> str:
    ran.append((paths, target))
    return "ok"


async def outcome(text: str) -> tuple[Any, list[str]]:
    ran.clear()
    here = Here("/w/")
    result = (await answered(Runtime([write], resolver=here), "write", text)).result
    return (result.denied.rule if result.denied else result.status.value), here.asked


async def test_each_path_of_a_list_is_a_fact_and_one_outside_denies_the_call() -> None:
    assert await outcome('{"paths": ["/w/a", "/w/b"]}') == ("success", ["/w/a", "/w/b"])
    assert await outcome('{"paths": ["/w/a", "/etc/b"], "target": "/w/c", "note": "/etc"}') == (
        "outside-roots",
        ["/w/a", "/etc/b", "/w/c"],
    )
    assert ran == []


async def test_a_path_hidden_in_a_repair_is_seen_as_the_function_would_get_it() -> None:
    assert await outcome('{"paths": "[\\"/etc/passwd\\"]"}') == ("outside-roots", ["/etc/passwd"])
    assert await outcome('{"file": ["/etc/passwd"]}') == ("outside-roots", ["/etc/passwd"])
    assert ran == []


async def test_a_path_that_is_not_absolute_never_reaches_the_tool() -> None:
    assert (await outcome('{"paths": ["relative/a"]}'))[0] == "outside-roots"
    assert ran == []


async def test_a_write_that_names_no_path_or_no_resolver_knows_is_asked_about() -> None:
    assert await outcome("{}") == ("workspace/write", [])
    result = await Runtime([write]).call(Session(), "write", {"paths": ["/w/a"]})
    assert result.denied is not None
    assert result.denied.by == "nobody_to_ask"
