"""Words of commands that are seldom written, each judged as the program would take it."""

from pathlib import Path

import pytest

from hilt.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "sub").mkdir()
    for name in ("a.py", "list.txt", "sub/b.py"):
        (tmp_path / name).touch()
    return Workspace([tmp_path])


@pytest.mark.parametrize(
    "text", ["git -C sub grep x -- *.py", "git -C sub grep x -- ./*.py", "ps aux 1", "printenv PATH", "ls --color=auto"]
)
def test_a_harmless_word_is_known_for_what_it_is(workspace: Workspace, text: str) -> None:
    assert workspace.command(text).unproved == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("grep -f=*.txt x", "which option this is"),
        ("grep --file=$X f", "the value of --file is known only when it runs"),
        ("ls --color=$X", "the value of --color is known only when it runs"),
        ("git log --stat=$X", "known only when it runs"),
        ("awk '{print}' /inet/tcp/0/h/1", "awk takes this for an address"),
        ("echo a | xargs -I $X cat $X", "known only when it runs"),
        ('echo a | xargs -I "$X" cat "$X"', "known only when it runs"),
    ],
)
def test_a_word_that_may_be_something_else_is_doubted(workspace: Workspace, text: str, reason: str) -> None:
    assert any(reason in each.reason for each in workspace.command(text).unproved)
