"""What `edit_file` says where its reader could take one text, or one line ending, for another."""

from pathlib import Path

import pytest

from tests.unit.tools.test_edit_file import Editor, problem


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


async def refusal(editor: Editor, there: str | bytes, old: str) -> tuple[str, str]:
    """The problem and the first next step; the file is as it was."""
    path = await editor.read(there)
    answer = await editor.edit(path, (old, "something else entirely"))
    assert path.read_bytes() == (there if isinstance(there, bytes) else there.encode())
    assert answer.result.failure
    return problem(answer), answer.result.failure.next_steps[0]


@pytest.mark.parametrize(
    ("there", "old", "said"),
    [
        ("if x:\n\treturn go(x)\n", "if x:\n\\treturn go(x)", "(old: a backslash, the file: a tab)"),
        ('print("a\\tb total")\n', 'print("a\tb total")', "(old: a tab, the file: a backslash)"),
        ("def f():\n    return 1\n", "def f():\\n    return 1", 'old has "def f():\\n" with a real backslash'),
        ("p\u0430ssword = 1\n", "password = 1", "old: U+0061 LATIN SMALL LETTER A, the file: U+0430 CYRILLIC"),
        ("x = 1\u037e\n", "x = 1;", "(old: U+003B SEMICOLON, the file: U+037E GREEK QUESTION MARK)"),
        ('say("\u26a0\ufe0f Warning")\n', 'say("\u26a0 Warning")', 'old has nothing, the file has "\\ufe0f"'),
    ],
)
async def test_characters_that_read_the_same_are_told_by_their_names(
    editor: Editor, there: str, old: str, said: str
) -> None:
    told, _ = await refusal(editor, there, old)

    assert said in told


async def test_a_literal_backslash_and_t_in_the_file_is_not_explained_as_a_tab(editor: Editor) -> None:
    _, literal = await refusal(editor, 'print("a\\tb total")\n', 'print("a\tb total")')
    _, real = await refusal(editor, "if x:\n\treturn go(x)\n", "if x:\n\\treturn go(x)")

    assert "stands for a tab" not in literal
    assert real.endswith("\\t stands for a tab")


async def test_a_byte_that_is_no_text_cannot_be_named_in_old_and_that_is_said(editor: Editor) -> None:
    there = b"# caf\xe9 deja vu line here\xff\xfe\x81\n# \xc3\xa9\xc3\xa9 is text \x81\xff\n"
    told, step = await refusal(editor, there, "# caf\\xe9 deja vu line here")

    assert "(old: a backslash, the file: the byte \\xe9)" in told
    assert "cannot stand in old" in step


@pytest.mark.parametrize("old", ["2\tbeta line", "     2\tbeta line", "2:beta line", "2\tbeta line\n3\tgamma line"])
async def test_line_numbers_copied_into_old_are_recognized(editor: Editor, old: str) -> None:
    _, step = await refusal(editor, "alpha\nbeta line\ngamma line\n", old)

    assert step == "leave the line numbers out of old"


@pytest.mark.parametrize("indent", ["    ", "\t"])
async def test_line_numbers_before_indented_lines_are_recognized_too(editor: Editor, indent: str) -> None:
    _, step = await refusal(editor, f"alpha\n{indent}beta line\n", f"2\t{indent}beta line")

    assert step == "leave the line numbers out of old"


async def test_a_number_that_belongs_to_the_anchor_is_not_taken_for_a_line_number(editor: Editor) -> None:
    _, step = await refusal(editor, "alpha\nbeta line\n", "7:beta line")

    assert step == "correct old by the lines shown"


@pytest.mark.parametrize(
    ("there", "old", "said", "shown"),
    [
        ("a = 1\n\n\nb = 2\n", "a = 1\n\nb = 2", "line 3: the file has an empty line that old has not", "4\tb = 2"),
        ("a = 1\nb = 2\n", "a = 1\n\nb = 2", "line 2: old has an empty line that the file has not", "2\tb = 2"),
        ("a = 1\nb = 2\n", "\na = 1\n", "line 1: old has an empty line that the file has not", "1\ta = 1"),
        (
            "call(alpha,\n   beta)\nx\n",
            "call(alpha, beta)\nx",
            "line 1: old and the file break the same",
            "2\t   beta)",
        ),
        (
            "a = 1\n\n\nb = 2\nccc\nddd\n",
            "a = 1\n\nb = 2\nccc\nddd\n",
            "line 3: the file has an empty line",
            "1\ta = 1",
        ),
        ("\na = 1\n\n\nb = 2\n", "\na = 1\n\nb = 2", "line 4: the file has an empty line", "2\ta = 1"),
    ],
)
async def test_empty_lines_and_broken_lines_are_told_as_such(
    editor: Editor, there: str, old: str, said: str, shown: str
) -> None:
    told, step = await refusal(editor, there, old)

    assert "which differ only in whitespace" in told
    assert said in told
    assert shown in told, "all lines that hold the anchor's words are shown"
    assert step == "copy the lines of old from those shown"


async def test_other_indentation_before_a_line_feed_at_the_end_is_no_empty_line(editor: Editor) -> None:
    told, _ = await refusal(editor, "def f():\n        go(a)\n        end(b)\nrest\n", "    go(a)\n    end(b)\n")

    assert "only in whitespace: first different in line 3: old has 4 spaces, the file has 8 spaces" in told


async def test_an_anchor_that_ends_one_line_feed_behind_the_file_is_not_told_to_mend_its_tabs(editor: Editor) -> None:
    told, step = await refusal(editor, "a = 1\nb = 2", "b = 2\n")

    assert "where the file ends and old goes on" in told
    assert step == "correct old by the lines shown"


@pytest.mark.parametrize("old", ["hello world", "HELLO WORLD", "def Parse_Config"])
async def test_another_case_of_letters_is_near(editor: Editor, old: str) -> None:
    told, _ = await refusal(editor, "start\nHello World\ndef parse_config(x):\n", old)

    assert "nearest is line" in told


async def test_all_is_offered_only_for_as_many_places_as_it_would_replace(editor: Editor) -> None:
    path = await editor.read("aaa\n")
    answer = await editor.edit(path, ("aa", "b"))
    every = await editor.edit(path, {"old": "aa", "new": "b", "all": True})

    assert "stands 2 times in a.txt, overlapping" in problem(answer)
    assert answer.result.failure
    assert not any("all" in step.split() or "all=true" in step for step in answer.result.failure.next_steps)
    assert every.text == "a.txt: 1 replacement, line 1"


async def test_places_that_only_look_like_old_are_shown_with_the_spaces_that_differ(editor: Editor) -> None:
    path = await editor.read("a \nb\na \nc\n")
    answer = await editor.edit(path, {"old": "a\n", "new": "z\n", "all": True})

    assert '2 places look like it: line 1 "a\\x20", line 3 "a\\x20"' in problem(answer)


@pytest.mark.parametrize(
    ("there", "old", "line"),
    [
        ("alpha\nbeta\n", "alpho", 1),
        ("第一行\n末尾的特殊行\n", "末尾特殊行", 2),
        (
            "".join(f"def step_{n}(x):\n    return None\n" for n in range(40)) + "def process(x):\n",
            "def proces(x):",
            81,
        ),
        (
            "".join(f"def other{n}(y):\n    return None\n" for n in range(9)) + "def process(x):\n    return None\n",
            "def proces(x):\n    return None",
            19,
        ),
    ],
)
async def test_a_misspelt_word_is_near_also_where_all_else_stands_in_many_places(
    editor: Editor, there: str, old: str, line: int
) -> None:
    told, _ = await refusal(editor, there, old)

    assert f"nearest is line {line}," in told or f"nearest are lines {line}-" in told


async def test_very_many_places_are_counted_without_looking_at_each(editor: Editor) -> None:
    told, _ = await refusal(editor, "x" * 3_000_000, "xx")

    assert "stands 1,500,000 times" in told
    assert told.count('line 1 "') == 1, "places that read the same are shown once"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_lines_added_to_a_file_of_mixed_endings_are_told_to_end_as_given(editor: Editor, encoding: str) -> None:
    path = await editor.read("a\r\nb\r\nc\nd\n".encode(encoding))
    added = await editor.edit(path, ("b", "B1\nB2"))
    replaced = await editor.edit(path, ("d", "D"))

    assert path.read_bytes().decode(encoding) == "a\r\nB1\nB2\r\nc\nD\n"
    assert added.result.notes == ("the file's line endings are mixed; those of new were written as given",)
    assert replaced.result.notes == ()


async def test_a_miss_in_a_file_that_changed_since_it_was_read_says_so(editor: Editor) -> None:
    path = await editor.read("one\ntwo\n")
    editor.file("something else altogether\n")
    gone = await editor.edit(path, ("two", "2"))
    editor.file("something else\nthree = 3\n")
    near = await editor.edit(path, ("three = 4", "three = 5"))
    again = await editor.edit(path, ("three = 3", "three = 5"))

    assert "a.txt was changed since it was read (it had 8 bytes and has 26 now)" in problem(gone)
    assert gone.result.failure
    assert gone.result.failure.next_steps[-1] == "call read_file on it again"
    assert "a.txt was changed since it was read" in problem(near)
    assert problem(near).splitlines()[-2] == "2\tthree = 3", "the lines still stand at the end"
    assert again.text == "a.txt: 1 replacement, line 2", "what a refusal showed is seen"


async def test_a_miss_in_a_file_that_was_never_read_says_so(editor: Editor) -> None:
    path = editor.file("one\ntwo\n")
    refused = await editor.edit(path, ("something guessed", "x"))

    assert "has not been read in this session" in problem(refused)
    assert refused.result.failure
    assert refused.result.failure.next_steps[-1] == "call read_file on it first"


async def test_several_places_that_differ_only_in_line_endings_are_offered_as_exact_ones_are(editor: Editor) -> None:
    path = await editor.read("a\r\nb\r\nx\r\na\r\nb\r\n")
    refused = await editor.edit(path, ("a\nb", "Z"))
    every = await editor.edit(path, {"old": "a\nb", "new": "Z", "all": True})

    assert 'stands 2 times in a.txt: line 1 "a" at the top, line 4 below "x"' in problem(refused)
    assert refused.result.failure
    assert "set all=true to replace all 2" in refused.result.failure.next_steps
    assert path.read_bytes() == b"Z\r\nx\r\nZ\r\n"
    assert every.text.startswith("a.txt: 2 replacements")
