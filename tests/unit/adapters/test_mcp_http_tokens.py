"""Tokens, principals, and handles that prove themselves."""

import pytest

from hilt.adapters.mcp_http_tokens import (
    LOCAL,
    SHORTEST_TOKEN,
    Caller,
    Callers,
    Token,
    checked,
    made_token,
    read_tokens,
)
from hilt.errors import ConfigError

ANN = Token(text="a" * SHORTEST_TOKEN, principal="ann")
BOB = Token(text="b" * SHORTEST_TOKEN, principal="bob")


def caller(token: Token, scope: str = "/work", *others: Token) -> Caller:
    found = Callers((token, *others), scope).of(f"Bearer {token.text}")
    assert found is not None
    return found


def test_a_token_leads_to_its_principal_and_anything_else_to_nobody() -> None:
    callers = Callers((ANN, BOB), "/work")
    principals = [each.principal if (each := callers.of(said)) else None for said in (
        f"Bearer {ANN.text}", f"bearer   {BOB.text} ", ANN.text, f"Basic {ANN.text}", f"Bearer {ANN.text}x",
        f"Bearer {ANN.text[:-1]}", "Bearer ", "", f"Bearer {ANN.text}, Bearer {BOB.text}", "Bearer \udc80",
    )]  # fmt: skip

    assert principals == ["ann", "bob", *[None] * 8]


def test_a_handle_is_known_by_every_process_that_knows_the_token_and_by_no_other_principal() -> None:
    here, elsewhere, bob = caller(ANN, "/work", BOB), caller(ANN, "/work"), caller(BOB, "/work", ANN)
    handles = [here.issue(), here.issue(), here.own]

    assert len(set(handles)) == 3
    assert elsewhere.own == here.own != bob.own
    assert [elsewhere.issued(each) for each in handles] == [True] * 3
    assert [bob.issued(each) for each in handles] == [False] * 3


def test_a_handle_of_another_folder_or_a_changed_one_is_not_known() -> None:
    ann = caller(ANN)
    handle = ann.issue()
    name, _, proof = handle.rpartition(".")
    tried = [
        caller(ANN, "/other").issue(), caller(ANN, "/other").own, f"{name}.{proof[:-1]}", f"{name}x.{proof}", name,
        "session_own", "session_", "", ".", "session_.", handle.upper(), handle + "\n", handle * 9, "session_\udc80.x",
    ]  # fmt: skip

    assert [each for each in tried if ann.issued(each)] == []


def test_nothing_secret_is_in_what_is_printed_of_a_caller_or_a_token() -> None:
    ann = caller(ANN)

    assert ANN.text not in repr(ANN) + repr(ann)
    assert ann.key.hex() not in repr(ann)
    assert repr(ann) == "Caller(principal='ann')"


def test_a_file_names_each_principal_and_a_lone_token_is_the_persons_own() -> None:
    named = read_tokens(f"# ours\n\nann {ANN.text}\n  bob\t{BOB.text}  \n", "tokens")
    alone = read_tokens(f"{ANN.text}\n", "tokens")

    assert [(each.principal, each.text) for each in named] == [("ann", ANN.text), ("bob", BOB.text)]
    assert [each.principal for each in alone] == [LOCAL]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no token"),
        ("# none\n\n", "holds no token"),
        ("ann short", "line 1 of tokens is not 16 or more"),
        (f"ann {ANN.text}\nann {BOB.text}", "the same name"),
        (f"ann {ANN.text}\nbob {ANN.text}", "the same token"),
        (f"{ANN.text}\n{BOB.text}", "the same name"),
        (f"ann {ANN.text} {BOB.text}", "line 1 of tokens is not one name and one token"),
        (f"an/n {ANN.text}", "line 1 of tokens is not one name and one token"),
        (f"ann {ANN.text}é", "line 1 of tokens is not 16 or more"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_without_showing_a_token(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_tokens(text, "tokens")

    assert says in str(caught.value)
    assert ANN.text not in str(caught.value)


def test_a_token_that_is_made_here_is_long_enough_and_another_each_time() -> None:
    one, other = made_token(), made_token()

    assert checked(one, "here") is one
    assert one.text != other.text
