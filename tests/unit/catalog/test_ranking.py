"""Finding a tool by words."""

import pytest

from hilt.catalog.ranking import Document, Index, find

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
]


def names(query: str) -> list[str]:
    return [TOOLS[place].name for place in find(query, TOOLS).places]


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
    ],
)
def test_the_tool_that_has_the_words_comes_first(query: str, best: str) -> None:
    assert names(query)[0] == best


def test_a_tool_without_any_word_is_left_out_and_unmatched_words_are_told() -> None:
    found = find("the commit frobnicator of zanzibar", TOOLS)

    assert [TOOLS[place].name for place in found.places] == ["git_log"]
    assert found.unmatched == ("frobnicator", "zanzibar")


def test_nothing_that_matches_is_no_result_and_no_error() -> None:
    assert find("zanzibar", TOOLS).places == ()
    assert find("", TOOLS).places == ()
    assert find("commit", []).places == ()


@pytest.mark.parametrize("query", ["git_status", "git/git_status", " git_status "])
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
