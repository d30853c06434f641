import random
from collections.abc import Callable

import pytest

from hilt.workspace.commands.capture import BINARY_SHOWN, LONGER_BYTES, SHOWN_BYTES, Capture, capture
from hilt.workspace.commands.capture_choice import (
    ERROR_BYTES,
    HEAD_BYTES,
    HEAD_LINES,
    LAST_ERROR_BYTES,
    LONGEST_LINE,
    MOST_ERRORS,
    PLAIN_FROM,
    TAIL_BYTES,
)
from hilt.workspace.commands.capture_errors import looks_wrong
from hilt.workspace.commands.capture_long import WINDOW_BYTES


def reader(log: bytes) -> Callable[[int, int], bytes]:
    return lambda offset, count: log[offset : offset + count]


def shown(log: bytes) -> Capture:
    return capture(reader(log), len(log))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        (b"a\r\nb\n", "a\nb"),
        (b"no end", "no end"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;http://a\x1b\\l\x1b]8;;\x1b\\", "red xl"),
        (b"10%\r50%\r100%\n", "100%"),
        (b"50%\r\n\r\n", "50%\n"),
        (b"b\x08bo\x08ol\x08ld", "bold"),
        (b"caf\xc3\xa9 \xff\xfe", "caf\u00e9 \\xff\\xfe"),
        (b"a\x00b\x07", "a\\x00b\\x07"),
        (b"\x00" * 100, "\\x00[100 of these]"),
        (b"a\tb\n", "a\tb"),
        (b"x\nx\nx\nx\ny\n", "x\n[the line above 3 more times]\ny"),
        (b"x\nx\ny\n", "x\nx\ny"),
        ("\u2028 \u0085 \ufeff".encode(), "\u2028 \u0085 \ufeff"),
    ],
)
def test_output_is_shown_as_a_reader_sees_it(raw: bytes, text: str) -> None:
    assert shown(raw).text == text


def test_what_was_done_to_output_is_told() -> None:
    told = list(shown(b"\x1b[1m1\r2\x1b[0m\nz\nz\nz\n\xff").changes.told())
    assert told == [
        "terminal codes, 1 overwritten frames left out",
        "2 repeated lines folded",
        "1 bytes that are no text stand as \\xNN",
    ]
    assert list(shown(b"plain\n").changes.told()) == []


def test_up_to_its_bound_output_is_whole_and_past_it_is_cut_and_says_what_is_missing() -> None:
    line = b"%07d\n"
    whole = b"".join(line % number for number in range(SHOWN_BYTES // 8))
    assert not shown(whole).cut
    more = shown(whole + b"0\n0\n")
    assert more.cut
    assert more.lines == SHOWN_BYTES // 8 + 2
    counted = 0
    for each in more.text.splitlines():
        counted += int(each.split()[1].replace(",", "")) if "left out" in each else 1
    assert counted == more.lines
    assert more.shown < more.lines


@pytest.mark.parametrize("lines", [3_000, 200_000])
def test_the_first_errors_are_shown_with_what_stands_around_them(lines: int) -> None:
    log = [f"step {number} of the build is fine" for number in range(lines)]
    log[lines // 3 - 1 : lines // 3 + 2] = ["building a.c", "src/a.c:3:1: error: the first cause", "  int main(viod)"]
    log[lines // 2] = "error: a later one"
    got = shown("\n".join(log).encode() + b"\n")
    assert "building a.c\nsrc/a.c:3:1: error: the first cause\n  int main(viod)\n[..." in got.text
    assert "error: a later one" in got.text
    assert got.text.startswith("step 0 ")
    assert got.text.endswith(f"step {lines - 1} of the build is fine")
    assert got.lines == lines
    assert len(got.text) < HEAD_BYTES + ERROR_BYTES + TAIL_BYTES + 5 * LONGEST_LINE


@pytest.mark.parametrize("lines", [3_000, 200_000])
def test_the_last_error_is_shown_however_many_came_before(lines: int) -> None:
    log = [f"test_{number} (suite.of_{number % 7}) ... ok" for number in range(lines)]
    failed = range(50, lines - 20, lines // 9)
    for number in failed:
        log[number] = f"test_{number} (suite) ... FAIL\n    AssertionError: {number} is wrong"
    got = shown("\n".join([*log, "", f"Ran {lines} tests, {len(failed)} bad"]).encode())
    told = [number for number in failed if f"AssertionError: {number} is wrong" in got.text]
    assert told == [*failed[:MOST_ERRORS], failed[-1]]
    assert got.text.endswith(
        f"test_{lines - 1} (suite.of_{(lines - 1) % 7}) ... ok\n\nRan {lines} tests, {len(failed)} bad"
    )
    assert len(got.text.splitlines()) < 30
    assert len(got.text) < HEAD_BYTES + ERROR_BYTES + LAST_ERROR_BYTES


def test_one_error_again_and_again_leaves_room_for_another() -> None:
    log = [f"step {number}" for number in range(20)] + [f"error: cannot reach node{number}" for number in range(900)]
    got = shown("\n".join([*log, "fatal: the cause", "  of it", *(f"step {number}" for number in range(900))]).encode())
    assert got.text.count("cannot reach") <= HEAD_LINES + MOST_ERRORS  # of 25 that would have room
    assert "\nfatal: the cause\n  of it\n" in got.text


def test_a_gap_of_lines_like_one_that_is_shown_says_so_and_one_with_errors_how_many() -> None:
    log = ["start", *(f"tests/test_{number}.py::test_{number} PASSED [{number}%]" for number in range(400))]
    for number in range(100, 300, 20):
        log[number] = f"tests/test_{number}.py::test_{number} FAILED [{number}%]"
    got = shown("\n".join(log).encode())
    assert "start\ntests/test_0.py::test_0 PASSED [0%]\n[... 98 lines like line 2 ...]\ntests/test_100.py" in got.text
    assert "[... 119 lines left out with 5 errors ...]" in got.text
    assert got.text.endswith("[280%]\n[... 119 lines like line 2 ...]\ntests/test_399.py::test_399 PASSED [399%]")
    assert got.lines == 401


def test_lines_that_say_alike_that_all_is_well_are_alike_whatever_they_name() -> None:
    names = ["adds two", "is empty when nothing was given", "keeps order"] * 200
    log = [f"ok {number} - {name}" for number, name in enumerate(names, 1)]
    log[300] = "not ok 301 - is the last"
    got = shown("\n".join(["TAP version 13", *log, "# done"]).encode())
    assert got.text.splitlines() == [
        "TAP version 13",
        "ok 1 - adds two",
        "[... 299 lines like line 2 ...]",
        "not ok 301 - is the last",
        "[... 298 lines like line 2 ...]",
        "ok 600 - keeps order",
        "# done",
    ]


@pytest.mark.parametrize("many", [PLAIN_FROM - 2, PLAIN_FROM])
def test_few_lines_of_a_form_are_not_taken_for_plain(many: int) -> None:
    log = [*(f"row {number}" for number in range(many)), "error: here", *(f"{'x' * size} y" for size in range(1, 200))]
    got = shown("\n".join(log).encode())
    assert ("row 1" in got.text) == (many < PLAIN_FROM)


def test_going_on_from_where_it_was_cut_starts_at_the_first_line_left_out() -> None:
    for size in (2_000, 100_000):
        log = "".join(f"line {number}\n" for number in range(size)).encode()
        got = shown(log)
        begin = got.text.split("\n[...")[0] + "\n"
        assert log[: got.resume].decode() == begin


@pytest.mark.parametrize("size", [SHOWN_BYTES * 2, LONGER_BYTES * 3])
def test_one_line_without_end_is_shown_by_its_two_ends(size: int) -> None:
    got = shown(b"begin" + b"x" * size + b"end")
    assert got.text.startswith("beginx")
    assert got.text.endswith("xend")
    assert len(got.text) < LONGEST_LINE + 100
    assert got.lines == 1
    ended = shown(b"begin" + b"x" * size + b"end\n")
    assert ended.text.endswith("xend")
    assert ended.lines == 1


def test_a_flood_of_frames_is_shown_by_its_last_whatever_its_length() -> None:
    for count in (2_000, 300_000):
        flood = b"".join(b"\r%d" % number for number in range(count))
        whole, ended = shown(flood).text, shown(flood + b"\n").text
        begun, behind = shown(b"start\n" + flood).text, shown(flood + b"\ndone\n").text
        last = str(count - 1)
        assert (whole, ended, begun) == (last, last, f"start\n{last}")
        assert behind.endswith("\ndone")


def test_long_first_and_last_lines_of_a_long_log_are_marked() -> None:
    middle = b"".join(b"line %d\n" % number for number in range(50_000))
    got = shown(b"A" * WINDOW_BYTES * 2 + b"\n" + middle + b"Z" * WINDOW_BYTES * 2)
    assert got.lines == 50_002
    assert "A [... the line goes on ...]" in got.text
    assert got.text.endswith("[... the line began before ...] " + "Z" * 200)


def test_any_bytes_are_shown_in_bounds() -> None:
    chance = random.Random(7)
    for _ in range(60):
        size = chance.choice([10, 9_000, LONGER_BYTES + 1_000])
        log = bytes(chance.choices(range(256), k=200)) * (size // 200 + 1)
        got = shown(log)
        assert len(got.text.encode()) <= SHOWN_BYTES
        assert got.lines == log.count(b"\n") + (not log.endswith(b"\n"))


@pytest.mark.parametrize(
    "line",
    [
        "E   AssertionError: 1 != 2",
        "Traceback (most recent call last):",
        "ValueError: x",
        "make: *** [all] Error 2",
        "npm ERR! code 1",
        "--- FAIL: TestX",
        "not ok 3 - thing",
        "src/error.c:12: error: expected ';'",
        "java.lang.NullPointerException: x",
        "npm ERR! code 2",
        "bash: line 1: 99 Segmentation fault (core dumped) ./a",
        "thread 'main' panicked at src/main.rs",
        "ld: undefined reference to `f'",
    ],
)
def test_a_line_that_looks_like_a_cause_is_known(line: str) -> None:
    assert looks_wrong(line)


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 0 failures",
        "errors: 0",
        "failed: 0",
        "tests/test_error_handling.py::test_failures PASSED",
        "no errors found",
        "src/app/error.py",
        "/usr/share/doc/libgpg-error-dev/README",
        "lib/FooException.java",
        "src/error.c:12: int main(void)",
        "all is well",
    ],
)
def test_a_line_that_only_names_errors_is_no_cause(line: str) -> None:
    assert not looks_wrong(line)


@pytest.mark.parametrize("size", [3_000, LONGER_BYTES * 2])
def test_an_output_that_is_no_text_is_shown_by_its_beginning_alone(size: int) -> None:
    got = shown(random.Random(3).randbytes(size))
    assert got.cut
    assert got.text.endswith(f"\n[... most of the {size:,} bytes are no text ...]")
    assert len(got.text) < BINARY_SHOWN + 60
    assert len(list(got.changes.told())) == 1
    words = "caf\u00e9 cr\u00e8me br\u00fbl\u00e9e, d\u00e9j\u00e0 vu\n" * 40
    assert "br\\xfbl\\xe9e" in shown(words.encode("latin-1")).text
