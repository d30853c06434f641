"""find_tools: one line a tool for a need, definitions by name, and why what is kept back is not there."""

import json
from dataclasses import replace

import pytest

from hilt import Runtime, Session, schema_tool, tool
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Withheld
from hilt.catalog.finding import LINE_CHARACTERS, LOADED_BYTES
from hilt.declarations.description import Description
from hilt.declarations.effects import Effects
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import ToolResult
from hilt.tools.find_tools import BEST, LISTED_CHARACTERS, MOST_TOLD, NAMED_CHARACTERS, find_tools, listed
from tests.kit import answered, perceiving, runtime

SEES = Effects(reads="none", brings="own", does=frozenset())


@tool(**perceiving())
async def near() -> str:
    return "near"


def upstream(
    server: str, name: str, description: str = "", *, effects: Effects = SEES, **parameters: object
) -> AnyTool:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    made = schema_tool(
        name, lambda given: name, parameters=schema, description=description or name, effects=effects, server=server
    )
    return replace(made.renamed(f"{server}__{name}"), handling=replace(made.handling, deferred=True))


def hub() -> Runtime:
    text = {"type": "string"}
    return runtime(
        near,
        find_tools,
        upstream("github", "create_issue", "Open a new issue. It is public.", owner=text, title=text),
        upstream("github", "list_issues", "List the issues of a repository.", owner=text),
        upstream("gitlab", "create_issue", "Open a new issue in GitLab.", project=text),
        upstream("mail", "send", "Send a message to a person.", to=text),
    )


async def ask(of: Runtime, session: Session, query: str, **more: object) -> ToolResult[object]:
    return (await answered(of, "find_tools", json.dumps({"query": query, **more}), session)).result


async def text(of: Runtime, session: Session, query: str, **more: object) -> str:
    return (await answered(of, "find_tools", json.dumps({"query": query, **more}), session)).text


def names(of: Runtime, session: Session) -> list[str]:
    return [each.declaration.name for each in of.offer(session)]


async def test_a_need_is_answered_with_a_line_a_tool_and_the_words_that_nobody_has() -> None:
    said = await text(hub(), Session(), "create issue zanzibar")

    assert "github/create_issue(owner, title): Open a new issue" in said
    assert "It is public" not in said
    assert "note: no tool has: zanzibar" in said
    assert "mail/send" not in said


async def test_a_named_server_comes_first_and_one_that_is_not_there_is_told() -> None:
    of, session = hub(), Session()

    first = (await ask(of, session, "open an issue", server="gitlab")).items[0]
    assert isinstance(first, dict)
    assert first["tool"] == "gitlab/create_issue"
    assert "no server is named 'svn'; these are of others" in await text(of, session, "create issue", server="svn")
    assert "nothing of mail matches; these are of others" in await text(of, session, "issues", server="mail")


async def test_a_word_with_a_plus_must_be_there() -> None:
    said = await text(hub(), Session(), "issue +gitlab")

    assert "gitlab/create_issue" in said
    assert "github/" not in said


async def test_what_does_not_fit_on_a_page_is_counted_and_the_call_that_goes_on_gives_the_rest() -> None:
    of, session = (
        runtime(find_tools, *(upstream("eyes", f"photo_{n}", "Photograph.") for n in range(BEST + 3))),
        Session(),
    )

    first = await ask(of, session, "photo", server="eyes")
    cut = first.truncation
    assert cut is not None
    assert (len(first.items), cut.total, cut.next) == (
        BEST,
        BEST + 3,
        {"query": "photo", "server": "eyes", "offset": BEST},
    )
    rest = (await answered(of, "find_tools", json.dumps(dict(cut.next)), session)).result
    assert (len(rest.items), rest.truncation) == (3, None)
    seen = [each["tool"] for each in (*first.items, *rest.items) if isinstance(each, dict)]
    assert len(set(seen)) == BEST + 3


async def test_selected_tools_are_defined_whole_offered_behind_the_others_and_callable() -> None:
    of, session = hub(), Session()
    before = of.offer(session)

    said = await text(of, session, "select:mail/send, github__create_issue")

    assert said.startswith("loaded mail__send, github__create_issue\n")
    definition = json.loads(said.splitlines()[1])
    assert definition["input_schema"]["required"] == ["to"]
    assert of.offer(session)[: len(before)] == before
    assert names(of, session)[len(before) :] == ["mail__send", "github__create_issue"]
    assert not (await answered(of, "mail__send", '{"to": "ann"}', session)).result.is_error


async def test_selecting_twice_gives_the_same_and_adds_nothing() -> None:
    of, session = hub(), Session()
    first = await text(of, session, "select:mail/send")

    again = await text(of, session, "select:mail/send,near")

    assert again.splitlines()[0] == "nothing to load: declared already"
    assert again.splitlines()[1] == first.splitlines()[1]
    assert names(of, session) == ["near", "find_tools", "mail__send"]


async def test_a_name_that_is_wrong_or_of_several_is_told_beside_what_was_loaded() -> None:
    of, session = hub(), Session()

    said = await ask(of, session, "select:mail/send,github/creat_issue,create_issue,nothing like it")

    assert said.status == "partial"
    assert said.notes == (
        "there is no tool 'github/creat_issue'; nearest: github/create_issue, gitlab/create_issue, github/list_issues",
        "create_issue is the name of several: github/create_issue, gitlab/create_issue",
        "there is no tool 'nothing like it'",
    )
    alone = (await ask(of, session, "select:list_isues")).failure
    assert alone is not None
    assert alone.problem == "there is no tool 'list_isues'; nearest: github/list_issues"
    empty = (await ask(of, session, "select:")).failure
    assert empty is not None
    assert "no tool is named" in empty.problem
    assert not (await ask(of, session, "select:list_issues")).is_error


async def test_definitions_are_loaded_up_to_a_budget_and_the_rest_by_the_call_that_is_named() -> None:
    long = "x" * (LOADED_BYTES - 1_000)
    of = runtime(
        find_tools, upstream("a", "one", long + "y" * 2_000), upstream("a", "two", long), upstream("a", "three", long)
    )
    session = Session()

    first = await ask(of, session, "select:a/one,a/two,a/three")
    assert names(of, session) == ["find_tools", "a__one"]
    cut = first.truncation
    assert cut is not None
    assert (cut.shown, cut.total, dict(cut.next)) == (1, 3, {"query": "select:a/two,a/three"})
    second = await ask(of, session, str(cut.next["query"]))
    assert second.truncation is not None
    await ask(of, session, str(second.truncation.next["query"]))
    assert names(of, session) == ["find_tools", "a__one", "a__two", "a__three"]


async def test_what_is_kept_back_is_neither_found_nor_loaded_and_whoever_names_it_hears_why() -> None:
    of, session = hub(), Session()
    of.catalog.withhold(
        Withheld(name="mail__send", why="quarantined", reason="its text changed", step="hilt pins", server="mail")
    )

    found = await ask(of, session, "send a message to a person")
    assert "mail" not in json.dumps(found.items)
    assert found.notes == ("no tool has: send, message, person",)
    for named in ("mail__send to", "mail/send now", "send", "please use 'mail__send'."):
        assert (await ask(of, session, named)).notes[-1].startswith("mail__send is kept back (quarantined)")
    refused = (await ask(of, session, "select:mail/send")).failure
    assert refused is not None
    assert refused.problem == "mail/send is kept back (quarantined): its text changed; hilt pins"
    assert names(of, session) == ["near", "find_tools"]


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (Policy(rules=(Rule(word="allow"), Rule(word="deny", tools="mail__*", reason="no mail"))), "no mail"),
        (Policy(preset="read-only"), "preset read-only: send is deny"),
    ],
)
async def test_a_tool_that_policy_denies_whatever_the_call_is_found_and_not_loaded(policy: Policy, why: str) -> None:
    sends = replace(SEES, does=frozenset({"send"}))
    of = Runtime([find_tools, upstream("mail", "send", effects=sends)], policy=policy)
    session = Session()

    assert f"mail/send(): send [denied: {why}]" in await text(of, session, "send")
    failure = (await ask(of, session, "select:mail/send")).failure
    assert failure is not None
    assert failure.problem == f"mail/send is not loaded, for no call of it can pass: {why}"
    denied = (await answered(of, "mail__send", session=session)).result.denied
    assert denied is not None
    assert (denied.reason, names(of, session)) == (why, ["find_tools"])


async def test_nothing_found_names_the_servers_there_are() -> None:
    assert await text(hub(), Session(), "+zanzibar") == (
        "no tool matches; servers: own, github, gitlab, mail\nnote: no tool has: zanzibar"
    )


async def test_tools_that_come_are_found_and_those_that_go_are_not() -> None:
    of, session = hub(), Session()
    assert (await ask(of, session, "make photographs")).items == ()

    of.catalog.add(upstream("camera", "make_photographs"))
    assert "camera/make_photographs" in await text(of, session, "make photographs")
    of.catalog.remove("camera__make_photographs")
    assert (await ask(of, session, "make photographs")).items == ()


def test_the_description_names_few_tools_counts_many_and_says_how_many_where_servers_are_too_many() -> None:
    few = {"hilt": ["move_path"], "eyes": ["look", "blink"]}
    many = {"hilt": ["move_path"], "eyes": [f"look_{n}" for n in range(NAMED_CHARACTERS)]}
    crowd = {f"server_{n}": [f"tool_{m}" for m in range(20)] for n in range(LISTED_CHARACTERS // 10)}

    assert listed(few) == "hilt: move_path; eyes: look, blink"
    assert listed(many) == "hilt: move_path; eyes 600"
    assert listed(crowd) == "3,200 tools of 160 servers"
    assert listed({}) == ""


async def test_a_line_is_the_first_sentence_and_no_longer_than_a_line() -> None:
    of = runtime(find_tools, upstream("a", "long", "photograph " * 50), upstream("a", "cjk", "查看文件。然后返回。"))

    items = (await ask(of, Session(), "photograph 文件")).items
    uses = {each["tool"]: each["use"] for each in items if isinstance(each, dict)}
    assert uses["a/cjk"] == "查看文件。"
    assert len(uses["a/long"]) <= LINE_CHARACTERS
    assert uses["a/long"].endswith("photograph…")


async def test_a_tool_of_this_program_that_waits_is_found_too() -> None:
    far = tool(name="far", **perceiving(deferred=True, description=Description(use_for="the far side", returns="it")))
    of, session = runtime(near, find_tools, far(near.function)), Session()

    assert "own/far(): The far side" in await text(of, session, "far side")
    assert "own/near(): A test [declared]" in await text(of, session, "test")
    await ask(of, session, "select:far")
    assert names(of, session) == ["near", "find_tools", "far"]


async def test_what_is_asked_for_at_length_is_told_in_short() -> None:
    of, session = hub(), Session()

    wrong = (await ask(of, session, "select:" + ",".join(f"name{n}" for n in range(MOST_TOLD + 5)))).failure
    assert wrong is not None
    assert wrong.problem.endswith("and 5 more names like that")
    long = (await ask(of, session, "select:" + "x" * 5_000)).failure
    assert long is not None
    assert len(long.problem) < 200
    assert len(await text(of, session, "issue", server="y" * 5_000)) < 1_000
    letters = [first + second for first in "abcdefgh" for second in "abcdefgh"]
    assert "and 14 more" in await text(of, session, " ".join(f"zz{each}" for each in letters))
    assert (await ask(of, session, "issue", offset=90)).summary == "3 match, none from offset 90 on"
