"""A page of lines is exactly those lines, with the exact total, whatever the size of the file."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from pydoc_data import topics

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace import Workspace
from hilt.workspace.encodings import Encoding
from hilt.workspace.handles import FileVersion
from hilt.workspace.line_index import BLOCK_BYTES, IndexCache, LineIndex, build
from hilt.workspace.lines import PSEUDO_BYTES, WIDE_BYTES, Line, Page, Range, count_lines, read_lines
from hilt.workspace.text import split_lines

UTF8 = Encoding(name="utf-8")


async def page(  # the fields of a Range, with defaults for tests
    path: Path,
    *,
    first: int = 1,
    lines: int = 2000,
    column: int = 0,
    line_bytes: int = 2000,
    page_bytes: int = 50_000,
    encoding: Encoding = UTF8,
    root: Path | None = None,
) -> Page:
    wanted = Range(first=first, lines=lines, column=column, line_bytes=line_bytes, page_bytes=page_bytes)
    with anyio.fail_after(20):
        async with Workspace([root or path.parent]).open(str(path)) as file:
            return await read_lines(file, encoding, wanted)


def contents(path: Path) -> bytes:
    return path.read_bytes()


def texts(lines: Sequence[Line]) -> list[str]:
    return [line.text for line in lines]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Several blocks; some lines longer than a block, so that borders fall everywhere."""
    path = tmp_path / "large.log"
    with path.open("wb") as file:
        for number in range(1, 30_001):
            file.write(b"%d %s\n" % (number, b"x" * (number % 97)))
            if number % 10_000 == 0:
                file.write(b"y" * (BLOCK_BYTES + number) + b"\r\n")
        file.write(b"last, without its ending")
    return path


@pytest.mark.parametrize("first", [1, 2, 9_999, 10_000, 10_001, 10_002, 15_000, 30_000, 30_003, 30_004])
async def test_any_page_of_a_large_file_is_what_splitting_it_gives(large: Path, first: int) -> None:
    content = contents(large)
    expected = split_lines(content.decode())

    read = await page(large, first=first, lines=50)

    assert (read.total, read.size, read.counted_all) == (len(expected), len(content), True)
    longest = next((line for line in (10_001, 20_002, 30_003) if line >= first), 30_004)
    assert [line.number for line in read.lines] == list(range(first, min(first + 49, longest, 30_004) + 1))
    for line in read.lines:
        assert expected[line.number - 1][: line.length] == line.text
        assert line.length + line.more == len(expected[line.number - 1])


async def test_a_second_page_of_a_settled_file_is_the_same_from_the_index() -> None:
    settled = Path(topics.__file__)
    content = contents(settled)
    expected = split_lines(content.decode())
    assert len(content) > BLOCK_BYTES

    for first in (1, len(expected) // 2, len(expected), len(expected) // 2):
        read = await page(settled, first=first, lines=3, line_bytes=10**6)

        assert (read.total, texts(read.lines)) == (len(expected), expected[first - 1 : first + 2])


async def test_a_file_written_to_is_counted_again(large: Path) -> None:
    assert (await page(large, first=30_004)).total == 30_004
    with large.open("ab") as file:
        file.write(b"\nanother\n")

    read = await page(large, first=30_005)

    assert read.total == 30_005
    assert texts(read.lines) == ["another"]


def test_the_cache_is_bounded_and_keeps_only_settled_files() -> None:
    class Nothing:
        size = 0

        def read_into(self, buffer: memoryview, offset: int) -> int:
            return 0

    cache = IndexCache(most=2)
    index = build(Nothing(), needed=1)
    versions = [FileVersion(device=1, inode=inode, size=0, mtime_ns=1, ctime_ns=1) for inode in range(3)]
    for version in versions:
        cache.put(version, index)
    fresh = FileVersion(device=1, inode=9, size=0, mtime_ns=2**62, ctime_ns=2**62)
    cache.put(fresh, index)

    kept: list[LineIndex | None] = [cache.get(version) for version in (*versions, fresh)]
    assert kept == [None, index, index, None]


@pytest.mark.parametrize(("content", "total"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\nb\nc", 3), (b"a\r\n\r\n", 2)])
async def test_the_last_line_counts_with_and_without_its_ending(tmp_path: Path, content: bytes, total: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)

    read = await page(path)

    assert (len(read.lines), read.total) == (total, total)
    async with Workspace([tmp_path]).open(str(path)) as file:
        assert await count_lines(file, UTF8) == total


@pytest.mark.parametrize(("content", "first"), [(b"a\nb\nc", 4), (b"", 2), (b"a\n", 2)])
async def test_past_the_end_is_a_wrong_argument_with_the_length(tmp_path: Path, content: bytes, first: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)

    with pytest.raises(
        InvalidArguments, match=rf"offset {first} is past the end: .*f has {max(first - 1, 0) if content else 0} lines"
    ):
        await page(path, first=first)


async def test_a_line_alone_may_fill_the_page_and_goes_on_by_column_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    text = '{"fox":"' + "🦊" * 30_000 + '"}'
    path.write_bytes(text.encode())

    read, column, calls = "", 0, 0
    while True:
        (line,) = (await page(path, column=column)).lines
        assert line.column == column
        assert line.length > 40_000 or not line.more
        read += line.text
        calls += 1
        if not line.more:
            break
        column += line.length

    assert read == text
    assert calls == 3


async def test_a_line_among_others_is_cut_between_characters_and_ends_the_page(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\nx" + "中".encode() * 1000 + b"\nend\n")

    read = await page(path)

    assert texts(read.lines) == ["a", "x" + "中" * 666]
    assert [line.more for line in read.lines] == [0, 1002]


async def test_a_column_inside_a_character_goes_back_to_its_start(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("a中b\nnext\n".encode())

    (line,) = (await page(path, column=2)).lines

    assert (line.column, line.text) == (1, "中b")


async def test_a_column_past_the_line_is_a_wrong_argument_with_its_length(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc\r\nd\n")

    with pytest.raises(InvalidArguments, match="column 3 is past the end: line 1 has 3 bytes"):
        await page(path, column=3)


async def test_a_page_keeps_to_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes((b"x" * 99 + b"\n") * 100)

    read = await page(path, page_bytes=1000)

    assert 8 <= len(read.lines) <= 10
    assert read.total == 100


async def test_a_file_that_grows_without_end_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(3 * BLOCK_BYTES)

    (line,) = (await page(path, lines=1, page_bytes=100)).lines

    assert (line.length, line.more) == (100, 3 * BLOCK_BYTES - 100)


async def test_a_file_that_states_no_size_is_read_up_to_a_cap() -> None:
    read = await page(Path("/proc/self/status"), root=Path("/proc"))

    assert read.lines[0].text.startswith("Name:")
    assert not read.unread
    assert read.total == len(read.lines)
    assert read.size == sum(line.length + 1 for line in read.lines)
    long = await page(Path("/proc/kallsyms"), root=Path("/proc"))
    assert long.unread == (len(contents(Path("/proc/kallsyms"))) > PSEUDO_BYTES)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le"])
async def test_wide_text_has_its_lines_where_its_characters_end_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / "wide"
    path.write_bytes(("\ufeff" + "one\r\nwਊ\u010a two\nthree").encode(name))

    read = await page(path, encoding=Encoding(name=name, mark=len("\ufeff".encode(name)), known="mark"))

    assert texts(read.lines) == ["one", "wਊ\u010a two", "three"]
    assert (read.total, read.size) == (3, path.stat().st_size)


async def test_wide_text_too_large_to_convert_is_refused_with_another_way(tmp_path: Path) -> None:
    path = tmp_path / "wide"
    with path.open("wb") as file:
        file.truncate(WIDE_BYTES + 2)

    with pytest.raises(EnvironmentFailure, match="the largest that is read is 67,108,864"):
        await page(path, encoding=Encoding(name="utf-16-le"))


async def test_bytes_that_are_no_text_are_shown_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"ok\ncaf\xe9\xff\n")

    read = await page(path)

    assert [(line.text, line.escaped) for line in read.lines] == [("ok", 0), ("caf\\xe9\\xff", 2)]


@settings(max_examples=150)
@given(
    st.lists(st.text(alphabet="ab\r\u2028é🦊\x0c", max_size=30), max_size=12),
    st.booleans(),
    st.integers(4, 40),
    st.integers(1, 5),
)
def test_following_the_pages_gives_every_byte_once(lines: list[str], ended: bool, line_bytes: int, most: int) -> None:
    content = "\n".join(lines) + ("\n" if ended else "")
    expected = split_lines(content)

    assert anyio.run(_all_pages, content.encode(), line_bytes, most) == expected


async def _all_pages(content: bytes, line_bytes: int, most: int) -> list[str]:
    """Every line by following lines and columns, as a model would."""
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "f"
        path.write_bytes(content)
        found: list[str] = []
        total = (await page(path)).total
        while len(found) < total:
            read = await page(path, first=len(found) + 1, lines=most, line_bytes=line_bytes, page_bytes=60)
            assert read.lines
            found.extend([line.text + await _rest(path, line, line_bytes) for line in read.lines])
        return found
    finally:
        shutil.rmtree(folder)


async def _rest(path: Path, line: Line, line_bytes: int) -> str:
    rest, at, more = "", line.length, line.more
    while more:
        (part,) = (await page(path, first=line.number, column=at, line_bytes=line_bytes, page_bytes=60)).lines
        assert part.column == at
        rest, at, more = rest + part.text, at + part.length, part.more
    return rest
