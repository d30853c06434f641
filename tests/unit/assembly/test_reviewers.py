"""The third layer as the settings have it."""

from pathlib import Path

import pytest

from hilt.assembly import keys
from hilt.assembly.build import open_runtime
from hilt.assembly.config import Config, read_config
from hilt.assembly.reviewers import person_of, review_of
from hilt.errors import ConfigError
from hilt.policy.taint import GRAVE
from hilt.review.breaker import REFUSALS
from hilt.review.extent import MOST_FILES
from hilt.review.inbox import InboxPerson
from hilt.review.judging import JudgeReviewer
from hilt.review.people import DEFAULT_WAIT_S
from hilt.workspace import Workspace

JUDGE = """
[review.judges.second]
endpoint = "openai"
model = "some-model"
base_url = "http://127.0.0.1:9/v1"
family = "another"
"""


def config(folder: Path, text: str = "") -> Config:
    file = folder / "trusted.toml"
    file.write_text(text)
    return read_config(folder, file=file)


def test_the_defaults_of_the_settings_are_the_constants(tmp_path: Path) -> None:
    leaves = keys.leaves()

    assert leaves["review.wait"]["default"] == DEFAULT_WAIT_S
    assert leaves["review.refusals"]["default"] == REFUSALS
    assert leaves["review.files"]["default"] == MOST_FILES


def test_without_settings_the_reviewers_that_need_no_model_work_and_nobody_is_in_the_inbox(tmp_path: Path) -> None:
    review = review_of(config(tmp_path), Workspace([tmp_path]))

    assert [each.name for each in review.reviewers] == ["secrets", "hidden-characters", "extent"]
    assert (review.irreversible, review.refusals, review.caller) == ("none", REFUSALS, None)
    assert person_of(config(tmp_path), None) is None


def test_each_reviewer_has_its_key(tmp_path: Path) -> None:
    off = config(
        tmp_path, '[review]\nsecrets = "off"\nhidden_characters = false\nfiles = 0\ninbox = true\nrefusals = 5\n'
    )
    softer = config(tmp_path, '[review]\nsecrets = "escalate"\nfiles = 7\nirreversible = "judge"\n')

    assert review_of(off, Workspace([tmp_path])).reviewers == ()
    assert review_of(off, Workspace([tmp_path])).refusals == 5
    assert isinstance(person_of(off, None), InboxPerson)
    review = review_of(softer, Workspace([tmp_path]))
    assert [getattr(each, "word", None) for each in review.reviewers] == ["escalate", None, None]
    assert getattr(review.reviewers[2], "most", None) == 7
    assert review.irreversible == "judge"


async def test_a_judge_is_made_of_an_endpoint_that_is_not_asked_before_a_call_is(tmp_path: Path) -> None:
    caller = '[review.caller]\nfamily = "one"\ntier = 2\n'
    more = 'tier = 2\nwhen = "beside"\nstress = "intent"\ndeeds = ["run"]\n'

    plain = review_of(config(tmp_path, JUDGE), Workspace([tmp_path])).reviewers[-1]
    full = review_of(config(tmp_path, caller + JUDGE + more), Workspace([tmp_path]))

    assert isinstance(plain, JudgeReviewer)
    assert (plain.name, plain.when, plain.stress, plain.deeds) == ("second", "before", "risk", GRAVE)
    judge = full.reviewers[-1]
    assert isinstance(judge, JudgeReviewer)
    assert (judge.when, judge.stress, judge.deeds, judge.maker.tier) == ("beside", "intent", {"run"}, 2)
    assert full.warnings() == ()
    await full.close()


def test_a_judge_of_the_callers_family_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="same blind spots"):
        open_runtime(tmp_path, config=config(tmp_path, '[review.caller]\nfamily = "Another"\n' + JUDGE))


def test_a_project_that_nobody_trusted_sets_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "hilt.toml").write_text('[review]\nsecrets = "off"\nfiles = 0\nrefusals = 0\n' + JUDGE)

    found = read_config(tmp_path)

    assert [each.name for each in review_of(found, Workspace([tmp_path])).reviewers] == [
        "secrets",
        "hidden-characters",
        "extent",
    ]
    assert "review.secrets" in " ".join(found.notes)
