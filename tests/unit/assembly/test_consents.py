"""A yes to start a server is for exactly what was shown, and is kept for its owner alone."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from hilt.assembly import consents
from hilt.assembly.consents import KEPT, Spec
from hilt.errors import ConfigError

GIT = Spec(command=("uvx", "mcp-server-git", "--repository", "/a b"), env={"LEVEL": "low"}, cwd="/src")
WEB = Spec(url="https://example.com/mcp", headers={"X-Team": "one"})


def test_a_yes_is_remembered_listed_and_taken_back(home: Path) -> None:
    assert not consents.consented(GIT)
    consents.give(GIT)
    consents.give(WEB)

    assert consents.consented(GIT)
    assert consents.consented(Spec(**{name: getattr(GIT, name) for name in ("command", "env", "cwd")}))
    assert sorted(consents.all().values()) == [
        "https://example.com/mcp with the headers X-Team",
        "uvx mcp-server-git --repository '/a b' in /src with the variables LEVEL",
    ]
    assert consents.withdraw(GIT)
    assert not consents.withdraw(GIT)
    assert list(consents.all()) == [WEB.digest]


@pytest.mark.parametrize(
    "other",
    [
        replace(GIT, command=("uvx", "mcp-server-git", "--repository", "/a", "b")),
        replace(GIT, command=(*GIT.command, "")),
        replace(GIT, env={"LEVEL": "high"}),
        replace(GIT, env={}),
        replace(GIT, env={"LEVEL": "low", "LD_PRELOAD": "x.so"}),
        replace(GIT, cwd="/elsewhere"),
        replace(GIT, cwd=None),
        WEB,
    ],
    ids=["words", "empty word", "value", "no variable", "more variables", "folder", "no folder", "address"],
)
def test_a_yes_ends_with_any_change(home: Path, other: Spec) -> None:
    consents.give(GIT)

    assert not consents.consented(other)


def test_an_addresss_yes_ends_with_a_change_of_its_headers(home: Path) -> None:
    consents.give(WEB)

    assert not consents.consented(replace(WEB, headers={"X-Team": "two"}))
    assert not consents.consented(replace(WEB, url="https://example.com/mcp/"))


def test_the_record_is_its_owners_and_holds_no_value(home: Path) -> None:
    token = "ghp_" + "a1" * 20
    consents.give(Spec(command=("serve", token), env={"KEY": "a-bare-password"}))

    file = home / "state" / KEPT
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token not in file.read_text(encoding="utf-8")
    assert "a-bare-password" not in file.read_text(encoding="utf-8")
    assert [each.name for each in file.parent.iterdir() if str(os.getpid()) in each.name] == []


def test_what_is_shown_cannot_rewrite_its_line() -> None:
    said = Spec(command=("run", "x\r\x1b[2Kharmless\u202etxt")).says

    assert said.isprintable()
    assert "harmless" in said


def test_a_record_that_cannot_be_read_is_no_yes(home: Path) -> None:
    consents.give(GIT)
    (home / "state" / KEPT).write_text("[", encoding="utf-8")
    assert not consents.consented(GIT)
    (home / "state" / KEPT).write_text(json.dumps([GIT.digest]), encoding="utf-8")
    assert consents.all() == {}


def test_a_record_that_cannot_be_written_is_told(home: Path) -> None:
    (home / "state" / KEPT).mkdir(parents=True)

    with pytest.raises(ConfigError, match="set HILT_HOME"):
        consents.give(GIT)
