"""What the words, schemas and hints of a foreign declaration show of its legs."""

from dataclasses import replace
from typing import Any

import pytest

from hilt.audit.arguments import REST
from hilt.audit.inference import NOTHING_SHOWS, inferred
from hilt.audit.legs import LEGS, Audited
from tests.unit.audit.making import declaration, tool

TEXT = {"type": "string"}
SHORT = {"private": "P", "third_party": "T", "way_out": "W"}


def legs(of: Audited, *, strict: bool = False) -> str:
    return "".join(SHORT[leg] for leg in LEGS if leg in of.legs(strict=strict))


@pytest.mark.parametrize(
    ("name", "says", "parameters", "shown"),
    [
        ("read_letters", "Read the messages of the mailbox.", {"folder": TEXT}, "PT"),
        ("getUnreadEmails", "", {}, "PT"),
        ("list_invoices", "Returns every transaction of the account.", {}, "PT"),
        ("get_balance", "Get the balance of the account.", {}, "P"),
        ("list_contacts", "", {}, "P"),
        ("search_news", "Search the web for news.", {"query": TEXT}, "T"),
        ("hotel_reviews", "Returns reviews that guests wrote.", {"hotel": TEXT}, "T"),
        ("get_forecast", "Get the weather of a city.", {"city": TEXT}, ""),
        ("open_page", "Fetch a web page.", {"address": {"type": "string", "format": "uri"}}, "TW"),
        ("send_letter", "Sends a letter.", {"recipients": {"type": "array", "items": TEXT}, "text": TEXT}, "W"),
        ("make_appointment", "Create an event in the calendar.", {"title": TEXT, "guests": TEXT}, "W"),
        ("pay", "Pay an amount.", {"iban": TEXT, "amount": {"type": "number"}}, "W"),
        ("add_comment", "Add a comment to an issue.", {"issue_id": TEXT, "body": TEXT}, "W"),
        ("give_access", "Share a document.", {"document": TEXT, "email": TEXT}, "W"),
        ("write_note", "Write a note to a file.", {"path": TEXT, "text": TEXT}, ""),
        ("remove_file", "Delete a file.", {"path": TEXT}, ""),
        ("reserve_room", "Reserve a room.", {"hotel": TEXT, "night": TEXT}, ""),
        ("convert", "Convert a temperature.", {"value": {"type": "number"}}, ""),
        ("run_snippet", "Runs Python code.", {"code": TEXT}, "PTW"),
        ("terminal", "Execute a shell command.", {"command": TEXT}, "PTW"),
        ("page_eval", "Evaluate JavaScript in the page.", {"function": TEXT}, "PTW"),
        ("ask_database", "Run any SQL statement.", {"query": "the SQL to run"}, "PTW"),
        ("ask_database", "Run a read-only SQL query.", {"sql": TEXT}, "PT"),
        ("ask_database", "Execute a SELECT query.", {"query": "The SQL to execute"}, "PT"),
        ("ask_database", "Execute SQL: SELECT, INSERT or DELETE.", {"query": "The SQL to execute"}, "PTW"),
        ("begin", "Start a new process.", {"command": TEXT}, "PTW"),
        ("explain", "Explain a command.", {"command": TEXT}, ""),
        ("add_smile", "Add a reaction to a message.", {"channel": TEXT, "kind": TEXT}, ""),
        ("service_search", "Letters | Search the mails", {"words": TEXT}, "PT"),
        ("reserve_flight", "Reserve a flight.", {"travel_to": TEXT, "travel_from": TEXT}, ""),
        ("add_contact", "Add a contact.", {"user_name": TEXT}, ""),
        ("add_member", "Add a member to a group.", {"user": TEXT, "group_id": TEXT}, "W"),
        ("delete_letter", "Delete a message.", {"recipient": TEXT}, ""),
        ("support", "Contact the support desk.", {"message": TEXT}, "W"),
        ("unlatch", "Opens the garden gate at once.", {"gate": TEXT}, ""),
        ("postal", "Look up a postal code.", {"code": TEXT}, ""),
        ("发送邮件", "发送邮件给收件人。", {"收件人": TEXT, "正文": TEXT}, "W"),
        ("读取文件", "读取文件的内容。", {"路径": TEXT}, "PT"),
        ("fetch", "抓取网页。", {"网址": TEXT}, "TW"),
    ],
)
def test_names_descriptions_and_schemas_show_legs(name: str, says: str, parameters: dict[str, Any], shown: str) -> None:
    assert legs(tool(name, says, **parameters)) == shown


def test_looking_something_up_by_a_person_sends_that_person_nothing() -> None:
    assert legs(tool("find_letters", "Search the mailbox.", sender=TEXT, recipients=TEXT)) == "PT"


def test_a_hint_that_calls_a_tool_harmless_takes_no_leg_away_and_is_reported() -> None:
    hinted = tool("open_page", "Fetch a web page.", {"readOnlyHint": True, "openWorldHint": False}, url=TEXT)

    assert legs(hinted) == "TW"
    assert hinted.hinted == ("readOnlyHint, though it is a way out through url",)
    assert tool("erase", "Delete a file.", {"readOnlyHint": True}, path=TEXT).hinted != ()
    assert tool("shell", "Run a command.", {"readOnlyHint": True}, command=TEXT).hinted != ()
    assert tool("look", "Read a file.", {"readOnlyHint": True}, path=TEXT).hinted == ()


def test_a_hint_that_calls_a_tool_risky_adds_to_it() -> None:
    quiet = tool("get_balance", "Get the balance.")
    open_world = tool("get_balance", "Get the balance.", {"openWorldHint": True})
    destructive = tool("update_entry", "Update an entry.", {"destructiveHint": True}, text=TEXT)

    assert (legs(quiet), legs(open_world)) == ("P", "PT")
    assert "destroy" in destructive.does


def test_what_nothing_shows_is_possible_and_counts_where_the_audit_is_strict() -> None:
    reader = tool("get_balance", "Get the balance.", account=TEXT)

    assert legs(reader) == "P"
    assert legs(reader, strict=True) == "PTW"
    assert [each.leg for each in reader.showings if each.basis == "possible"] == ["third_party", "way_out"]


def test_a_call_that_can_carry_no_text_is_never_a_way_out() -> None:
    closed = {"unit": {"enum": ["a", "b"]}, "count": {"type": "integer"}, "day": {"type": "string", "format": "date"}}

    assert legs(tool("get_balance", "Get the balance.", **closed), strict=True) == "PT"


def test_a_tool_of_which_nothing_at_all_is_shown_counts_as_everything() -> None:
    opaque = tool("frobnicate", "Frobnicates.", x=TEXT)

    assert legs(opaque) == "PTW"
    assert {each.basis for each in opaque.showings} == {"undeclared"}
    assert {each.why for each in opaque.showings} == {NOTHING_SHOWS}


def test_an_opaque_tool_without_arguments_can_carry_nothing_out() -> None:
    assert legs(tool("frobnicate")) == "PT"


@pytest.mark.parametrize(
    ("name", "schema", "role"),
    [
        ("url", TEXT, "url"),
        ("projectURL", TEXT, "url"),
        ("webhook", TEXT, "url"),
        ("target", {"type": "string", "description": "URL of the page"}, "url"),
        ("id", {"type": "string", "description": "ID or URL-encoded path"}, "target"),
        ("pattern", {"type": "string", "description": "URL pattern to match"}, None),
        ("link_type", TEXT, None),
        ("from_email", TEXT, None),
        ("path", TEXT, "path"),
        ("api_token", TEXT, "credential"),
        ("body", TEXT, "content"),
        ("code_path", TEXT, "path"),
        ("is_url", TEXT, None),
    ],
)
def test_an_argument_is_read_by_name_format_and_description(
    name: str, schema: dict[str, Any], role: str | None
) -> None:
    drafted = tool("update_thing", "Update a thing.", **{name: schema}).effects.roles

    assert drafted.get(name) == (role or "target")


def test_arguments_inside_objects_lists_and_references_are_seen() -> None:
    nested = tool(
        "create_entry",
        "Create an entry.",
        options={"type": "object", "properties": {"callback": {"type": "object", "properties": {"url": TEXT}}}},
        guests={"type": "array", "items": {"anyOf": [{"type": "null"}, TEXT]}},
    )

    assert [each.argument for each in nested.showings if each.leg == "way_out"] == ["options.callback.url", "guests"]
    assert nested.effects.roles["options"] == "url"


def test_a_schema_that_refers_to_itself_ends() -> None:
    from hilt.assembly.foreign import declared
    from hilt.audit.arguments import arguments
    from hilt.audit.schemas import DEEPEST

    node = {"type": "object", "properties": {"url": TEXT, "next": {"$ref": "#/$defs/node"}}}
    schema = {"type": "object", "properties": {"first": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    found = arguments(declared({"name": "walk", "inputSchema": schema}, "test").parameters)

    assert found[0].path == "first.url"
    assert max(each.path.count(".") for each in found) <= DEEPEST


def test_a_guest_who_may_be_given_makes_an_appointment_a_message() -> None:
    drafted = tool("create_event", "Create an event.", title=TEXT, participants=TEXT).effects

    assert dict(drafted.also) == {"participants": "send"}
    assert drafted.does == {"write"}
    assert drafted.roles["participants"] == "destination"


def test_what_hands_out_credentials_is_known() -> None:
    assert tool("get_secret", "Get a secret.", label=TEXT).secrets
    assert not tool("set_secret", "Set a secret.", label=TEXT).secrets


def test_a_schema_that_multiplies_without_end_is_read_within_bounds_and_what_was_not_read_counts() -> None:
    refers = {f"part{number}": {"anyOf": [{"$ref": "#/$defs/node"}] * 9} for number in range(30)}
    hostile = declaration("get_balance", "Get the balance.")
    schema = {"type": "object", "properties": refers, "$defs": {"node": {"type": "object", "properties": refers}}}
    seen = inferred(replace(hostile, parameters=schema), "Get the balance.", server="x", label="x")

    assert REST in seen.arguments("way_out")


def test_parts_beside_alternatives_in_tuples_and_at_the_root_are_seen() -> None:
    made = declaration("get_balance", "Get the balance.")
    schema = {
        "allOf": [{"properties": {"pair": {"type": "array", "prefixItems": [TEXT, {"properties": {"url": TEXT}}]}}}],
        "properties": {"one": {"properties": {"host": TEXT}, "oneOf": [{"properties": {"webhook": TEXT}}, {}]}},
    }
    seen = inferred(replace(made, parameters=schema), "Get the balance.", server="x", label="x")

    assert set(seen.arguments("way_out")) == {"pair.url", "one.host", "one.webhook"}
