"""`hilt skill`: what is offered and why not, one skill whole, a verdict, Hilt's own put in place."""

import re
from pathlib import Path

import pytest

from hilt.assembly.own_skill import OWN
from hilt.cli.skill import BODY_TOKENS
from hilt.cli.verbs import VERBS
from hilt.documents.skill_file import SKILL_FILE, read_skill
from tests.command import Hilt


@pytest.fixture
def homes(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's place of skills."""
    monkeypatch.setenv("HOME", str(here.parent / "user"))
    return here.parent / "user" / ".agents" / "skills"


def write(place: Path, name: str, front: str = "", body: str = "the body") -> Path:
    file = place / name / SKILL_FILE
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nname: {name}\ndescription: does {name}\n{front}---\n{body}", encoding="utf-8")
    return file


def rows(hilt: Hilt, *more: str) -> dict[tuple[str, str], str]:
    found = hilt("skill", "list", "--json", *more).json["skills"]
    assert isinstance(found, list)
    return {(each["name"], each["state"]): each["says"] for each in found}


def test_every_skill_is_listed_with_its_state_and_the_reason(hilt: Hilt, here: Path, homes: Path) -> None:
    write(homes, "pdf")
    write(homes, "quiet", "disable-model-invocation: true\n")
    write(homes, "broken", "allowed-tools: {a: b}\n")
    write(homes.parent.parent / ".claude" / "skills", "pdf")
    write(here / ".claude" / "skills", "ours")

    found = rows(hilt)

    assert found["pdf", "offered"] == "does pdf"
    assert found["quiet", "for people"] == "does quiet"
    assert found["broken", "broken"].startswith("line 4: allowed-tools is no list of names")
    assert found["pdf", "hidden"] == f"hidden by {homes / 'pdf'}"
    assert found["ours", "untrusted"] == f"not trusted: -c skills.trusted={here}"
    assert ("ours", "offered") in rows(hilt, "-c", f"skills.trusted={here}")
    text = hilt("skill", "list").out
    assert "pdf    offered  user   does pdf" in text
    assert "broken is broken, " in text
    assert re.search(r"^\d+ tokens every turn for the listing", text, re.MULTILINE)


def test_without_skills_it_says_how_to_make_one(hilt: Hilt, homes: Path) -> None:
    assert "hilt skill install" in hilt("skill", "list").out
    assert hilt("skill", "list", "--json").json["listing_tokens"] == 0


def test_a_skill_is_shown_whole_and_an_unknown_one_is_answered_with_the_nearest(hilt: Hilt, homes: Path) -> None:
    write(homes, "pdf", "license: MIT\nmetadata:\n  version: 1.10\nallowed-tools: Read\nextra: 1\n")
    write(homes, "bad", "name: bad\n")

    shown = hilt("skill", "show", "pdf", "--json").json["skill"]
    assert isinstance(shown, dict)
    assert (shown["body"], shown["metadata"], shown["allowed_tools"]) == ("the body", {"version": "1.10"}, ["Read"])
    assert "version: 1.10" in hilt("skill", "show", "pdf").out
    assert hilt("skill", "show", "pdff", "--json").error["hint"] == "hilt skill show pdf"
    broken = hilt("skill", "show", "bad", "--json")
    assert (broken.code, broken.error["code"]) == (2, "broken_skill")
    assert "name is given twice" in str(broken.error["message"])


def test_a_skill_that_nobody_trusted_is_not_called_unknown_and_the_way_to_read_it_works(
    hilt: Hilt, here: Path, homes: Path
) -> None:
    write(here / ".agents" / "skills", "ours", body="how we do it")

    refused = hilt("skill", "show", "ours", "--json")
    assert (refused.code, refused.error["code"]) == (2, "untrusted_skill")
    hint = str(refused.error["hint"])
    assert hint == f"hilt skill show ours -c skills.trusted={here}"
    assert "how we do it" in hilt(*hint.split()[1:]).out


def test_a_check_fails_for_a_broken_skill_alone_and_says_what_is_unwise(hilt: Hilt, here: Path) -> None:
    write(here / "fine", "pdf", "extra: 1\n", "word " * (BODY_TOKENS + 1))
    file = write(here / "bad", "rows", "name: rows\n")
    write(here / "empty", "none", body="")

    ran = hilt("skill", "check", "fine")
    assert ran.code == 0
    assert "not of the format and not used: extra" in ran.out
    assert f"the format advises at most {BODY_TOKENS:,}" in ran.out
    ran = hilt("skill", "check", "bad/rows")
    assert ran.code == 1
    assert ran.out == f"broken  {file}:4: name is given twice\n  try: keep one of them\n"
    assert "its body is empty" in hilt("skill", "check", "empty").out
    assert hilt("skill", "check", "bad", "--json").json["broken"] == 1


def test_a_folder_without_skills_gives_no_verdict(hilt: Hilt, here: Path) -> None:
    ran = hilt("skill", "check", ".", "--json")

    assert (ran.code, ran.error["code"]) == (5, "no_skill")


def test_the_own_skill_is_put_in_place_once_and_never_over_another_text(hilt: Hilt, here: Path, homes: Path) -> None:
    first, again = hilt("skill", "install", "--json").json, hilt("skill", "install", "--json").json
    file = homes / "hilt" / SKILL_FILE

    assert (first, again["state"]) == ({"schema_version": 1, "path": str(file), "state": "written"}, "there already")
    assert ("hilt", "offered") in rows(hilt)
    file.write_text("mine", encoding="utf-8")
    assert hilt("skill", "install").code == 2
    assert file.read_text(encoding="utf-8") == "mine"
    assert hilt("skill", "install", "--replace", "--json").json["state"] == "replaced"
    assert sorted(each.name for each in file.parent.iterdir()) == [SKILL_FILE]
    assert hilt("skill", "install", "--project").code == 0
    assert (here / ".agents" / "skills" / "hilt" / SKILL_FILE).read_bytes() == (OWN / SKILL_FILE).read_bytes()


def test_a_place_that_cannot_be_written_is_an_error_and_no_traceback(hilt: Hilt, here: Path) -> None:
    (here / ".agents").write_text("a file", encoding="utf-8")

    ran = hilt("skill", "install", "--project", "--json")

    assert ran.code == 2
    assert "cannot be written" in str(ran.error["message"])


def test_the_own_skill_is_sound_short_and_names_verbs_that_exist() -> None:
    skill = read_skill((OWN / SKILL_FILE).read_bytes(), OWN.name)

    assert skill.repairs == skill.notes == ()
    named = set(re.findall(r"hilt ([a-z]+)", skill.body))
    assert named <= set(VERBS)
    assert {"call", "tools", "show", "advise", "skill"} <= named
    assert len(skill.body.splitlines()) < 60
