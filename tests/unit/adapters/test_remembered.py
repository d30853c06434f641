"""Forms of a schema are made once, and by whom they were asked for makes no difference to the next."""

import pytest

from hilt.adapters import anthropic, openai_chat, remembered
from hilt.adapters.remembered import remembered as made_once
from hilt.calls.adapter import Offer
from hilt.declarations.declaration import Declaration
from hilt.declarations.description import plain_description

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
OFFER = Offer(
    declaration=Declaration(
        name="read", kind="perceive", description=plain_description("Read."), parameters=SCHEMA, returns={}
    ),
    description="Read.",
)


def test_a_form_is_made_once_for_each_schema_and_options() -> None:
    made: list[str] = []

    @made_once
    def form(schema: dict[str, object], *, strict: bool) -> dict[str, object]:
        made.append(f"{schema} {strict}")
        return {**schema, "strict": strict}

    one: dict[str, object] = {"type": "object"}
    equal: dict[str, object] = {"type": "object"}

    assert form(one, strict=True) is form(one, strict=True)
    assert form(one, strict=False) == {"type": "object", "strict": False}
    assert form(equal, strict=True) is not form(one, strict=True)
    assert len(made) == 3


def test_more_schemas_than_are_kept_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST_KEPT", 2)
    form = made_once(lambda schema: dict(schema))
    schemas = [{"title": str(number)} for number in range(5)]

    assert [form(each) for each in schemas] == schemas
    assert [form(each) for each in schemas] == schemas


def test_what_a_host_writes_into_a_request_is_not_in_the_next() -> None:
    first = anthropic.tools([OFFER])
    first[-1]["cache_control"] = {"type": "ephemeral"}
    openai_chat.tools([OFFER])[0]["function"] = None

    assert "cache_control" not in anthropic.tools([OFFER])[-1]
    assert openai_chat.tools([OFFER])[0]["function"] is not None
