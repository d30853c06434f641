"""Effects drafted for a person to edit."""

import tomllib

from hilt.audit.draft import GUESS, draft
from hilt.audit.inference import inferred
from hilt.audit.origins import origins
from tests.unit.audit.making import declaration, tool

TEXT = {"type": "string"}


def test_a_draft_is_toml_in_which_every_guess_is_marked_and_shows_its_evidence() -> None:
    text = draft([tool("send_letter", "Sends a letter.", recipients=TEXT, body=TEXT), tool("frobnicate", x=TEXT)])
    tables = tomllib.loads(text)["effects"]

    assert tables["theirs.send_letter"] == {
        "reads": "none",
        "brings": "own",
        "does": ["send"],
        "roles": {"recipients": "destination", "body": "content"},
    }
    assert tables["theirs.frobnicate"]["reads"] == "private"
    assert "run" in tables["theirs.frobnicate"]["does"]
    lines = [each for each in text.splitlines() if " = " in each and not each.startswith("#")]
    assert [each for each in lines if f"# {GUESS}: " not in each] == []
    assert '"recipients" names who receives' in text


def test_names_with_quotes_line_ends_and_control_characters_are_read_back() -> None:
    odd = 'send "it"\\\n\x7f]'
    made = declaration(odd, "Sends a letter.\nTo anyone.", to=TEXT)
    text = draft([inferred(made, 'Sends "all"\x7f\nnow', server="a.b", label=odd)])

    assert list(tomllib.loads(text)["effects"]) == [f"a.b.{odd}"]


def test_fields_that_the_service_made_are_told_from_those_that_others_wrote() -> None:
    schema = {
        "type": "object",
        "properties": {
            "total": {"type": "integer"},
            "kind": {"enum": ["a", "b"]},
            "body": TEXT,
            "mails": {"type": "array", "items": {"$ref": "#/$defs/mail"}},
        },
        "$defs": {
            "mail": {
                "type": "object",
                "properties": {"id": TEXT, "sent_date": TEXT, "subject": TEXT, "size": {"type": "number"}},
            }
        },
    }

    assert origins(schema) == {
        "total": "service",
        "kind": "service",
        "mails.*.id": "service",
        "mails.*.sent_date": "service",
        "mails.*.size": "service",
    }
    assert origins({"$ref": "#/nowhere"}) == {}


def test_origins_stop_where_a_schema_refers_to_itself() -> None:
    node = {"type": "object", "properties": {"id": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}

    assert "next.id" in origins({"$ref": "#/$defs/node", "$defs": {"node": node}})
