"""Arguments broken, doubled, unknown, missing, mistyped or out of range are refused, with the way to mend them."""

import json
from typing import Annotated, Any, Literal

import anyio
import pytest

from hilt import InvalidArguments, Param, Repair, Session, ToolCall, schema_tool, tool
from hilt.declarations.checks import exactly_one, not_together, ordered, together
from hilt.results.envelope import Failure
from hilt.runtime.parsing import DEEPEST_ARGUMENTS
from hilt.runtime.violations import LONGEST_RECEIVED, MOST_VIOLATIONS
from tests.kit import acting, answered, perceiving, runtime, turn

received: list[object] = []


@tool(**perceiving())
def order(
    state: Annotated[Literal["open", "closed"], Param("state", example="open")] = "open",
    count: Annotated[int, Param("how many", ge=1, le=10, example=3)] = 1,
    names: Annotated[list[str] | None, Param("names")] = None,
    note: Annotated[str | None, Param("a note", max_length=20)] = None,
) -> str:
    received.append((state, count, names, note))
    return "ok"


@tool(**perceiving())
def named(user_id: Annotated[str, Param("user", example="u_1")]) -> str:
    received.append(user_id)
    return "ok"


async def refused(name: str, text: str) -> Failure:
    received.clear()
    answer = await answered(runtime(order, named), name, text)
    failure = answer.result.failure
    assert failure is not None, answer
    assert failure.kind == "invalid_arguments"
    assert failure.next_steps
    assert received == []
    assert "pydantic" not in answer.text
    assert "http" not in answer.text
    return failure


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"user_id":"a.txt","content":"par', "incomplete: the text ends at character 33"),
        ('{"user_id":"a"', "incomplete"),
        ("{", "incomplete"),
        ('{"user_id":"a"}{"user_id":"b"}', "more follows after"),
        ('{"user_id":"a"} x', "more follows after"),
        ('[{"user_id":"a"}]', "of type array, not one JSON object"),
        ('"text"', "of type string, not one JSON object"),
        ("null", "of type null, not one JSON object"),
        ('{"user_id":"a","user_id":"b"}', "give a key twice"),
        ('{"user_id":"a","user\\u005fid":"b"}', "give a key twice"),
        ('{"user_id":{"a":1,"a":2}}', "give a key twice"),
        ('{"user_id":NaN}', "not JSON"),
        ('{"user_id":-Infinity}', "not JSON"),
        ("", "empty text"),
        ("  \n", "empty text"),
        ("\ufeff{}", "not JSON"),
        ("{'user_id': 'a'}", "not JSON"),
        ('{"user_id":"\\ud800"}', "not JSON"),
        ('{"user_id":"\ud800"}', "half of a surrogate pair at character 12"),
        ('{"user_id":1e999}', "user_id: a number too large for a double"),
        ('{"user_id":[1,[1e999,{"a":-1e999}]]}', "user_id[1][1].a and user_id[1][0]"),
        ('{"user_id":' + "9" * 5000 + "}", "not JSON"),
    ],
    ids=range(22),
)
async def test_text_that_is_not_one_whole_object_is_told_apart_and_never_run_b118(text: str, says: str) -> None:
    assert says in (await refused("named", text)).problem


@pytest.mark.parametrize("levels", [DEEPEST_ARGUMENTS + 1, 600, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
async def test_arguments_nested_without_end_are_refused_and_the_process_lives_b97(levels: int, opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    text = '{"user_id":' + opening * levels + "1" + closing * levels + "}"

    assert "nested deeper than 200 levels" in (await refused("named", text)).problem


async def test_every_violation_is_told_at_once_each_with_its_bound_and_one_change() -> None:
    failure = await refused(
        "order", '{"state":"opne","count":11,"names":[1,"b",true],"note":"' + "x" * 30 + '","nots":1}'
    )

    told = {each.path: (each.received, each.expected, each.next_step) for each in failure.violations}
    assert told == {
        "state": ('"opne"', 'one of "open", "closed"', 'use "open"'),
        "count": ("11", "integer >= 1, <= 10", "change count, for example 3"),
        "names[0]": ("1", "string", "change names[0]"),
        "names[2]": ("true", "string", "change names[2]"),
        "note": (json.dumps("x" * 30), "string or null at most 20 characters", "change note"),
        "nots": ("1", "only state, count, names, note", "use note instead"),
    }
    assert failure.problem == "order: 6 arguments are not as declared"


async def test_a_missing_argument_is_named_with_its_type_and_an_example() -> None:
    (violation,) = (await refused("named", "{}")).violations

    assert (violation.path, violation.received, violation.expected) == ("user_id", "nothing", "string")
    assert violation.next_step == 'add user_id, for example "u_1"'


WHOLE = {"3.0": 3, "1e0": 1, "10": 10}
NOT_WHOLE = ("0.5", "true", '"5"', "null", "11", "9223372036854775808", "1e300", "[1]")


@pytest.mark.parametrize("value", [*WHOLE, *NOT_WHOLE])
async def test_an_integer_takes_what_is_a_whole_number_and_nothing_else_b94(value: str) -> None:
    text = f'{{"count":{value}}}'
    if value in NOT_WHOLE:
        (violation,) = (await refused("order", text)).violations
        assert violation.expected == "integer >= 1, <= 10"
        return
    received.clear()
    await answered(runtime(order), "order", text)

    assert received == [("open", WHOLE[value], None, None)]
    assert isinstance(received[0][1], int)  # type: ignore[index]  # the tuple the tool kept


async def test_thousands_of_violations_are_counted_and_a_few_are_shown() -> None:
    failure = await refused("order", json.dumps({"names": [1] * 5_000}))

    assert failure.problem == "order: 5,000 arguments are not as declared (4,980 more not shown)"
    assert len(failure.violations) == MOST_VIOLATIONS
    assert "and the others corrected" in failure.next_steps[0]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 200, json.dumps("x" * LONGEST_RECEIVED) + "... (200 characters)"),
        ([1] * 200, "array of 200"),
        ({str(n): n for n in range(200)}, "object of 200"),
        (["x" * 300], '["' + "x" * (LONGEST_RECEIVED - 2) + "... (304 characters)"),
    ],
    ids=["text", "list", "object", "long inside"],
)
async def test_a_long_value_is_shown_by_its_start_and_its_size(value: object, shown: str) -> None:
    (violation,) = (await refused("order", json.dumps({"count": value}))).violations

    assert violation.received == shown


async def test_an_unknown_argument_like_no_other_is_to_be_left_out_even_at_any_depth() -> None:
    class_like = schema_tool(
        "deep",
        lambda given: "ok",
        parameters={
            "type": "object",
            "properties": {
                "edits": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"old": {"type": "string"}},
                        "required": ["old"],
                        "additionalProperties": False,
                    },
                }
            },
            "additionalProperties": False,
        },
    )
    answer = await answered(runtime(class_like), "deep", '{"edits":[{"odl":"a"},{"zzz":1,"old":2}]}')

    assert answer.result.failure is not None
    assert {(each.path, each.next_step) for each in answer.result.failure.violations} == {
        ("edits[0].odl", "use old instead"),
        ("edits[0].old", "add edits[0].old"),
        ("edits[1].zzz", "leave edits[1].zzz out"),
        ("edits[1].old", "change edits[1].old"),
    }


@pytest.mark.parametrize("hint", [list[int], list[int] | None])
async def test_a_list_written_as_text_is_read_where_text_is_impossible_and_told_b91(hint: Any) -> None:
    kept: list[object] = []

    def place(loc: Any) -> str:
        kept.append(loc)
        return "ok"

    place.__annotations__ = {"loc": Annotated[hint, Param("line and column")], "return": str}
    answer = await answered(runtime(tool(**perceiving())(place)), "place", '{"loc": "[1271, 2106]"}')

    assert kept == [[1271, 2106]]
    (adjustment,) = answer.result.adjustments
    assert (adjustment.what, adjustment.before, adjustment.after) == ("loc", "[1271, 2106]", [1271, 2106])
    assert 'adjusted loc: "[1271, 2106]" -> [1271,2106]' in answer.text

    wrong = await answered(runtime(tool(**perceiving())(place)), "place", '{"loc": "[\\"a\\"]"}')
    assert wrong.result.failure is not None
    for text in ('"[1"', '"{}"', '"1"', '"[NaN]"', '"[1e999]"', '"[1,1"'):
        refusal = await answered(runtime(tool(**perceiving())(place)), "place", f'{{"loc": {text}}}')
        assert refusal.result.failure is not None
    assert kept == [[1271, 2106]]


async def test_a_repair_reaches_any_depth_and_leaves_its_neighbours_alone() -> None:
    kept: list[object] = []

    @tool(**perceiving())
    def place(rows: Annotated[list[dict[str, list[int]]], Param("rows")]) -> str:
        kept.append(rows)
        return "ok"

    answer = await answered(runtime(place), "place", '{"rows": [{"a": [1]}, {"b": "[2]", "c": [3.0]}]}')

    assert kept == [[{"a": [1]}, {"b": [2], "c": [3]}]]
    assert [each.what for each in answer.result.adjustments] == ["rows[1].b"]


async def test_one_record_is_taken_for_a_list_of_one_and_told() -> None:
    kept: list[object] = []

    @tool(**perceiving())
    def edit(edits: Annotated[list[dict[str, str]], Param("edits")]) -> str:
        kept.append(edits)
        return "ok"

    answer = await answered(runtime(edit), "edit", '{"edits": {"old": "a"}}')

    assert kept == [[{"old": "a"}]]
    assert answer.result.adjustments[0].why == "one object was given where a list of them is declared"


async def test_a_text_of_a_huge_repair_is_glimpsed_in_words_and_whole_in_data() -> None:
    @tool(**perceiving())
    def total(numbers: Annotated[list[int], Param("numbers")]) -> int:
        return sum(numbers)

    text = json.dumps([1] * 50_000)
    answer = await answered(runtime(total), "total", json.dumps({"numbers": text}))

    assert answer.result.adjustments[0].before == text
    assert len(answer.text) < 1_000
    assert answer.result.items == (50_000,)


async def test_an_old_name_is_read_as_the_new_one_and_told_and_both_together_are_refused() -> None:
    kept: list[str] = []

    @tool(**perceiving(repairs=[Repair(old="file_path", new="path")]))
    def look(path: Annotated[str, Param("file")]) -> str:
        kept.append(path)
        return "ok"

    told = await answered(runtime(look), "look", '{"file_path": "/a"}')
    both = await answered(runtime(look), "look", '{"file_path": "/a", "path": "/b"}')

    assert kept == ["/a"]
    assert [(each.before, each.after) for each in told.result.adjustments] == [("file_path", "path")]
    assert both.result.failure is not None


async def test_rules_across_fields_are_told_together_and_stand_in_the_schema() -> None:
    @tool(
        **perceiving(
            checks=[
                ordered("first", "last"),
                together("first", "last"),
                together("a", "b"),
                exactly_one("a", "x"),
                not_together("x", "flag"),
            ]
        )
    )
    def span(
        first: Annotated[int | None, Param("first")] = None,
        last: Annotated[int | None, Param("last")] = None,
        a: Annotated[str | None, Param("a")] = None,
        b: Annotated[str | None, Param("b")] = None,
        x: Annotated[str | None, Param("x")] = None,
        flag: Annotated[bool, Param("flag")] = False,
    ) -> str:
        return "ok"

    async def expected(text: str) -> list[str]:
        result = (await answered(runtime(span), "span", text)).result
        return [each.expected for each in result.failure.violations] if result.failure else []

    assert span.declaration.parameters["dependentRequired"] == {
        "first": ["last"],
        "last": ["first"],
        "a": ["b"],
        "b": ["a"],
    }
    assert await expected('{"x": "1"}') == []
    assert await expected('{"a": "1", "b": "2", "first": 1, "last": 1}') == []
    assert await expected('{"first": 9, "last": 1, "a": "1"}') == ["first <= last", "all of a, b, or none"]
    assert await expected('{"first": 9}') == ["all of first, last, or none", "exactly one of a, x"]
    assert await expected('{"x": "1", "flag": true}') == ["x or flag, not both"]


async def test_an_unknown_tool_is_answered_with_the_nearest_name_or_with_what_there_is() -> None:
    of = runtime(order, named)

    near = await answered(of, "nmaed")
    far = await answered(of, "zzz")
    huge = await answered(of, "z" * 1_000_000)
    none = await answered(runtime(), "zzz")
    many = await answered(runtime(*(named.renamed(f"tool_{n}") for n in range(30))), "zzz")

    assert near.text.endswith("next: did you mean named?")
    assert "offered: named, order" in far.text
    assert len(huge.text) < 300
    assert "offered: none" in none.text
    assert "and 18 more" in many.text


async def test_a_turn_cut_by_the_output_limit_runs_none_of_its_calls() -> None:
    received.clear()
    calls = [ToolCall(name="named", arguments='{"user_id":"a"}', id=str(n), cut=True) for n in range(2)]

    answers = await runtime(named).answer(Session(), turn(*calls))

    assert received == []
    assert ["cut by the output limit" in each.text for each in answers] == [True, True]


async def test_a_call_that_fails_the_same_way_is_told_the_second_time_and_stopped_at_last() -> None:
    @tool(**acting())
    def strict(n: Annotated[int, Param("n")]) -> str:
        if n > 0:
            raise InvalidArguments(f"n={n} is too large", "make n 0")
        return "ok"

    of, session = runtime(strict), Session()
    texts = [(await answered(of, "strict", '{"n": 1}', session)).text for _ in range(6)]

    assert "note:" not in texts[0]
    assert "failed the same way 2 times" in texts[1]
    assert "failed the same way 4 times" in texts[3]
    assert texts[4].startswith("denied by breaker same-failure")
    assert texts[5].startswith("denied by breaker")
    assert (await answered(of, "strict", '{"n": 0}', session)).text == "ok"
    assert "n=1 is too large" in (await answered(of, "strict", '{"n": 1}', session)).text


async def test_ten_thousand_calls_at_once_are_each_answered_in_order() -> None:
    @tool(**perceiving())
    async def echo(n: Annotated[int, Param("n")]) -> int:
        await anyio.lowlevel.checkpoint()
        return n

    of = runtime(echo)
    with anyio.fail_after(40):
        answers = await of.answer(Session(), turn(*(("echo", f'{{"n":{n}}}') for n in range(10_000))))

    assert [each.result.items for each in answers] == [(n,) for n in range(10_000)]
