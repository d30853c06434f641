"""Finding a tool by words."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.catalog.ranking import Document, Index, find
from hilt.catalog.search_document import MOST_NODES, MOST_TEXT, schema_texts

TOOLS = [
    Document(server="git", name="git_log", description="Show the commit history", parameters={}),
    Document(server="git", name="git_status", description="Show what changed in the working tree", parameters={}),
    Document(
        server="mail",
        name="sendMessage",
        description="Sends one message",
        parameters={
            "properties": {
                "recipient": {"type": "string", "description": "who gets it"},
                "priority": {"enum": ["high"]},
            }
        },
    ),
    Document(server="mail", name="list_folders", description="所有文件夹的列表", parameters={}),
    Document(
        server="chat-hub",
        name="post",
        title="Speak up",
        description="",
        parameters={},
        aliases=("发言", "shout out loud"),
    ),
]


def names(query: str, *, server: str = "") -> list[str]:
    return [TOOLS[place].name for place in find(query, TOOLS, server=server).places]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("history of commits", "git_log"),
        ("send messages", "sendMessage"),
        ("recipients", "sendMessage"),
        ("high priority", "sendMessage"),
        ("changes in the tree", "git_status"),
        ("文件夹", "list_folders"),
        ("Listing folders", "list_folders"),
        ("directories", "list_folders"),
        ("deliver a mail", "sendMessage"),
        ("看看提交记录", "git_log"),
        ("shouting", "post"),
        ("发言", "post"),
        ("speaking", "post"),
        ("hist", "git_log"),
    ],
)
def test_the_tool_that_has_the_words_or_what_they_stand_for_comes_first(query: str, best: str) -> None:
    assert names(query)[0] == best


def test_a_tool_without_any_word_is_left_out_and_unmatched_words_are_told() -> None:
    found = find("the commit frobnicator of zanzibar 蠢鑫", TOOLS)

    assert [TOOLS[place].name for place in found.places] == ["git_log"]
    assert found.unmatched == ("frobnicator", "zanzibar", "蠢鑫")


def test_nothing_that_matches_is_no_result_and_no_error() -> None:
    assert find("zanzibar", TOOLS).places == ()
    assert find("", TOOLS).places == ()
    assert find("commit", []).places == ()
    assert find("___", [Document(server="", name="___", description="", parameters={})]).places == ()


@pytest.mark.parametrize("query", ["git_status", "git/git_status", " git_status ", "Git Status", "gitStatus"])
def test_an_exact_name_comes_first_and_leaves_nothing_unmatched(query: str) -> None:
    found = find(query, TOOLS)

    assert TOOLS[found.places[0]].name == "git_status"
    assert found.unmatched == ()


def test_a_query_of_words_that_say_nothing_finds_nothing_and_says_so() -> None:
    found = find("what is it", TOOLS)

    assert (found.places, found.unmatched) == ((), ("what", "is", "it"))


def test_equal_scores_go_by_server_and_name_whatever_the_order_of_the_tools() -> None:
    twins = [Document(server="s", name=name, description="same words", parameters={}) for name in ("yy", "xx", "zz")]

    assert find("words", twins).places == (1, 0, 2)


def test_a_word_counts_through_the_best_of_what_it_stands_for_and_not_through_all() -> None:
    one = Document(server="s", name="remove", description="remove it", parameters={})
    heap = Document(
        server="s", name="aaa", description="erase destroy purge clear wipe discard trash drop", parameters={}
    )

    assert find("remove it", [heap, one]).places[0] == 1


def test_the_tool_whose_whole_name_is_asked_for_comes_before_one_of_a_longer_name() -> None:
    pair = [
        Document(server="s", name="batch_create_issue_links", description="Create issues", parameters={}),
        Document(server="s", name="create_issue", description="Create issues", parameters={}),
    ]

    assert find("create an issue", pair).places[0] == 1


def test_a_word_with_a_plus_must_be_there() -> None:
    assert names("+message show") == ["sendMessage"]
    assert "git_log" in names("message show")

    found = find("+zanzibar message", TOOLS)
    assert (found.places, found.unmatched) == ((), ("zanzibar",))


def test_a_chinese_word_with_a_plus_may_be_there_in_english() -> None:
    assert names("+消息 发送") == ["sendMessage"]


def test_a_named_server_counts_more_and_hides_nothing() -> None:
    twins = [Document(server=server, name="search", description="Find pages", parameters={}) for server in "abc"]

    assert find("find pages", twins).places == (0, 1, 2)
    found = find("find pages", twins, server="c")
    assert (found.places, found.elsewhere) == ((2, 0, 1), False)


@pytest.mark.parametrize("server", ["chat-hub", "Chat_Hub", "chat"])
def test_a_server_is_known_without_its_signs_and_by_its_beginning(server: str) -> None:
    assert names("shout show history", server=server)[0] == "post"


@pytest.mark.parametrize("server", ["mail", "nowhere", "/"])
def test_where_a_named_server_has_nothing_the_others_answer_and_that_is_told(server: str) -> None:
    found = find("commit history", TOOLS, server=server)

    assert TOOLS[found.places[0]].name == "git_log"
    assert found.elsewhere


def test_every_text_of_a_schema_is_read_wherever_it_stands() -> None:
    schema = {
        "properties": {
            "outer": {"anyOf": [{"description": "one way", "properties": {"inner": {"enum": ["red", 3]}}}]},
            "many": {"items": {"description": "an entry"}},
        },
        "$defs": {"Part": {"allOf": [{"description": "a part"}]}},
    }

    named, chosen = schema_texts(schema)

    assert {"outer", "inner", "many", "one", "way", "entry", "part"} <= set(named.split())
    assert chosen == "red"


def test_a_declaration_without_end_costs_no_more_than_a_long_one() -> None:
    deep: dict[str, object] = {"description": "innermost"}
    for _ in range(3 * MOST_NODES):
        deep = {"items": deep}
    wide = {"properties": {f"key{number}": {"description": "word " * 50} for number in range(5_000)}}

    assert "innermost" not in schema_texts(deep)[0]
    assert len(schema_texts(wide)[0]) <= MOST_TEXT
    assert find("innermost", [Document(server="s", name="n", description="x " * 10**6, parameters=deep)]).places == ()


text = st.text(max_size=60) | st.sampled_from(["+", "select:", "+commit 文件", "git_log", "a@b.c", "x" * 300])
documents = st.lists(
    st.builds(
        Document,
        server=st.text(max_size=8),
        name=st.text(max_size=20),
        description=text,
        parameters=st.dictionaries(st.sampled_from(["properties", "items", "enum", "anyOf"]), st.none() | st.text()),
        aliases=st.tuples(text),
    ),
    max_size=6,
)


@given(tools=documents, query=text, server=st.text(max_size=8))
def test_any_query_of_any_tools_is_answered_the_same_in_any_order_of_them(
    tools: Sequence[Document], query: str, server: str
) -> None:
    found = Index(tools).find(query, server=server)

    assert found == Index(tools).find(query, server=server)
    assert len(set(found.places)) == len(found.places) <= len(tools)
    backward = Index(tools[::-1]).find(query, server=server)
    assert [_id(tools[place]) for place in found.places] == [_id(tools[::-1][place]) for place in backward.places]


def _id(document: Document) -> str:
    return f"{document.server}/{document.name}"
