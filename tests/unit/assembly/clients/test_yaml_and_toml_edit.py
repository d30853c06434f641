"""YAML and TOML are edited where they stand: an entry in, out, cut and pasted, and what is around it stays."""

import tomllib

import pytest
import tomlkit
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hilt.assembly.clients import forms, toml_edit, yaml_edit
from hilt.assembly.clients.broken import BrokenText

ENTRY = {"cmd": "/py", "args": ["-m", "hilt"]}

YAML_TEXTS = {
    "block": "a: 1 # one\nservers: # all\n  git: # g\n    cmd: git\n    text: |\n      # text\n\n  # last\nz: 2\n",
    "four": "servers:\n    git:\n        cmd: git\n",
    "windows": "servers:\r\n  git:\r\n    cmd: git\r\nz: 1\r\n",
    "flow": "servers: {git: {cmd: git}}\nz: 1\n",
    "empty flow": "servers: {}\nz: 1\n",
    "marked": "---\nservers:\n  git: {cmd: git}\n...\n",
    "no end": "servers:\n  git:\n    cmd: git",
    "anchors": "base: &b {cmd: x}\nservers:\n  git:\n    <<: *b\n",
}
TOML_TEXTS = {
    "tables": '# top\na = 1\n\n[servers.git] # g\ncmd = "git"\n\n[servers.git.env]\nX = "1"\n\n# about z\n[z]\n',
    "spread": '[servers.git]\ncmd="git"\n[z]\nq=1\n[servers.more]\ncmd="m"\n[y]\n',
    "windows": 'a = 1\r\n[servers.git]\r\ncmd = "git"\r\n',
    "inline": 'servers = { git = { cmd = "git" } }\n',
    "inline in a table": '[servers]\ngit = { cmd = "git" } # g\n\n[z]\n',
    "dotted": 'servers.git.cmd = "git"\n',
    "header in a text": 'a = """\n[servers.none]\n"""\n[servers.git]\nargs = [\n  "[x]",\n]\n',
    "arrays of tables": '[[z]]\nq = 1\n[[z]]\nq = 2\n\n[servers.git]\ncmd = "git"\n',
}


@pytest.mark.parametrize("text", YAML_TEXTS.values(), ids=YAML_TEXTS.keys())
def test_a_yaml_entry_goes_in_and_out(text: str) -> None:
    content = text.encode()

    done = forms.put(content, "yaml", ("servers", "hilt"), ENTRY)

    assert forms.entries(done, "yaml", ("servers",))["hilt"] == ENTRY
    assert forms.put(done, "yaml", ("servers", "hilt"), ENTRY) == done
    assert forms.remove(done, "yaml", ("servers", "hilt")).rstrip() == content.rstrip()
    other = forms.put(done, "yaml", ("servers", "hilt"), {"cmd": "other"})
    assert forms.entries(other, "yaml", ("servers",))["hilt"] == {"cmd": "other"}


@pytest.mark.parametrize("text", TOML_TEXTS.values(), ids=TOML_TEXTS.keys())
def test_a_toml_table_goes_in_and_out(text: str) -> None:
    content = text.encode()

    done = forms.put(content, "toml", ("servers", "hilt"), ENTRY)

    assert forms.entries(done, "toml", ("servers",))["hilt"] == ENTRY
    assert forms.put(done, "toml", ("servers", "hilt"), ENTRY) == done
    assert forms.remove(done, "toml", ("servers", "hilt")) == content
    other = forms.put(done, "toml", ("servers", "hilt"), {"cmd": "other"})
    assert forms.entries(other, "toml", ("servers",))["hilt"] == {"cmd": "other"}


@pytest.mark.parametrize(
    ("form", "text"),
    [*(("yaml", each) for each in YAML_TEXTS.values()), *(("toml", each) for each in TOML_TEXTS.values())],
)
def test_an_entry_that_was_cut_is_pasted_again(form: forms.Form, text: str) -> None:
    content = forms.put(text.encode(), form, ("servers", "hilt"), ENTRY)
    content = content if b"git" in content else forms.put(content, form, ("servers", "git"), ENTRY)
    entry = forms.entries(content, form, ("servers",))["git"]
    assert isinstance(entry, dict)

    raw = forms.cut(content, form, ("servers", "git"))
    gone = forms.remove(content, form, ("servers", "git"))
    back = forms.paste(gone, form, ("servers", "git"), raw, entry)

    assert "git" not in forms.entries(gone, form, ("servers",))
    assert forms.read(back, form) == forms.read(content, form)
    assert back.count(b"#") == content.count(b"#") or form == "toml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("servers:\n  hilt:\n    cmd: x\nz: 1\n", "servers: {}\nz: 1\n"),
        ("servers: # all\n  hilt: {cmd: x}\nz: 1\n", "servers: # all\n {}\nz: 1\n"),
        ("servers:\n- name: hilt\n  cmd: x\nz: 1\n", "servers: []\nz: 1\n"),
        ("servers: {hilt: {}, a: 1}\n", "servers: {a: 1}\n"),
        ("servers: {a: 1, hilt: {}}\n", "servers: {a: 1}\n"),
        ("servers: {hilt: 1}\n", "servers: {}\n"),
        ("servers: [{name: hilt}, {name: a}]\n", "servers: [{name: a}]\n"),
        ("a: 1\n", "a: 1\n"),
        ("", ""),
    ],
)
def test_where_nothing_is_left_the_text_says_so(text: str, expected: str) -> None:
    assert forms.remove(text.encode(), "yaml", ("servers", "hilt")).decode() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", "a: 1\nservers:\n- name: hilt\n"),
        ("servers: []\n", "servers:\n  - name: hilt\n"),
        ("servers:\n  - name: a\nz: 1\n", "servers:\n  - name: a\n  - name: hilt\nz: 1\n"),
        ("servers: [{name: a}]\n", 'servers: [{name: a}, {"name": "hilt"}]\n'),
        ("servers:\nz: 1\n", "z: 1\nservers:\n- name: hilt\n"),
    ],
)
def test_a_list_gets_one_item_more(text: str, expected: str) -> None:
    done = forms.put(text.encode(), "yaml", ("servers", "hilt"), {"name": "hilt"}, listed=True)

    assert done.decode() == expected


@pytest.mark.parametrize(
    ("form", "text", "says"),
    [
        ("yaml", "a: [", "line 1"),
        ("yaml", "a: 1\n\tb: 2\n", "line 2"),
        ("yaml", "servers: &e {a: 1}\nb: *e\n", "without changing something else"),
        ("yaml", "b: &e\n  a: 1\nservers: *e\n", "alias"),
        ("yaml", "servers: text\n", "does not hold entries"),
        ("yaml", "servers:\n  a: 1\nservers:\n  b: 1\n", "stands twice"),
        ("yaml", "a: 1\n---\nb: 1\n", "line 2"),
        ("toml", "a = \n", "line 1"),
        ("toml", "servers = 1\n", "does not hold entries"),
        ("toml", "servers = []\n", "is not a table"),
    ],
)
def test_a_text_that_cannot_be_edited_is_refused(form: forms.Form, text: str, says: str) -> None:
    def edited() -> None:
        forms.entries(text.encode(), form, ("servers",))
        forms.put(text.encode(), form, ("servers", "hilt"), ENTRY)

    with pytest.raises(BrokenText, match=says):
        edited()


def test_what_is_not_there_is_cut_and_taken_out_as_nothing() -> None:
    assert yaml_edit.cut("", ("a",)) == yaml_edit.cut("a: {b: 1}\n", ("a", "b")) == ""
    assert yaml_edit.paste("", ("a", "b"), "x") == ""
    assert yaml_edit.paste("a: {}\n", ("a", "b"), "x") == "a: {}\n"
    assert toml_edit.cut("a = 1\n", ("b",)) == ""
    assert toml_edit.paste("", ("b",), "[b]\n") == "[b]\n"
    assert toml_edit.remove("a = 1\n", ("b", "c")) == "a = 1\n"


WORDS = st.text(alphabet="abc _-.#:'\"é中", min_size=1, max_size=5)
TREES = st.recursive(
    st.booleans() | st.integers(-99, 99) | st.text(alphabet="ab #:-'\"\n[]{}é", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(WORDS, TREES, max_size=3),
    st.dictionaries(WORDS, st.dictionaries(WORDS, TREES, max_size=2), max_size=3),
    st.sampled_from([True, False, None]),
    st.sampled_from([2, 3, 4]),
    st.sampled_from(["", "# top\n", "---\n"]),
)
def test_any_yaml_gets_and_loses_an_entry_and_nothing_else(
    rest: dict[str, object], servers: dict[str, object], flow: bool | None, indent: int, top: str
) -> None:
    tree = {**rest, "servers": servers, "tail": 1}
    text = top + yaml.safe_dump(tree, default_flow_style=flow, indent=indent, sort_keys=False, allow_unicode=True)

    done = forms.put(text.encode(), "yaml", ("servers", "hilt"), ENTRY)
    back = forms.remove(done, "yaml", ("servers", "hilt"))

    assert forms.read(done, "yaml") == {**tree, "servers": {**servers, "hilt": ENTRY}}
    assert forms.read(back, "yaml") == tree


@given(
    st.dictionaries(WORDS, st.integers() | WORDS | st.lists(WORDS, max_size=2), max_size=3),
    st.dictionaries(WORDS, st.dictionaries(WORDS, WORDS, max_size=2), max_size=3),
    st.booleans(),
)
def test_any_toml_gets_and_loses_a_table_and_keeps_its_bytes(
    rest: dict[str, object], servers: dict[str, dict[str, str]], windows: bool
) -> None:
    text = tomlkit.dumps({**rest, "servers": servers}) + "# end\n[tail]\nx = 1\n"
    text = text.replace("\n", "\r\n") if windows else text
    tree = tomllib.loads(text)

    done = forms.put(text.encode(), "toml", ("servers", "hilt"), ENTRY)

    assert forms.read(done, "toml") == {**tree, "servers": {**tree["servers"], "hilt": ENTRY}}
    assert forms.remove(done, "toml", ("servers", "hilt")) == text.encode()
