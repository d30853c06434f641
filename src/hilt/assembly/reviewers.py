"""Who reviews calls, as the settings say: the reviewers that need no model, and judges behind endpoints."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from hilt.agents.judging import ModelJudge
from hilt.agents.model import Model
from hilt.assembly.config import Config
from hilt.declarations.effects import Deed
from hilt.declarations.schema import is_array, is_object
from hilt.policy.taint import GRAVE
from hilt.review.base_rules import Stress
from hilt.review.extent import ExtentReviewer
from hilt.review.hidden import HiddenReviewer
from hilt.review.inbox import InboxPerson
from hilt.review.judging import JudgeReviewer, Maker
from hilt.review.people import Person
from hilt.review.review import Need, Review
from hilt.review.reviewer import Reviewer, When
from hilt.review.secrets import SecretsReviewer
from hilt.workspace.workspace import Workspace


def review_of(config: Config, workspace: Workspace) -> Review:
    """The third layer of one runtime, which refuses a judge that is not independent."""
    family = config.text("review.caller.family")
    judges = [_judge(name, fields) for name, fields in _judges(config)]
    return Review(
        reviewers=(*_built_in(config, workspace), *judges),
        irreversible=cast("Need", config.text("review.irreversible") or "none"),  # the schema has checked the word
        refusals=int(config.number("review.refusals")),
        caller=Maker(family=family, tier=int(config.number("review.caller.tier"))) if family else None,
    )


def person_of(config: Config, here: Person | None) -> Person | None:
    """Who can be asked: whoever is here, else whoever looks into the inbox if there is one."""
    return here or (InboxPerson() if config.value("review.inbox") is True else None)


def _built_in(config: Config, workspace: Workspace) -> list[Reviewer]:
    reviewers: list[Reviewer] = []
    hosts = bool(config.texts("isolation.hosts"))
    match config.text("review.secrets"):
        case "reject":
            reviewers.append(SecretsReviewer(hosts=hosts))
        case "escalate":
            reviewers.append(SecretsReviewer(word="escalate", hosts=hosts))
        case _:
            pass
    if config.value("review.hidden_characters") is True:
        reviewers.append(HiddenReviewer())
    if most := int(config.number("review.files")):
        reviewers.append(ExtentReviewer(workspace=workspace, most=most))
    return reviewers


Fields = Mapping[str, object]


def _judges(config: Config) -> list[tuple[str, Fields]]:
    found = config.value("review.judges")
    return [(name, each) for name, each in found.items() if is_object(each)] if is_object(found) else []


def _judge(name: str, fields: Fields) -> JudgeReviewer:
    judge = ModelJudge(_maker_of_model(fields))
    tier, deeds = fields.get("tier"), fields.get("deeds")
    return JudgeReviewer(
        name=name,
        judge=judge,
        maker=Maker(family=str(fields["family"]), tier=tier if isinstance(tier, int) else 0),
        # The schema has checked each of these words.
        when=cast("When", fields.get("when", "before")),
        stress=cast("Stress", fields.get("stress", "risk")),
        deeds=frozenset(cast("list[Deed]", deeds)) if is_array(deeds) else GRAVE,
        closing=judge.close,
    )


def _maker_of_model(fields: Fields) -> Callable[[], Model]:
    base_url = fields.get("base_url")
    return partial(
        _model, str(fields["endpoint"]), str(fields["model"]), base_url if isinstance(base_url, str) else None
    )


def _model(endpoint: str, model: str, base_url: str | None) -> Model:
    from hilt.agents.endpoint import anthropic_endpoint, openai_endpoint  # lazy: needed where a judge is asked

    return (openai_endpoint if endpoint == "openai" else anthropic_endpoint)(model, base_url=base_url)
