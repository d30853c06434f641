"""Whatever a file holds and whatever is edited in it: bytes outside the edits stay, and no edit is made by half."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hilt import Runtime, Session
from hilt.results.envelope import ToolResult
from hilt.tools.edit_file import edit_file
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from hilt.workspace.encoded import EncodedText, whole_encoding
from tests.kit import EVERYTHING
from tests.properties.strategies import texts

WITH_MARK = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]
GUESSED = ["gbk", "shift_jis", "iso8859-1", "cp1252", "big5", "euc_kr", "koi8_r"]
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
FILLER = "改动以外 日本語の文字列 naïve café Привет 한국어 plain = text "

# Text as a program would have it: lines, and between them whatever has broken an editor.
pieces = st.lists(st.one_of(texts, st.sampled_from(["\n", "\n\n", "\t", "x = 1\n", "}\n"])), max_size=6).map("".join)
invalid = st.sampled_from([b"", b"\xff", b"caf\xe9\n", b"\xed\xa0\x80", b"\xc3\n", b"\x80\x81"])


def marked(number: int, text: str) -> str:
    """An anchor that stands once, whatever it holds besides."""
    return f"<<{number}{text}{number}>>"


async def edited(path: Path, edits: list[dict[str, Any]]) -> ToolResult[object]:
    workspace = Workspace([path.parent])
    parts = {Workspace: workspace}
    runtime, session = Runtime([edit_file, read_file], parts=parts, resolver=workspace, policy=EVERYTHING), Session()
    await runtime.call(session, "read_file", {"path": str(path)})
    return await runtime.call(session, "edit_file", {"path": str(path), "edits": edits})


@given(data=st.data(), codec=st.sampled_from(WITH_MARK), end=ENDINGS, count=st.integers(1, 4))
@settings(max_examples=120, derandomize=True, deadline=None)
async def test_every_byte_outside_the_edits_is_as_it_was(data: st.DataObject, codec: str, end: str, count: int) -> None:
    bare = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(codec, codec)
    mark = "".encode(codec)
    kept = [data.draw(pieces).replace("\n", end).encode(bare) for _ in range(count + 1)]
    if bare == "utf-8":
        kept = [each + data.draw(invalid) for each in kept]
    olds = [marked(number, data.draw(pieces).replace("\n", end)) for number in range(count)]
    news = [data.draw(pieces).replace("\n", end) for _ in range(count)]
    content = mark + b"".join(each + old.encode(bare) for each, old in zip(kept, olds, strict=False)) + kept[-1]
    expected = mark + b"".join(each + new.encode(bare) for each, new in zip(kept, news, strict=False)) + kept[-1]
    edits = [{"old": old, "new": new} for old, new in zip(olds, news, strict=True)]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        write(path, content)
        result = await edited(path, data.draw(st.permutations(edits)))
        after = read(path)

    if result.is_error:
        # Only where the text is taken for binary, or for another encoding than it was made in.
        assert after == content
        found = whole_encoding(content)
        assert found is None or found.name != bare or not mark, result
    else:
        assert after == expected


@given(data=st.data(), codec=st.sampled_from(GUESSED), end=ENDINGS)
@settings(max_examples=80, derandomize=True, deadline=None)
async def test_whatever_encoding_is_guessed_bytes_outside_an_edit_are_as_they_were(
    data: st.DataObject, codec: str, end: str
) -> None:
    plain = "".join(character for character in FILLER if character.encode(codec, "ignore"))
    before, behind = (
        (plain * data.draw(st.integers(0, 9)) + "\n").replace("\n", end).encode(codec, "ignore") for _ in range(2)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        write(path, before + b"<<anchor>>" + behind)
        result = await edited(path, [{"old": "<<anchor>>", "new": "plain ascii"}])
        after = read(path)

    assert after == before + (b"<<anchor>>" if result.is_error else b"plain ascii") + behind


@given(lines=st.lists(st.sampled_from(["  ", "a", "b = “x”", "\tc", "d  "]), min_size=2, max_size=8), data=st.data())
@settings(max_examples=120, derandomize=True, deadline=None)
async def test_an_anchor_found_by_its_look_replaces_its_own_bytes_only(lines: list[str], data: st.DataObject) -> None:
    ends = [data.draw(ENDINGS) for _ in lines]
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    whole = [line + end for line, end in zip(lines, ends, strict=True)]
    before, within, behind = "".join(whole[:first]), "".join(whole[first : last + 1]), "".join(whole[last + 1 :])
    anchor = "\n".join(["<<", *(line.rstrip().replace("“", '"') for line in lines[first : last + 1]), ">>"])
    content = f"{before}<<\r\n{within}>>{behind}".encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        write(path, content)
        result = await edited(path, [{"old": anchor, "new": "N"}])
        after = read(path)

    assert not result.is_error, (content, anchor, result)
    assert after == f"{before}N{behind}".encode()


@given(text=texts, codec=st.sampled_from([*WITH_MARK, *GUESSED]))
@example(text="\u2015～∥－￠￡￢", codec="shift_jis")
@settings(max_examples=150, derandomize=True, deadline=None)
def test_each_character_is_found_at_the_byte_it_begins_with(text: str, codec: str) -> None:
    content = f"{FILLER}{text}\n{text}end".encode(codec, "ignore")
    encoding = whole_encoding(content)
    if encoding is None:
        return
    file = EncodedText(content, encoding)
    places = [file.byte_at(place) for place in range(len(file.text) + 1)]

    assert places == sorted(places)
    assert places[-1] == len(content) - (len(content) - encoding.mark) % file.unit
    assert "".join(map(file.shown, places, places[1:])).endswith("end") or codec in GUESSED
    again = EncodedText(content, encoding)
    assert [again.byte_at(place) for place in reversed(range(len(file.text) + 1))] == places[::-1]


def read(path: Path) -> bytes:
    return path.read_bytes()


def write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


KILLS = 8
PROGRAM = """
import sys
from pathlib import Path

import anyio

from hilt import Runtime, Session
from hilt.tools.edit_file import edit_file
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from tests.kit import EVERYTHING


async def main(path):
    workspace = Workspace([path.parent])
    runtime = Runtime([edit_file, read_file], parts={Workspace: workspace}, resolver=workspace, policy=EVERYTHING)
    session = Session()
    await runtime.call(session, "read_file", {"path": str(path), "limit": 1})
    count = int(path.read_text().split()[1])
    print("started", flush=True)
    while True:
        places = ("first", "last")
        edits = [{"old": f"{place} {count} ", "new": f"{place} {count + 1} "} for place in places]
        result = await runtime.call(session, "edit_file", {"path": str(path), "edits": edits})
        if result.is_error:
            sys.exit(result.failure.problem)
        count += 1


anyio.run(main, Path(sys.argv[1]))
"""


def state(count: int) -> str:
    filler = "".join(f"line {number} of what stands between\n" for number in range(20_000))
    return f"first {count} of two\n{filler}last {count} of two\n"


async def test_a_process_killed_while_it_edits_leaves_the_old_file_or_the_new_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    path = folder / "f.txt"
    path.write_bytes(state(0).encode())
    chance = random.Random(3)
    counts = [0]
    for _ in range(KILLS):
        with subprocess.Popen(  # noqa: ASYNC220  # it says when it has started, and is killed soon after
            [sys.executable, "-c", PROGRAM, str(path)], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE
        ) as editing:
            assert editing.stdout is not None
            assert await anyio.to_thread.run_sync(editing.stdout.readline) == b"started\n"
            await anyio.sleep(chance.random() * 0.3)
            assert editing.poll() is None
            os.kill(editing.pid, signal.SIGKILL)
        found = path.read_bytes().decode()
        counts.append(int(found.split()[1]))
        assert found == state(counts[-1])
        assert [each.name for each in folder.iterdir()] == ["f.txt"]

    assert counts == sorted(counts)
    assert counts[-1] > KILLS, "edits were made"
