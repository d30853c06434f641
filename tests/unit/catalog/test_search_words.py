"""Words in pieces that can be compared, and what a query's words stand for."""

import pytest

from hilt.catalog.search_groups import alternatives
from hilt.catalog.search_phrases import LONGEST_PHRASE, phrases
from hilt.catalog.search_query import LONGEST_QUERY, read_query
from hilt.catalog.search_terms import LONGEST_TERM, gloss, segments, terms
from hilt.catalog.search_words import pairs, stem, stems, words


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("createPullRequest", ["create", "pull", "request"]),
        ("list_dead_letters2", ["list", "dead", "letters", "2"]),
        ("HTTPServer", ["http", "server"]),
        ("getURLs", ["get", "urls"]),
        ("upload-to-S3", ["upload", "to", "s3"]),
        ("k8s_apply", ["k8s", "apply"]),
        ("range A1:D20", ["range", "a1", "d", "20"]),
        ("列出all文件", ["列出", "all", "文件"]),
        ("привет Мир", ["привет", "мир"]),
    ],
)
def test_a_name_is_split_by_case_underscore_digit_and_writing(name: str, pieces: list[str]) -> None:
    assert list(words(name)) == pieces


@pytest.mark.parametrize(
    "kind",
    [
        "create creates created creating creation",
        "query queries queried querying",
        "modify modifies modified",
        "stop stops stopped stopping",
        "branch branches branching",
        "deploy deployed deployment deployments",
        "random randomly",
        "address addresses",
        "translate translation translations translated",
        "box boxes boxed",
    ],
)
def test_forms_of_one_word_have_one_stem(kind: str) -> None:
    assert len({stem(each) for each in kind.split()}) == 1


@pytest.mark.parametrize("pair", ["contain container", "user use", "state station", "document docs", "status state"])
def test_words_that_only_begin_alike_keep_their_own_stem(pair: str) -> None:
    assert len({stem(each) for each in pair.split()}) == 2


def test_writing_without_spaces_is_found_by_pairs_and_empty_words_are_left_out() -> None:
    assert pairs("文件夹") == ["文件", "件夹"]
    assert pairs("文") == ["文"]
    assert list(stems("the 文件夹 of files")) == ["文件", "件夹", "file"]


def test_a_group_works_both_ways_and_what_is_led_to_only_one() -> None:
    known = alternatives()

    assert stem("delete") in known[stem("remove")]
    assert stem("remove") in known[stem("delete")]
    assert stem("commit") not in known.get(stem("status"), {})


def test_the_longest_term_wins_and_what_is_not_known_is_handed_back() -> None:
    assert [word for word, _ in segments("把文件夹删除")] == ["把", "文件夹", "删除"]
    assert list(segments("蠢鑫删除")) == [("蠢鑫", None), ("删除", ("delete", "remove"))]
    assert list(segments("删除蠢鑫"))[-1] == ("蠢鑫", None)


def test_a_chinese_need_is_glossed_word_by_word_and_english_words_stay() -> None:
    assert gloss("给当前 Pod 截个图") == "current pod screenshot"


def test_the_table_of_terms_is_large_and_no_longer_than_what_is_looked_for() -> None:
    assert len(terms()) >= 1_000
    assert max(map(len, terms())) <= LONGEST_TERM
    assert max(map(len, phrases())) <= LONGEST_PHRASE


def test_a_phrase_stands_for_one_thing_and_its_own_words_are_left_out_where_they_mislead() -> None:
    asked = read_query("turn down the invitation")

    assert [each.word for each in asked.concepts] == ["turn down", "invitation"]
    assert stem("decline") in asked.concepts[0].stems


def test_the_words_of_a_phrase_that_say_something_count_as_well() -> None:
    assert [each.word for each in read_query("open a pull request").concepts] == [
        "open",
        "pull request",
        "pull",
        "request",
    ]


@pytest.mark.parametrize(
    ("query", "kind", "hidden"),
    [
        ("write to bob@example.com", "email", "bob"),
        ("what does https://shop.example/list say", "url", "shop"),
        ("close ABC-123", "issue", "abc"),
        ("read B2:C9", "range", "b2"),
        ("rename summer_plan.txt", "file", "summer"),
        ("everything in /etc/nginx", "path", "nginx"),
        ("what of 2026-11-30", "date", "2026"),
        ("all *.py", "pattern", "py"),
    ],
)
def test_a_value_counts_as_its_kind_and_not_by_the_words_in_it(query: str, kind: str, hidden: str) -> None:
    found = {each for concept in read_query(query).concepts for each in concept.stems}

    assert stem(kind) in found
    assert hidden not in found


def test_a_plus_marks_a_word_that_must_be_there_and_is_asked_for_like_any_other() -> None:
    asked = read_query("+slack send 1 + 2")

    assert [word for word, _ in asked.must] == ["slack"]
    assert "slack" in [each.word for each in asked.concepts]


def test_a_word_said_twice_is_one_thing_and_an_endless_query_is_cut() -> None:
    assert len(read_query("commit commits committed").concepts) == 1
    assert len(read_query("zebra" + " x1y2" * LONGEST_QUERY).concepts) <= LONGEST_QUERY
