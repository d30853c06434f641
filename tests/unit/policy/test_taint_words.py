import pytest

from hilt.policy.taint_vocabulary import NOUNS, VERBS
from hilt.policy.taint_words import asked_for, stem


@pytest.mark.parametrize("word", ["send", "sends", "sending"])
def test_usual_endings_make_no_other_word(word: str) -> None:
    assert stem(word) == "send"


@pytest.mark.parametrize(
    ("one", "other"),
    [("sharing", "share"), ("planned", "plan"), ("replies", "reply"), ("deleted", "delete"), ("boxes", "box")],
)
def test_a_verb_is_known_in_its_forms(one: str, other: str) -> None:
    assert stem(one) == stem(other)


MAIL, DELETE = (("send",), ("mail",)), (("delete",), ("file",))


@pytest.mark.parametrize(
    ("words", "of", "asked"),
    [
        ("Please send a mail to Bob", MAIL, True),
        ("Write Bob a letter about it", MAIL, True),
        ("Let Bob know by e-mail", MAIL, True),
        ("Read my mail", MAIL, False),
        ("Get rid of the old documents", DELETE, True),
        ("Here is the report. Delete it.", DELETE, True),
        ("Delete my draft. It rained all day. I like this file.", DELETE, False),
        ("给张三发一封邮件", MAIL, True),
        ("看看我的邮件", MAIL, False),
        ("把旧文件删掉", DELETE, True),
        ("", MAIL, False),
    ],
)
def test_an_act_is_asked_for_by_its_verb_and_noun_or_words_for_them(
    words: str,
    of: tuple[tuple[str, ...], tuple[str, ...]],
    asked: bool,
) -> None:
    assert asked_for("tool", *of, words, values_given=False) is asked


def test_the_noun_may_be_left_out_where_all_values_were_said() -> None:
    assert asked_for("x", *DELETE, "Delete 4711", values_given=True)
    assert not asked_for("x", *DELETE, "Delete 4711", values_given=False)
    assert not asked_for("x", *DELETE, "Show 4711", values_given=True)


@pytest.mark.parametrize(
    ("tool", "words", "asked"),
    [
        ("delete_file", "remove the document", True),
        ("deleteFile", "remove the document", True),
        ("delete_file", "show the document", False),
        ("frobnicate_widget", "frobnicate my widget", True),
        ("frobnicate_widget", "look at my widget", False),
        ("notify", "notify them", True),
    ],
)
def test_a_tool_without_words_of_its_own_is_called_by_its_name(tool: str, words: str, asked: bool) -> None:
    assert asked_for(tool, (), (), words, values_given=False) is asked


def test_every_group_holds_words_once_each() -> None:
    for group in (*VERBS, *NOUNS):
        assert len(group) == len(set(group)) > 1
        assert all(word and word == word.strip() for word in group)
