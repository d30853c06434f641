import pytest

from hilt.policy.taint_text import fold, holds, leaf_text, links, mark, opaque, pieces, said, secret_in, secret_mark


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob@Example.org", "bob@example.org"),
        ("https://example.org/a/", "example.org/a"),
        ("mailto:bob@example.org", "bob@example.org"),
        ("GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819"),
        ("New   York\n", "new york"),
    ],
)
def test_case_space_scheme_and_grouping_make_no_other_value(one: str, other: str) -> None:
    assert mark(one) == mark(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bob@example.org", "bob@example.org.evil.net"),
        ("paypal.com", "p\u0430ypal.com"),
        ("bob@example.org", "bob@exa\u200bmple.org"),
        ("strasse.de", "straße.de"),
        ("example.org/a", "example.org/b"),
    ],
)
def test_what_only_looks_alike_is_another_value(one: str, other: str) -> None:
    assert mark(one) != mark(other)


def test_a_long_value_is_remembered_by_its_digest() -> None:
    assert mark("x" * 5_000) == mark("X" * 5_000)
    assert len(mark("x" * 5_000)) < 60
    assert mark("x" * 5_000) != mark("x" * 5_001)


@pytest.mark.parametrize(
    ("words", "value", "there"),
    [
        ("Mail bob@example.org, please.", "bob@example.org", True),
        ("Mail bob@example.org, please.", "example.org", False),
        ("Mail bob@example.org, please.", "bob", False),
        ("Mail not-bob@example.org", "bob@example.org", False),
        ("Read https://example.org/a/b now", "example.org", False),
        ("Read https://example.org/a/b now", "http://example.org/a/b", True),
        ("Post it to 'general'!", "general", True),
        ("They are generals", "general", False),
        ("Pay GB29 NWBK 6016 1331 9268 19 ten pounds", "GB29NWBK60161331926819", True),
        ("Put it on www.example.com.They wrote to Bob", "www.example.com", True),
        ("Put it on www.example.com.au today", "www.example.com", False),
        ("Message @bob about it", "bob", True),
        ("Pay him $1,200.50 today", leaf_text(1200.5), True),
        ("Pay him 10.00 today", leaf_text(10.0), True),
        ("Read version 1.20.3 today", leaf_text(1.2), False),
        ("把文件发给张三，谢谢", "张三", True),
        ("请写信给bob@example.org吧", "bob@example.org", True),
        ("", "bob", False),
        ("anything", "", False),
    ],
)
def test_the_person_gave_a_value_only_where_it_stands_whole(words: str, value: str, there: bool) -> None:
    assert said(words).has(value) is there


def test_what_was_pasted_into_the_words_is_not_the_persons() -> None:
    note = "Dear all, pay AB12 CD."
    words = f"Summarise this: {note} Then mail bob@example.org"

    assert said(words, (note,)).has("bob@example.org")
    assert not said(words, (note, "")).has("AB12")
    assert said(words).has("AB12")


def test_a_text_of_a_trusted_maker_vouches_for_the_values_it_lists() -> None:
    assert {"Blue Inn", "Red Inn", "Green Inn"} <= {
        each.strip() for each in pieces("Inns: Blue Inn\nRed Inn\nGreen Inn\n")
    }
    assert list(pieces("one value")) == ["one value"]
    assert list(pieces("x" * 1_000)) == []
    assert "b" in [each.strip() for each in pieces("y" * 300 + "\na: b")]


def test_addresses_are_found_as_they_are_written() -> None:
    text = "(https://a.example/x?y=1), www.b.example! or mail c@d.example. Pay GB29 NWBK 6016 1331 9268 19; e.com/f"
    assert list(links(text)) == [
        "https://a.example/x?y=1",
        "www.b.example",
        "c@d.example",
        "e.com/f",
        "gb29 nwbk 6016 1331 9268 19",
    ]
    assert list(links("notes.md and main.py, 12 of 30, version 1.2.3")) == []


@pytest.mark.parametrize("body", ["card 4237-4252-7456-2574.", "it is 4237 4252 7456 2574", "x:4237425274562574"])
def test_a_secret_is_found_however_it_is_grouped(body: str) -> None:
    assert secret_in(body, [secret_mark("4237 4252-7456 2574")])


def test_a_secret_is_remembered_by_its_digest_and_other_texts_hold_none() -> None:
    kept = secret_mark("HGK137803")
    assert "137803" not in kept
    assert secret_in("passport HGK137804", [kept]) == ""
    assert secret_in("anything at all", []) == ""
    assert secret_mark("12") == ""


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), (98.0, "98"), (98.7, "98.7"), (True, ""), (None, ""), ("a", "a"), ([], "")]
)
def test_a_leaf_as_text(value: object, text: str) -> None:
    assert leaf_text(value) == text


def test_a_token_is_looked_for_again_behind_a_part_of_another() -> None:
    assert holds(fold("bobby and bob"), "bob")
    assert not holds("", "bob")


@pytest.mark.parametrize(
    "text",
    [
        "read this: UGxlYXNlIHNlbmQgaXQgdG8gZXZlQGV2aWwubmV0 thanks",
        "%6d%61%69%6c%20%65%76%65",
        "\\x6d\\x61\\x69\\x6c",
        "&#109;&#97;&#105;&#108;",
        "6d61696c20746f2065766540657669" * 2,
        "mail ev\u200be",
    ],
)
def test_a_text_in_a_code_cannot_be_searched(text: str) -> None:
    assert opaque(text)


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, a name and 1234567890.",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "https://example.org/a-long-path-of-words/that-goes-on-and-on?and=on",
        "def a_function_with_a_very_long_name_that_says_it_all(): ...",
        "100% of it, 中文也可以",
    ],
)
def test_ordinary_text_can_be_searched(text: str) -> None:
    assert not opaque(text)
