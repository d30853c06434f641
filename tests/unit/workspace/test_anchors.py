"""Where an edit goes: exactly, by its look, or nowhere; and the bytes that come of it."""

import re

import pytest

from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.edits.anchors import LIKENESS_BYTES, Edit, Place, place_edits
from hilt.workspace.edits.encoded import EncodedText, whole_encoding
from hilt.workspace.edits.lookalikes import LONGEST_LIKENESS
from hilt.workspace.edits.refusals import MOST_MISPLACED, MOST_PLACES
from hilt.workspace.edits.splicing import MOST_BUFFERS, changed_lines, spliced
from hilt.workspace.encodings import SAMPLE_BYTES, Encoding

MARK = "\ufeff"
CHINESE = "中文字符测试一下这个编码，改动以外的字节不变。\n"


def opened(content: bytes) -> EncodedText:
    encoding = whole_encoding(content)
    assert encoding is not None
    return EncodedText(content, encoding)


def placed(content: bytes, *edits: tuple[str, str] | Edit) -> tuple[Place, ...]:
    asked = [each if isinstance(each, Edit) else Edit(old=each[0], new=each[1]) for each in edits]
    return place_edits(opened(content), asked, "f")


def edited(content: bytes, *edits: tuple[str, str] | Edit) -> bytes:
    return b"".join(spliced(opened(content), placed(content, *edits)))


def refusal(content: bytes, *edits: tuple[str, str] | Edit) -> str:
    with pytest.raises(InvalidArguments) as caught:
        placed(content, *edits)
    return caught.value.problem


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        (b"a\nb\nc\n", "b", "B", b"a\nB\nc\n"),
        (b"Hello World", " World", "", b"Hello"),
        (b"\r\n\r\n", "\r\n\r\n", "x", b"x"),
        (b"\tx\n", "\tx", "  x", b"  x\n"),
        (b"a\xff\xfeb\nx = 1\n", "x = 1", "x = 2", b"a\xff\xfeb\nx = 2\n"),
        (b"\xe4\xb8\xad\x81\x8d\nx = 1\n", "x = 1", "x = 2", b"\xe4\xb8\xad\x81\x8d\nx = 2\n"),
        ("e\u0301 \u00e9\n".encode(), "\u00e9", "E", "e\u0301 E\n".encode()),
        (b"keep", "keep", r"$& $1 \1 \g<0> {0} %s", rb"$& $1 \1 \g<0> {0} %s"),
        (b"one\ntwo\n", "two\n", "NEW\n", b"one\nNEW\n"),
        (b"one\ntwo", "two", "NEW", b"one\nNEW"),
    ],
)
def test_text_that_stands_there_exactly_is_replaced_by_the_new_as_given(
    content: bytes, old: str, new: str, after: bytes
) -> None:
    assert edited(content, (old, new)) == after
    assert [(place.differences, place.endings) for place in placed(content, (old, new))] == [((), "")]


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("utf-8", "改动以外的字节不变 🦊\n"),
        ("utf-16", "改动以外的字节不变 🦊\n"),
        ("utf-16-le", "plain = text  # naïve é\n"),
        ("utf-16-be", "plain = text  # naïve é\n"),
        ("utf-32", "改动以外的字节不变 🦊\n"),
        ("gbk", CHINESE),
        ("shift_jis", "日本語の文字列、変更した所の他は変わらない。\n"),
        ("big5", "這個檔案的編碼是繁體中文，修改以外的位元組都不變。\n"),
        ("iso8859-1", "Le café est fermé à Noël, très tôt, où qu'il soit.\n"),
    ],
)
def test_a_file_is_edited_in_its_own_encoding(encoding: str, line: str) -> None:
    before, new = f"{line * 40}name = 1\nend", f"name = {line.strip()}"

    after = edited(before.encode(encoding), ("name = 1", new))

    assert after == before.replace("name = 1", new).encode(encoding)


def test_half_a_character_of_two_bytes_is_no_match() -> None:
    before = ("表示" * 200 + "\n\\ end\n").encode("shift_jis")  # the second byte of 表 is that of the backslash
    assert before.count(b"\\") == 201

    assert edited(before, ("\\ end", "/ end")) == before.replace(b"\\ end", b"/ end")


def test_two_bytes_of_neighbouring_wide_characters_are_no_match() -> None:
    before = "\u4100\u0041A\n".encode("utf-16")  # the bytes 00 41 41 00 41 00: A stands at even places only

    assert edited(before, ("\u0041A", "b")) == "\u4100b\n".encode("utf-16")


def test_what_the_encoding_cannot_hold_is_refused_by_name() -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        placed("Le café est fermé à Noël, très tôt.\n".encode("latin-1") * 9 + b"x\n", ("x", "y🦊"))

    assert re.search(r"the file is [\w-]+ \(guessed\), which has no U\+1F98A FOX FACE", caught.value.problem)


def test_half_a_surrogate_pair_is_refused() -> None:
    assert "\\ud83d, half of a surrogate pair, at character 2" in refusal(b"x", ("x", "y\ud83d"))


def test_a_byte_order_mark_stays_and_is_never_doubled() -> None:
    before = (MARK + "import os\n").encode()

    assert edited(before, ("import os", "import sys")) == (MARK + "import sys\n").encode()
    assert edited(before, (MARK + "import os", MARK + "import sys")) == (MARK + "import sys\n").encode()
    assert edited(before, (MARK + "import os", "import sys")) == b"import sys\n"
    assert "begins with that byte order mark already" in refusal(before, ("import os", MARK + "import sys"))


def test_a_mark_within_the_file_is_a_character_like_any_other() -> None:
    assert edited(f"a{MARK}b c".encode(), ("c", "d")) == f"a{MARK}b d".encode()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_an_anchor_with_line_feeds_is_found_in_other_endings_which_the_new_text_takes(end: str) -> None:
    before = f"a = 1{end}b = 2{end}c = 3{end}".encode()

    (place,) = placed(before, ("a = 1\nb = 2", "a = 1\nx\nb = 3"))

    assert place.new == f"a = 1{end}x{end}b = 3".encode()
    assert (place.differences, place.endings) == (("line endings",), {"\r\n": "CRLF", "\r": "CR"}[end])


def test_an_anchor_of_one_line_brings_new_lines_in_the_endings_of_the_whole_file() -> None:
    assert edited(b"a\r\nb\r\n", ("a", "a\nx")) == b"a\r\nx\r\nb\r\n"
    assert edited(b"a\r\nb\n", ("a", "a\nx")) == b"a\nx\r\nb\n", "a file of several kinds has none to follow"
    assert edited(b"a\r\nb\r\n", ("a", "a\r\nx\ny")) == b"a\r\nx\ny\r\nb\r\n", "a CR was written on purpose"
    assert edited("a\r\nb\r\n".encode("utf-16"), ("a", "a\nx")) == "a\r\nx\r\nb\r\n".encode("utf-16")


def test_in_mixed_endings_each_new_line_takes_that_of_the_line_it_replaces() -> None:
    (place,) = placed(b"a\r\nb\nc\rd\n", ("a\nb\nc\nd", "1\n2\n3\n4\n5"))

    assert (place.new, place.endings) == (b"1\r\n2\n3\r4\r5", "CRLF and LF and CR")


def test_an_anchor_in_crlf_is_found_in_a_file_of_line_feeds() -> None:
    assert edited(b"a\nb\nc\n", ("a\r\nb", "a\r\nx")) == b"a\nx\nc\n"


def test_the_line_feed_of_a_crlf_is_no_ending_of_its_own() -> None:
    assert edited(b"a\r\nb", ("\nb", "\nc\nd")) == b"a\r\nc\r\nd"
    assert "is not in f" in refusal(b"a\r\nb", ("\n\nb", "x"))


@pytest.mark.parametrize(
    ("there", "old", "differences"),
    [
        ("x  \ny\n", "x\ny", ("trailing whitespace",)),
        ("x\ny\n", "x \ny\t", ("trailing whitespace",)),
        ("x \r\ny\r\n", "x\ny", ("line endings", "trailing whitespace")),
        ("say “it’s”\n", 'say "it\'s"', ("look-alike characters",)),
        ("a\u00a0b\u2009c\n", "a b c", ("look-alike characters",)),
        ("a – b — c\n", "a - b - c", ("look-alike characters",)),
        ("cafe\u0301\n", "caf\u00e9", ("look-alike characters",)),
        ("caf\u00e9\n", "cafe\u0301", ("look-alike characters",)),
        ("\u1112\u1161\u11ab\n", "\ud55c", ("look-alike characters",)),
        ("f（x）：\n", "f(x):", ("look-alike characters",)),
        ("f(x)\n", "ｆ（x）", ("look-alike characters",)),
        ("a\u3000 \nb", "a\nb", ("trailing whitespace",)),
        ("  \r\na", "  \na", ("line endings",)),
        ("x\u00a0\ny", "x \ny", ("look-alike characters",)),
    ],
)
def test_what_looks_like_the_anchor_is_found_and_the_difference_told(
    there: str, old: str, differences: tuple[str, ...]
) -> None:
    (place,) = placed(f"before\n{there}after".encode(), (old, "“New” – text"))

    assert place.differences == differences
    assert place.new == "“New” – text".encode(), "what is written is as given"
    assert edited(f"before\n{there}after".encode(), (old, "N")).startswith(b"before\nN")


@pytest.mark.parametrize("old", ["    run()", "Run()", "run ()", "run(\u200b)"])
def test_indentation_case_and_characters_more_or_less_are_never_overlooked(old: str) -> None:
    assert "is not in f" in refusal(b"\trun()\n", (old, "x"))


def test_only_whitespace_is_not_found_by_its_look() -> None:
    assert "is not in f" in refusal("a\u00a0b\n".encode(), (" ", "x"))
    assert edited(b"a\r\n\r\nb", ("\n\n", "\n")) == b"a\r\nb"


def test_an_exact_place_is_taken_though_another_looks_like_it() -> None:
    assert edited("'%s' ‘%s’".encode(), ("'%s'", "x")) == "x ‘%s’".encode()


def test_two_places_that_look_like_it_are_ambiguous() -> None:
    said = refusal("“a”\n‘a’\n„a‟\n".encode(), ('"a"', "x"))

    assert said == 'old does not stand in f exactly, and 2 places look like it: line 1 "“a”", line 3 "„a‟"'


def test_a_place_found_by_its_look_is_not_taken_where_the_edit_may_have_been_made_before() -> None:
    said = refusal("%s\n‘a’\n".encode(), ("'a'", "%s"))

    assert "Its new text stands at line 1, so it may be already applied; line 2 only looks like old" in said
    assert edited("‘a’ b\n".encode(), ("'a' b", "b")) == b"b\n", "what stands in the place itself proves nothing"


@pytest.mark.parametrize(
    ("content", "listed"),
    [
        (b"a\n\nn += 1\nb\n  \nn += 1\n", 'line 3 "n += 1" below "a", line 6 below "b"'),
        (b"a\nn += 1\na\nn += 1\n", 'line 2 "n += 1", line 4 "n += 1"'),
        (b"n += 1\nn += 1\n", 'line 1 "n += 1", line 2 "n += 1"'),
        (b"a\nn += 1  # one\nb\nn += 1  # two\n", 'line 2 "n += 1  # one", line 4 "n += 1  # two"'),
    ],
)
def test_places_that_read_alike_are_told_apart_by_the_line_above(content: bytes, listed: str) -> None:
    assert listed in refusal(content, ("n += 1", "n += 2"))


def test_a_short_text_that_stands_near_by_chance_is_no_edit_made_before() -> None:
    said = refusal(b"def a():\n    pass\n", ("def c():\n    raise Error", "pass"))

    assert "its new text stands at line 2, so it may be already applied" in said
    assert refusal(b"a = 1\nb = 2\n", ("a = 0", "a = 1")).startswith("this edit is already applied")


def test_an_ambiguous_anchor_lists_where_it_stands() -> None:
    said = refusal(b"".join(b"# %d\nn += 1\n" % n for n in range(8)), ("n += 1", "n += 2"))

    assert said.startswith('old stands 8 times in f: line 2 "n += 1" below "# 0", line 4 below "# 1"')
    assert said.count("line ") == MOST_PLACES
    assert said.endswith(" and 3 more")


def test_places_that_overlap_are_two() -> None:
    assert "old stands 2 times in f" in refusal(b"aaa", ("aa", "b"))


def test_all_replaces_every_place_and_nothing_in_what_it_wrote() -> None:
    assert edited(b"aaaa b a", Edit(old="a", new="aa", all=True)) == b"aaaaaaaa b aa"
    assert edited(b"aaa", Edit(old="aa", new="b", all=True)) == b"ba"
    assert edited(b"a\r\nb\r\na\r\nb\r\n", Edit(old="a\nb", new="x\ny", all=True)) == b"x\r\ny\r\nx\r\ny\r\n"


def test_very_many_places_are_replaced() -> None:
    before = b"x = 1\n" * (2 * MOST_BUFFERS)

    assert edited(before, Edit(old="x", new="yy", all=True)) == b"yy = 1\n" * (2 * MOST_BUFFERS)


def test_edits_are_found_in_the_text_before_any_of_them_and_need_no_order() -> None:
    assert edited(b"a b c", ("c", "a"), ("a", "b"), ("b", "c")) == b"b c a"


def test_two_edits_of_the_same_text_are_refused_naming_both() -> None:
    assert refusal(b"a\nb\nc", ("a\nb", "x"), ("b\nc", "y")) == (
        "edits[0] (lines 1-2) and edits[1] (lines 2-3) change the same text of f; nothing was changed"
    )
    assert edited(b"abcd", ("ab", "1"), ("cd", "2")) == b"12"


def test_an_anchor_that_another_edit_writes_is_explained() -> None:
    said = refusal(b"a\n", ("a", "b\nc"), ("c", "d"))

    assert said.startswith("edits[1].old is not in f as it is now; edits[0].new holds it")


def test_every_edit_that_does_not_fit_is_named_at_once() -> None:
    said = refusal(b"a\nn\nn\n", ("zz", "1"), ("n", "2"), ("a", "3"))

    assert said.startswith("2 of 3 edits do not fit; nothing was changed\n- edits[0].old is not in f")
    assert "\n- edits[1].old stands 2 times" in said
    many = refusal(b"a\n", *((f"absent{n}", "x") for n in range(MOST_MISPLACED + 2)))
    assert many.endswith("- and 2 more")


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (("", "x"), "edits[0].old is empty: nothing says where new belongs"),
        (("a", "a"), "edits[0]: old and new are the same characters; nothing would change"),
    ],
)
def test_an_edit_that_means_nothing_is_refused(edit: tuple[str, str], problem: str) -> None:
    assert refusal(b"a", edit) == problem


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        (b"## A\nnew\n", "## A", "## A\nnew"),
        (b"x = 2\n", "x = 1", "x = 2"),
        (b"a\r\nb = 3\r\n", "a\nb = 2", "a\nb = 3"),
        (b"foobar foobar", "foobar", "foobar"[:3] + "bar2"),
        ("say ‘x’\n".encode(), "say 'x'", "say ‘x’"),
        (b"one\nunlike anything\n", "first()", "unlike anything"),
    ],
)
def test_an_edit_made_before_is_known_and_not_made_again(content: bytes, old: str, new: str) -> None:
    if old == "foobar":
        content = content.replace(b"foobar", b"foobar2")
    every = Edit(old=old, new=new, all=old == "foobar")

    assert "is already applied: its new text stands at line" in refusal(content, every)


def test_what_is_left_of_the_old_text_does_not_say_that_the_edit_was_made() -> None:
    said = refusal(b"begin\naudit(2)\nend\n", ("begin\naudit(9)\nend", "end"))

    assert "already applied:" not in said
    assert 'nearest are lines 1-3, first different in line 2: old has "9", the file has "2"' in said


def test_a_short_new_text_that_stands_far_from_anything_like_the_old_is_no_proof_that_the_edit_was_made() -> None:
    content = b"def a():\n    pass\n"
    told = refusal(content, ("class Ledger(Base):\n    rows: list[Row]", "pass"))

    assert "nor anything near it" in told
    assert "its new text stands at line 2, so it may be already applied" in told
    assert "nothing is left to do" not in told


def test_text_that_only_holds_a_part_of_the_new_is_edited() -> None:
    assert edited(b"foo foobar", Edit(old="foo", new="foobar", all=True)) == b"foobar foobarbar"
    assert edited(b"a\n", ("a", "a\nb")) == b"a\nb\n"


def test_lines_are_numbered_as_they_are_after_the_edit() -> None:
    content = b"1\n2\n3\n4\n5\n6\n"
    places = placed(content, ("2\n", "2\n2a\n2b\n"), ("4\n", ""), ("6", "6\n7"))

    assert changed_lines(opened(content), places) == [(2, 4), (6, 6), (7, 8)]


def test_lines_of_wide_characters_are_numbered_too() -> None:
    content = "1\n\u0a0a\n3\n4\n".encode("utf-16")
    places = placed(content, ("3", "3\n3a"), ("4\n", "four\n"))

    assert changed_lines(opened(content), places) == [(3, 4), (5, 5)]


def test_the_encoding_is_that_of_the_whole_file_and_not_of_its_start() -> None:
    plain = b"x = 1\n" * SAMPLE_BYTES
    assert _encoding(plain) == ("utf-8", "strict")
    assert _encoding(plain + "é".encode()) == ("utf-8", "strict")
    assert _encoding(MARK.encode() + plain + "é".encode()) == ("utf-8", "mark")
    assert _encoding(plain + b"\xff\xfe\xfd")[1] in ("guessed", "unknown")
    chinese = plain + (CHINESE * 50).encode("gbk")
    assert _encoding(chinese)[0] in ("gbk", "gb18030", "gb2312")
    assert edited(chinese + "编辑".encode("gbk"), ("编辑", "改")) == chinese + "改".encode("gbk")
    assert whole_encoding(b"\0" * SAMPLE_BYTES * 2) is None
    assert _encoding(plain.decode().encode("utf-16")) == ("utf-16-le", "mark")


def _encoding(content: bytes) -> tuple[str, str]:
    found = whole_encoding(content)
    assert found is not None
    return found.name, found.known


def test_two_characters_that_an_encoding_writes_as_one_are_one() -> None:
    written = "x\n— \u00ca\u0304 —\n— end".encode("big5_hkscs")  # 88 62 is the letter with its mark
    file = EncodedText(written, Encoding(name="big5_hkscs", known="guessed"))

    assert [file.byte_at(place) for place in (4, 5, 6)] == [5, 7, 7]
    whole = place_edits(file, [Edit(old="- \u00ca\u0304", new="y")], "f")
    assert [(place.start, place.end) for place in whole] == [(2, 7)]
    with pytest.raises(InvalidArguments):
        place_edits(file, [Edit(old="- \u00ca", new="y")], "f")


def test_many_places_in_other_endings_are_found_in_one_pass() -> None:
    before = "é\r\nb\r\n" * 2_000

    assert edited(before.encode(), Edit(old="é\nb", new="ü", all=True)) == ("ü\r\n" * 2_000).encode()


def test_an_anchor_that_the_encoding_cannot_hold_may_still_look_like_what_is_there() -> None:
    before = ("Le café est fermé à Noël, très tôt.\n" * 9 + 'say "oui"\n').encode("iso8859-1")

    assert edited(before, ("say “oui”", "non")) == before.replace(b'say "oui"', b"non")


def test_one_long_line_of_wide_characters_is_shown_in_part() -> None:
    before = ("ab" * 3_000 + "n = 1;" + "cd" * 3_000 + "n = 1;").encode("utf-16")
    said = refusal(before, ("n = 1;", "n = 2;"))

    assert 'line 1 "' in said
    assert "n = 1;cdcd" in said
    assert len(said) < 400
    assert refusal(b"x" * 100 + b" \n" + "\u0a0a\u0a0a b".encode(), ("\u0a0a c", "d")).count("line 2") == 1


def test_in_a_file_too_large_for_likeness_only_the_exact_text_is_found() -> None:
    before = b"say 'x'\r\n" + b" " * LIKENESS_BYTES

    assert edited(before, ("say 'x'", "say 'y'")) == before.replace(b"'x'", b"'y'")
    assert "is not in f" in refusal(before, ("say “x”", "z"))


def test_a_very_long_anchor_is_found_in_other_endings_and_a_miss_of_it_is_explained() -> None:
    text = "".join(f"line {number} of an anchor é\n" for number in range(LONGEST_LIKENESS // 10))

    assert edited(text.replace("\n", "\r\n").encode(), (text, "x\n")) == b"x\r\n"
    said = refusal(text.encode(), (text.replace("line 1999 ", "lime 1999 "), "x"))
    assert 'first different in line 2,000: old has "lime", the file has "line"' in said
