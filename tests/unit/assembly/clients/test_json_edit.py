"""JSON is edited where it stands: what is put in can be taken out again, and everything around it stays."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.assembly.clients import forms, json_edit, json_text
from hilt.assembly.clients.broken import BrokenText

ENTRY = {"command": "/usr/bin/python", "args": ["-m", "hilt"], "env": {}}
PATH = ("mcpServers", "hilt")

# Each has an object of servers, so taking the entry out again must give the same text.
WHOLE = {
    "plain": '{\n  "mcpServers": {\n    "git": {"command": "git"}\n  }\n}\n',
    "comments": '// top\n{\n  /* a */ "mcpServers": {\n    "git": 1 // why\n    // end\n  } /* z */\n}\n// bottom\n',
    "comma at the end": '{\n\t"mcpServers": {\n\t\t"git": {"command": "x"}, // g\n\t\t// end\n\t},\n}\n',
    "windows": '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
    "one line": '{ "mcpServers": { "a": 1 } }',
    "small": '{"mcpServers":{"a":{"command":"b"}},"other":[1,2]}',
    "braces on one line": '{"mcpServers": {\n  "a": 1}}',
    "a comment in one line": '{"mcpServers": {"a": 1 // x\n}}',
    "brackets in texts": '{"mcpServers": {\n  "a": "} // , ]"\n}}',
    "no end of line": '{\n  "mcpServers": {\n    "a": 1\n  }\n}',
    "blank lines": '{\n\n  "mcpServers": {\n\n    "a": 1\n\n  }\n\n}\n\n',
    "empty and small": '{"mcpServers":{}}',
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE.keys())
def test_an_entry_goes_in_and_out_and_leaves_the_same_text(text: str) -> None:
    done = json_edit.put(text, PATH, ENTRY)

    node = json_text.read(done)
    assert node is not None
    assert forms.entries(done.encode(), "json", PATH[:1])["hilt"] == ENTRY
    assert json_edit.put(done, PATH, ENTRY) == done
    assert json_edit.remove(done, PATH) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("// note\n", '// note\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x":1}', '{"x":1, "a": {"b": 1}}'),
        ('{\n  "x": 1 // y\n}\n', '{\n  "x": 1, // y\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{\n    // alone\n}\n", '{\n    // alone\n    "a": {\n        "b": 1\n    }\n}\n'),
        ('{\r\n\t"x": []\r\n}', '{\r\n\t"x": [],\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}'),
        ('{"a": {"b": {"c": [1,\n 2]}}}', '{"a": {"b": 1}}'),
    ],
    ids=["nothing", "a comment", "braces", "one line", "comment behind", "comment inside", "tabs", "replaced"],
)
def test_keys_that_are_missing_are_made_in_the_manner_of_the_text(text: str, expected: str) -> None:
    assert json_edit.put(text, ("a", "b"), 1) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "hilt": 2, "b": 3}', '{"a": 1, "b": 3}'),
        ('{"hilt": 2}', "{}"),
        ('{\n  "hilt": 2,\n  "b": 3\n}', '{\n  "b": 3\n}'),
        ('{\n  "a": 1,\n  "hilt": 2 // mine\n}', '{\n  "a": 1\n}'),
        ('{\n  "a": 1, // one\n  "hilt": 2, /* mine */\n  // stays\n}', '{\n  "a": 1, // one\n  // stays\n}'),
        ('{\n  // stays\n  "hilt": 2\n}', "{\n  // stays\n}"),
        ('{"a": 1}', '{"a": 1}'),
        ("", ""),
    ],
    ids=["middle", "alone", "first", "last", "comma at the end", "comment above", "not there", "nothing"],
)
def test_an_entry_is_taken_out_with_its_line_and_no_other(text: str, expected: str) -> None:
    assert json_edit.remove(text, ("hilt",)) == expected


def test_an_array_gets_one_value_more_and_loses_it_again() -> None:
    text = '{\n  "permissions": {\n    "allow": [\n      "Bash", // shell\n      "Read"\n    ]\n  }\n}\n'
    path = ("permissions", "allow")

    done = json_edit.append(text, path, "mcp__hilt")

    assert '"Bash", // shell\n      "Read",\n      "mcp__hilt"\n' in done
    assert json_edit.take(done, path, "mcp__hilt") == text
    assert json_edit.take(text, path, "mcp__hilt") == text
    assert json_edit.append('{"permissions": {}}', path, 1) == '{"permissions": {"allow": [1]}}'
    assert json_edit.append("", ("a",), 1) == '{\n  "a": [\n    1\n  ]\n}\n'
    assert json_edit.take("{}", path, 1) == "{}"
    with pytest.raises(BrokenText, match="no array"):
        json_edit.append('{"a": {}}', ("a",), 1)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, "comma"),
        ('{\n  "a": \n', 3, "value was expected"),
        ("{\n\n  a: 1}", 3, "double quotes"),
        ('{"a" 1}', 1, "colon"),
        ('{"a": tru}', 1, "no value of JSON"),
        ('{"a": 1}\n}', 2, "behind the end"),
        ('{\n/* open\n"a": 1}', 2, "does not end"),
        ('{"a": "open\n"}', 1, "value was expected"),
        ("[" * 200, 1, "too deeply"),
        ('{"a": 01}', 1, "no value of JSON"),
    ],
    ids=["comma", "value", "name", "colon", "word", "more", "comment", "text", "depth", "number"],
)
def test_a_text_that_is_not_json_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(BrokenText, match=says) as caught:
        json_edit.put(text, PATH, ENTRY)

    assert caught.value.line == line


def test_what_stands_twice_or_is_no_object_is_not_guessed_at() -> None:
    with pytest.raises(BrokenText, match="stands twice"):
        json_edit.put('{"mcpServers": {},\n"mcpServers": {}}', PATH, ENTRY)
    with pytest.raises(BrokenText, match="stands twice"):
        json_edit.remove('{"hilt": 1, "hilt": 2}', ("hilt",))
    with pytest.raises(BrokenText, match='"mcpServers" is not an object'):
        json_edit.put('{"mcpServers": []}', PATH, ENTRY)
    with pytest.raises(BrokenText, match="the whole is not an object"):
        json_edit.put("[]", PATH, ENTRY)


NAMES = st.text(alphabet='abc "\\\u00e9\u4e2d/*{,', max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\/*{}[],:\u4e2d\n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\t", "// c, }\n", "/* d: { */", " \n  "])


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """A value as some person or program would write it: blanks, comments and a comma too many anywhere."""
    gap = lambda: draw(BLANKS)  # noqa: E731 - a word for a draw
    if isinstance(value, dict):
        parts = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{draw(written(each))}{gap()}" for key, each in value.items()]
        return "{" + ",".join(parts) + ("," if parts and draw(st.booleans()) else "") + gap() + "}"
    if isinstance(value, list):
        parts = [f"{gap()}{draw(written(each))}{gap()}" for each in value]
        return "[" + ",".join(parts) + ("," if parts and draw(st.booleans()) else "") + gap() + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, object], str]:
    servers = draw(st.dictionaries(NAMES, VALUES, max_size=3))
    tree = {**draw(st.dictionaries(NAMES, VALUES, max_size=3)), "mcpServers": servers}
    return tree, draw(BLANKS) + draw(written(tree)) + draw(BLANKS)


def comments(text: str) -> list[str]:
    """The comments of a text; texts in quotes are stepped over."""
    return [each for each in re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', text, re.DOTALL) if each[0] == "/"]


@given(documents(), VALUES)
def test_any_text_gets_and_loses_an_entry_and_nothing_else(
    document: tuple[dict[str, object], str], entry: object
) -> None:
    tree, text = document

    done = json_edit.put(text, PATH, entry)

    node, back = json_text.read(done), json_text.read(json_edit.remove(done, PATH))
    servers = tree["mcpServers"]
    assert isinstance(servers, dict)
    assert node is not None
    assert node.value == {**tree, "mcpServers": {**servers, "hilt": entry}}
    assert comments(done) == comments(text)
    assert back is not None
    assert back.value == tree
    assert json_edit.put(done, PATH, entry) == json_edit.put(json_edit.put(done, PATH, entry), PATH, entry)


@given(documents(), st.data())
def test_any_entry_can_be_taken_out_of_any_text(document: tuple[dict[str, object], str], data: st.DataObject) -> None:
    tree, text = document
    key = data.draw(st.sampled_from(sorted(tree)))

    node = json_text.read(json_edit.remove(text, (key,)))

    assert node is not None
    assert node.value == {name: value for name, value in tree.items() if name != key}
