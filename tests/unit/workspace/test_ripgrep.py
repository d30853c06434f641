"""Searching: exact totals, any page, only what may be searched, and nothing lost or invented on the way."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused
from hilt.workspace import Workspace
from hilt.workspace.search.ripgrep import (
    CUT,
    LONGEST_LINE,
    Counts,
    Hit,
    Query,
    Selection,
    checked_selection,
    count_matches,
    find,
    open_place,
    reach,
    read_page,
)

Write = Callable[[str, bytes], Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    def write(name: str, content: bytes) -> Path:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return write


async def counts_of(
    path: Path, pattern: str, selection: Selection | None = None, *, multiline: bool = False, root: Path | None = None
) -> Counts:
    with anyio.fail_after(20):
        async with open_place(Workspace([root or path]), str(path)) as place:
            return await count_matches(place, Query(pattern=pattern, multiline=multiline), selection or Selection())


async def names(path: Path, pattern: str, glob: str | None = None, file_type: str | None = None) -> list[str]:
    counts = await counts_of(path, pattern, Selection(glob=glob, file_type=file_type))
    return [name.decode("utf-8", "backslashreplace") for name in counts.names]


async def hits_of(
    path: Path,
    pattern: str,
    *,
    offset: int = 0,
    limit: int = 250,
    before: int = 0,
    after: int = 0,
    multiline: bool = False,
    root: Path | None = None,
) -> list[tuple[str, Hit]]:
    query = Query(pattern=pattern, multiline=multiline)
    with anyio.fail_after(20):
        async with open_place(Workspace([root or path]), str(path)) as place:
            counts = await count_matches(place, query, Selection())
            page = await read_page(place, query, counts, offset=offset, limit=limit, before=before, after=after)
            assert page.changed == []
            return [(place.shown(file.name).removeprefix(f"{path}/"), hit) for file in page.files for hit in file.hits]


async def lines_of(path: Path, pattern: str) -> list[tuple[str, int, str]]:
    return [(name, hit.line, hit.text) for name, hit in await hits_of(path, pattern)]


# case-B38
@pytest.mark.parametrize("pattern", ["-77", "--ctx-size", "->", "--pre=sh", "-e", "--"])
async def test_a_pattern_that_looks_like_an_option_is_searched_for(root: Path, write: Write, pattern: str) -> None:
    write("a.txt", f"x\ny {pattern} z\n".encode())

    assert await lines_of(root, pattern) == [("a.txt", 2, f"y {pattern} z")]


async def test_globs_and_names_that_look_like_options_are_globs_and_names(root: Path, write: Write) -> None:
    write("-f.txt", b"hit\n")
    write("--pre=sh/-x", b"hit\n")

    assert await names(root, "hit", "-*.txt") == ["-f.txt"]
    assert await names(root, "hit", "--pre=sh/*") == ["--pre=sh/-x"]
    assert await lines_of(root, "hit") == [("--pre=sh/-x", 1, "hit"), ("-f.txt", 1, "hit")]


# case-B40
async def test_a_bad_pattern_is_refused_with_its_position_and_the_engines_words_only(root: Path) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await counts_of(root, "interface{}")

    assert "at character 11: repetition quantifier expects a valid decimal" in caught.value.problem
    assert "rg:" not in caught.value.problem
    assert "(?:" not in caught.value.problem
    assert caught.value.next_steps[0] == r"to find this text itself, escape it: interface\{\}"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "at character 1: unclosed group"),
        ("ab[", "at character 3: unclosed character class"),
        ("x(?=y)", "at character 2: look-around"),
        (r"(\w{1000}){1000}", "exceeds size limit"),
        ("*", "at character 1: repetition operator missing expression"),
    ],
)
async def test_each_way_of_being_wrong_is_named(root: Path, pattern: str, said: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await counts_of(root, pattern)

    assert said in caught.value.problem
    assert "pcre2" not in str(caught.value).lower()


@given(st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_the_escaped_pattern_that_a_refusal_offers_finds_the_text_itself(text: str) -> None:
    from hilt.workspace.search.refusals import escaped

    assert re.fullmatch(escaped(text), text)


async def test_the_offered_pattern_is_one_that_ripgrep_takes(root: Path, write: Write) -> None:
    from hilt.workspace.search.refusals import escaped

    text = r"a{b}[c](d)*e+f?g|h^i$j.k\l-m&n~o#p"
    write("a.txt", text.encode() + b"\n")

    assert await lines_of(root, escaped(text)) == [("a.txt", 1, text)]


# case-B53
async def test_a_pattern_across_lines_is_refused_naming_multiline(root: Path, write: Write) -> None:
    write("a.txt", b"x\ny\nalpha\nbeta\n")

    for pattern in (r"alpha\nbeta", "alpha\nbeta"):
        with pytest.raises(InvalidArguments) as caught:
            await counts_of(root, pattern)
        assert "multiline" in caught.value.problem
        assert caught.value.next_steps[0] == "call again with multiline=true"


async def test_a_match_over_several_lines_counts_once_and_shows_all_its_lines(root: Path, write: Write) -> None:
    write("a.txt", b"x\ny\nalpha\nbeta\nz\n")

    counts = await counts_of(root, r"alpha\nbeta", multiline=True)
    ((name, hit),) = await hits_of(root, r"alpha\nbeta", multiline=True, before=1, after=1)

    assert (counts.files, counts.matches) == (1, 1)
    assert (name, hit.line, hit.text) == ("a.txt", 3, "alpha\nbeta")
    assert (hit.before, hit.after) == (("y",), ("z",))


async def test_adjoining_matches_over_several_lines_stay_apart(root: Path, write: Write) -> None:
    write("a.txt", b"a\nb\na\nb\nc\n")

    hits = await hits_of(root, r"a\nb", multiline=True)
    second = await hits_of(root, r"a\nb", multiline=True, offset=1, limit=1)

    assert [(hit.line, hit.text) for _, hit in hits] == [(1, "a\nb"), (3, "a\nb")]
    assert [hit.line for _, hit in second] == [3]


async def test_a_dot_crosses_lines_only_where_the_pattern_says_so(root: Path, write: Write) -> None:
    write("a.txt", b"alpha\nbeta\n")

    assert (await counts_of(root, "alpha.beta", multiline=True)).matches == 0
    assert (await counts_of(root, "(?s)alpha.beta", multiline=True)).matches == 1


# case-B41, case-B44
async def test_neighbours_are_told_from_matches_and_survive_a_limit_of_one(root: Path, write: Write) -> None:
    write("s.txt", b"".join(b"%d\n" % number for number in range(1, 11)))

    ((_, alone),) = await hits_of(root, "^5$", before=1, after=2)
    ((_, first),) = await hits_of(root, "^[56]$", before=1, after=2, limit=1)
    ((_, second),) = await hits_of(root, "^[56]$", before=1, after=2, limit=1, offset=1)

    assert (alone.text, alone.before, alone.after) == ("5", ("4",), ("6", "7"))
    assert (first.text, first.before, first.after) == ("5", ("4",), ("6", "7"))
    assert (second.text, second.before, second.after) == ("6", ("5",), ("7", "8"))


# case-B35
async def test_lines_are_numbered_by_line_feeds_alone(root: Path, write: Write) -> None:
    write("a.txt", "l1\x0cx\nl2\u2028y\nl3\x85z\nl4 TAIL\n".encode())

    assert await lines_of(root, "TAIL") == [("a.txt", 4, "l4 TAIL")]


# case-B55
async def test_a_byte_order_mark_and_carriage_returns_do_not_hide_the_ends_of_lines(root: Path, write: Write) -> None:
    write("bom.txt", b"\xef\xbb\xbfend\r\nnext\r\n")

    assert await lines_of(root, "^end$") == [("bom.txt", 1, "end")]
    assert await lines_of(root, "^next$") == [("bom.txt", 2, "next")]


async def test_the_carriage_return_itself_can_be_searched_for(root: Path, write: Write) -> None:
    write("crlf.txt", b"a\r\nb\n")

    assert await lines_of(root, r"\r$") == [("crlf.txt", 1, "a")]


async def test_text_in_two_byte_units_is_found_as_text(root: Path, write: Write) -> None:
    write("wide.txt", "\ufeffhäuser\n".encode("utf-16-le"))

    assert await lines_of(root, "häus") == [("wide.txt", 1, "häuser")]


# case-B52
async def test_bytes_that_are_no_text_are_shown_escaped_and_cost_no_hit(root: Path, write: Write) -> None:
    write("a.txt", b"caf\xe9 MARK\nok MARK\n")
    (root / os.fsdecode(b"bad\xff.txt")).write_bytes(b"MARK\n")

    hits = await hits_of(root, "MARK")

    assert [(name, hit.text, hit.escaped) for name, hit in hits] == [
        ("a.txt", r"caf\xe9 MARK", True),
        ("a.txt", "ok MARK", False),
        (r"bad\xff.txt", "MARK", False),
    ]


async def test_a_name_with_a_line_feed_keeps_its_counts_and_its_lines(root: Path, write: Write) -> None:
    write("new\nline:7:x", b"hit\nhit\n")
    write("plain", b"hit\n")

    counts = await counts_of(root, "hit")

    assert list(zip(counts.names, counts.counts, strict=True)) == [(b"new\nline:7:x", 2), (b"plain", 1)]
    assert await lines_of(root, "hit") == [
        ("new\nline:7:x", 1, "hit"),
        ("new\nline:7:x", 2, "hit"),
        ("plain", 1, "hit"),
    ]


# case-B50
@pytest.mark.parametrize("at", [0, 50_000, 99_995])
async def test_a_giant_line_is_cut_around_its_match_and_flagged(root: Path, write: Write, at: int) -> None:
    write("bundle.js", (b"x" * at + b"stats" + b"x" * (100_000 - at - 5)) + b"\n")

    ((_, hit),) = await hits_of(root, "stats", limit=1)

    assert len(hit.text) <= LONGEST_LINE
    assert "stats" in hit.text
    assert CUT in hit.text
    assert hit.cut


async def test_a_line_is_cut_between_characters(root: Path, write: Write) -> None:
    write("a.txt", ("漢字🗡" * 5_000 + "stats" + "é" * 5_000).encode() + b"\n")

    ((_, hit),) = await hits_of(root, "stats")

    assert len(hit.text) <= LONGEST_LINE
    assert not hit.escaped
    assert "stats" in hit.text


async def test_a_line_as_long_as_is_shown_is_shown_whole(root: Path, write: Write) -> None:
    write("a.txt", ("é" * LONGEST_LINE).encode() + b"\n" + ("é" * (LONGEST_LINE + 1)).encode() + b"\n")

    hits = [hit for _, hit in await hits_of(root, "é")]

    assert [hit.cut for hit in hits] == [False, True]
    assert [len(hit.text) for hit in hits] == [LONGEST_LINE, LONGEST_LINE - 1]


# case-B56
async def test_a_loop_of_links_gives_one_hit(root: Path, write: Write) -> None:
    write("lo/d/f.txt", b"LOOPX\n")
    (root / "lo/d/up").symlink_to("..")

    assert await names(root, "LOOPX") == ["lo/d/f.txt"]


async def test_a_link_out_of_the_root_is_not_followed(root: Path, write: Write, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"SECRET\n")
    (root / "folder").symlink_to(outside)
    (root / "file").symlink_to(outside / "secret.txt")

    assert await names(root, "SECRET") == []
    with pytest.raises(Refused):
        await counts_of(root / "folder", "SECRET", root=root)


async def test_a_file_turned_into_a_link_between_the_passes_gives_no_line(
    root: Path, write: Write, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_bytes(b"hit SECRET\n")
    path = write("a.txt", b"hit\n")
    async with open_place(Workspace([root]), str(root)) as place:
        counts = await count_matches(place, Query(pattern="hit"), Selection())
        path.unlink()
        path.symlink_to(tmp_path / "secret.txt")
        page = await read_page(place, Query(pattern="hit"), counts, offset=0, limit=10)

    assert (page.files, page.changed) == ([], [b"a.txt"])


async def test_a_folder_swapped_after_it_was_opened_is_not_the_one_searched(
    root: Path, write: Write, tmp_path: Path
) -> None:
    write("inner/a.txt", b"hit\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(b"hit\n")
    async with open_place(Workspace([root]), str(root / "inner")) as place:
        (root / "inner").rename(root / "moved")
        (root / "inner").symlink_to(outside)
        counts = await count_matches(place, Query(pattern="hit"), Selection())

    assert counts.names == [b"a.txt"]


async def test_a_file_that_changed_between_the_passes_is_named(root: Path, write: Write) -> None:
    write("a.txt", b"hit\n")
    write("b.txt", b"hit\nhit\n")
    async with open_place(Workspace([root]), str(root)) as place:
        counts = await count_matches(place, Query(pattern="hit"), Selection())
        write("a.txt", b"hit\nhit\n")
        write("b.txt", b"hit\n")
        page = await read_page(place, Query(pattern="hit"), counts, offset=0, limit=10)

    assert page.changed == [b"a.txt", b"b.txt"]
    assert [len(file.hits) for file in page.files] == [1, 1]


# req-E3
async def test_hits_come_with_what_could_not_be_read(root: Path, write: Write) -> None:
    write("a.txt", b"hit\n")
    folder = os.open(root, os.O_RDONLY)
    for _ in range(20):  # deeper than a path may be long, which even root cannot open by name
        os.mkdir("d" * 250, dir_fd=folder)
        folder, parent = os.open("d" * 250, os.O_RDONLY, dir_fd=folder), folder
        os.close(parent)
    os.close(folder)

    counts = await counts_of(root, "hit")

    assert counts.names == [b"a.txt"]
    assert counts.unreadable.count == 1
    assert "os error 36" in counts.unreadable.examples[0]


async def test_a_missing_path_is_refused_with_the_nearest_name(root: Path, write: Write) -> None:
    write("source/a.txt", b"hit\n")

    with pytest.raises(EnvironmentFailure) as caught:
        await counts_of(root / "sorce", "hit", root=root)

    assert str(root / "source") in caught.value.next_steps[0]


async def test_one_file_can_be_searched_even_where_it_is_hidden_or_holds_nul_bytes(root: Path, write: Write) -> None:
    path = write(".hidden", b"a \0 hit\nhit\n")

    hits = await hits_of(path, "hit", root=root)

    assert [(name, hit.line, hit.text) for name, hit in hits] == [
        (str(path), 1, "a \0 hit"),
        (str(path), 2, "hit"),
    ]


async def test_a_path_in_a_version_control_folder_is_refused(root: Path, write: Write) -> None:
    write(".git/hooks/a", b"hit\n")

    with pytest.raises(InvalidArguments):
        await counts_of(root / ".git/hooks", "hit", root=root)


async def test_a_cancelled_search_leaves_no_process_behind(root: Path) -> None:
    with (root / "big.txt").open("wb") as file:
        file.truncate(8 << 30)  # sparse, and one line: it would take seconds

    with anyio.move_on_after(0.3) as scope:
        await counts_of(root / "big.txt", "nothing like this", root=root)

    assert scope.cancelled_caught
    with anyio.fail_after(5):
        await anyio.to_thread.run_sync(until_none_runs)


def until_none_runs() -> None:
    while children():
        os.sched_yield()


def children() -> list[str]:
    """Search programs of this process that still run."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)
        except OSError:
            continue
        if fields[0].endswith("(rg") and int(fields[1].split()[1]) == os.getpid():
            found.append(folder.name)
    return found


async def test_nothing_of_the_surroundings_reaches_the_search(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.txt", b"hit\n")
    settings = write("settings", b"--files-without-match\n")
    fake = root / "bin"
    fake.mkdir()
    (fake / "rg").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (fake / "rg").chmod(0o755)
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(settings))
    monkeypatch.setenv("PATH", str(fake))

    assert await names(root, "^hit$") == ["a.txt"]


# case-B46
async def test_a_name_with_a_dot_is_found_only_where_the_glob_spells_it(root: Path, write: Write) -> None:
    for name in (".github/w/ci.yml", ".github/w/.x.yml", ".hidden.ts", "v.ts", ".env", ".git/w/ci.yml", ".github/y.ts"):
        write(name, b"hit\n")

    assert await names(root, "hit", ".github/w/*.yml") == [".github/w/ci.yml"]
    assert await names(root, "hit", "**/*.ts") == ["v.ts"]
    assert await names(root, "hit", "*.ts") == ["v.ts"]
    assert await names(root, "hit", "**") == ["v.ts"]
    assert await names(root, "hit", ".env") == [".env"]
    assert await names(root, "hit", "**/.env") == [".env"]
    assert await names(root, "hit", ".*/**/*.yml") == [".github/w/ci.yml"]
    assert await names(root, "hit", "{.github,src}/**") == [".github/w/ci.yml", ".github/y.ts"]
    assert await names(root, "hit", ".git/**") == []
    assert await names(root, "hit") == ["v.ts"]


async def test_no_glob_and_no_type_brings_back_what_is_ignored(root: Path, write: Write) -> None:
    (root / ".git").mkdir()
    write(".gitignore", b"build/\n*.log\n!keep.log\n.env\n")
    for name in ("a.py", "build/b.py", "x.log", "keep.log", "src/x.log", "src/c.py", ".env"):
        write(name, b"hit\n")

    assert await names(root, "hit") == ["a.py", "keep.log", "src/c.py"]
    assert await names(root, "hit", "*.log") == ["keep.log"]
    assert await names(root, "hit", "src/*") == ["src/c.py"]
    assert await names(root, "hit", "*.{py,log}", "py") == ["a.py", "src/c.py"]
    assert await names(root, "hit", "src/**", "log") == []
    assert await names(root, "hit", ".env") == []
    assert await names(root, "hit", "!src/**") == ["a.py", "keep.log"]
    assert await names(root, "hit", "!*.py", "py") == []
    assert await names(root / "build", "hit") == ["b.py"]


async def test_a_glob_is_read_below_the_path(root: Path) -> None:
    top = str(root)

    assert checked_selection(top, Selection(glob="./src/*.py")).glob == "src/*.py"
    assert checked_selection(top, Selection(glob="!./src/*.py")).glob == "!src/*.py"
    with pytest.raises(InvalidArguments) as absolute:
        checked_selection(top, Selection(glob=f"{top}/src/*.py"))
    with pytest.raises(InvalidArguments):
        checked_selection(top, Selection(glob="../*.py"))
    with pytest.raises(InvalidArguments):
        checked_selection(top, Selection(glob="a\0b"))
    assert absolute.value.next_steps == ("give the glob src/*.py",)


async def test_a_bad_glob_and_an_unknown_type_are_refused_by_name(root: Path) -> None:
    with pytest.raises(InvalidArguments) as glob:
        await counts_of(root, "hit", Selection(glob="{a"))
    with pytest.raises(InvalidArguments) as file_type:
        await counts_of(root, "hit", Selection(file_type="pyhton"))

    assert glob.value.problem.startswith("the glob {a is not valid: unclosed alternate group")
    assert file_type.value.problem == "there is no file type pyhton"
    assert "python" in file_type.value.next_steps[0]


async def test_an_empty_search_says_how_many_files_it_saw_and_left_out(root: Path, write: Write) -> None:
    (root / ".git").mkdir()
    write(".gitignore", b"*.log\n")
    for name in ("a.py", "b.py", "c.log", ".d.py"):
        write(name, b"\n")
    async with open_place(Workspace([root]), str(root)) as place:
        everything = await reach(place, Selection())
        narrowed = await reach(place, Selection(glob="*.py"))
        below = await reach(place, Selection(glob="sub/*.py"))

    assert (everything.searched, everything.left_out) == (2, 3)
    assert (narrowed.searched, narrowed.left_out) == (2, 1)
    assert (below.searched, below.left_out) == (0, 0)


async def test_a_binary_file_met_on_the_way_counts_nowhere(root: Path, write: Write) -> None:
    write("early", b"\0 hit\n")
    write("late", b"hit\n" + b"x\n" * 200_000 + b"\0\n")
    write("text", b"hit\n")

    assert await names(root, "hit") == ["text"]
    assert [name for name, _ in await hits_of(root, "hit")] == ["text"]


async def test_every_page_size_gives_the_same_lines_without_gap_or_overlap(root: Path, write: Write) -> None:
    for file in range(12):
        write(f"f{file:02}.txt", b"".join(b"hit %d\nother\n" % line for line in range(file)))
    whole = [(name, hit.line) for name, hit in await hits_of(root, "hit", limit=0)]

    assert len(whole) == (await counts_of(root, "hit")).matches == 66
    for limit in (1, 7, 30):
        paged: list[tuple[str, int]] = []
        for offset in range(0, len(whole), limit):
            paged += [(name, hit.line) for name, hit in await hits_of(root, "hit", offset=offset, limit=limit)]
        assert paged == whole


@pytest.mark.parametrize("around", [0, 2])
async def test_a_page_deep_in_one_file_is_the_right_one(root: Path, write: Write, around: int) -> None:
    write("big.txt", b"".join(b"needle %d\n" % line for line in range(1, 200_001)))

    hits = [hit for _, hit in await hits_of(root, "needle", offset=150_000, limit=3, before=around, after=around)]

    assert [hit.line for hit in hits] == [150_001, 150_002, 150_003]
    assert [hit.text for hit in hits] == ["needle 150001", "needle 150002", "needle 150003"]
    assert hits[0].before == (("needle 149999", "needle 150000") if around else ())
    assert hits[2].after == (("needle 150004", "needle 150005") if around else ())


async def test_more_files_than_one_run_takes_are_read_in_order(root: Path, write: Write) -> None:
    for number in range(450):
        write(f"f{number:03}", b"hit\n")

    hits = await hits_of(root, "hit", limit=0)

    assert [name for name, _ in hits] == [f"f{number:03}" for number in range(450)]


# case-B49
async def test_files_come_newest_first_and_those_of_one_instant_by_path(root: Path, write: Write) -> None:
    for name, changed in (("c.txt", 100), ("b.txt", 300), ("a.txt", 200), ("e.txt", 300)):
        os.utime(write(name, b"12345"), (changed, changed))
    async with open_place(Workspace([root]), str(root)) as place:
        found = await find(place, Selection(glob="*.txt"))

    assert [file.name for file in found.files] == [b"b.txt", b"e.txt", b"a.txt", b"c.txt"]
    assert {file.size for file in found.files} == {5}
