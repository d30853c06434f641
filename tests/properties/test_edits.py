"""Whatever a file holds and whatever is edited in it: bytes outside the edits stay, and no edit is made by half."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import anyio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hilt import Runtime, Session
from hilt.results.envelope import ToolResult
from hilt.tools.edit_file import edit_file
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from hilt.workspace.edits.encoded import EncodedText, whole_encoding
from tests.kit import EVERYTHING
from tests.properties.strategies import texts

WITH_MARK = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]
GUESSED = ["gbk", "shift_jis", "iso8859-1", "cp1252", "big5", "euc_kr", "koi8_r"]
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
FILLER = "改动以外 日本語の文字列 naïve café Привет 한국어 plain = text "

# Text as a program would have it: lines, and between them whatever has broken an editor.
pieces = st.lists(st.one_of(texts, st.sampled_from(["\n", "\n\n", "\t", "x = 1\n", "}\n"])), max_size=6).map("".join)
invalid = st.sampled_from([b"", b"\xff", b"caf\xe9\n", b"\xed\xa0\x80", b"\xc3\n", b"\x80\x81"])


def without_other_than_ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()


def marked(number: int, text: str) -> str:
    """An anchor that stands once, whatever it holds besides."""
    return f"<<{number}{text}{number}>>"


async def edited(path: Path, edits: list[dict[str, str]]) -> ToolResult[object]:
    workspace = Workspace([path.parent])
    parts = {Workspace: workspace}
    runtime, session = Runtime([edit_file, read_file], parts=parts, resolver=workspace, policy=EVERYTHING), Session()
    await runtime.call(session, "read_file", {"path": str(path)})
    return await runtime.call(session, "edit_file", {"path": str(path), "edits": edits})


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file, edits of it, and what it must be then."""

    content: bytes
    edits: list[dict[str, str]]
    expected: bytes


@st.composite
def exact(draw: st.DrawFn) -> Case:
    codec, end, count = draw(st.sampled_from(WITH_MARK)), draw(ENDINGS), draw(st.integers(1, 4))
    bare = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(codec, codec)
    mark = "".encode(codec)
    kept = [draw(pieces).replace("\n", end).encode(bare) for _ in range(count + 1)]
    written = pieces
    if bare == "utf-8" and draw(st.booleans()):
        kept = [each + draw(invalid) for each in kept]
        written = pieces.map(without_other_than_ascii)  # the encoding of such a file is guessed
    olds = [marked(number, draw(written).replace("\n", end)) for number in range(count)]
    news = [draw(written).replace("\n", end) for _ in range(count)]
    edits = [{"old": old, "new": new} for old, new in zip(olds, news, strict=True)]
    return Case(
        content=mark + b"".join(each + old.encode(bare) for each, old in zip(kept, olds, strict=False)) + kept[-1],
        edits=draw(st.permutations(edits)),
        expected=mark + b"".join(each + new.encode(bare) for each, new in zip(kept, news, strict=False)) + kept[-1],
    )


@st.composite
def alike(draw: st.DrawFn) -> Case:
    lines = draw(st.lists(st.sampled_from(["  ", "a", "b = “x”", "\tc", "d  "]), min_size=2, max_size=8))
    whole = [line + draw(ENDINGS) for line in lines]
    first = draw(st.integers(0, len(lines) - 1))
    last = draw(st.integers(first, len(lines) - 1))
    before, within, behind = "".join(whole[:first]), "".join(whole[first : last + 1]), "".join(whole[last + 1 :])
    anchor = "\n".join(["<<", *(line.rstrip().replace("“", '"') for line in lines[first : last + 1]), ">>"])
    return Case(
        content=f"{before}<<\r\n{within}>>{behind}".encode(),
        edits=[{"old": anchor, "new": "N"}],
        expected=f"{before}N{behind}".encode(),
    )


@st.composite
def guessed(draw: st.DrawFn) -> Case:
    codec, end = draw(st.sampled_from(GUESSED)), draw(ENDINGS)
    plain = "".join(character for character in FILLER if character.encode(codec, "ignore"))
    before, behind = (
        (plain * draw(st.integers(0, 9)) + "\n").replace("\n", end).encode(codec, "ignore") for _ in range(2)
    )
    return Case(
        content=before + b"<<anchor>>" + behind,
        edits=[{"old": "<<anchor>>", "new": "plain ascii"}],
        expected=before + b"plain ascii" + behind,
    )


async def outcome(case: Case) -> tuple[ToolResult[object], bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        write(path, case.content)
        result = await edited(path, case.edits)
        return result, read(path)


@given(case=exact())
@settings(max_examples=120, derandomize=True, deadline=None)
async def test_every_byte_outside_the_edits_is_as_it_was(case: Case) -> None:
    result, after = await outcome(case)

    if result.is_error:
        assert after == case.content
        assert whole_encoding(case.content) is None, "only what is taken for binary is refused"
    else:
        assert after == case.expected


@given(case=guessed())
@settings(max_examples=80, derandomize=True, deadline=None)
async def test_whatever_encoding_is_guessed_bytes_outside_an_edit_are_as_they_were(case: Case) -> None:
    result, after = await outcome(case)

    assert after == (case.content if result.is_error else case.expected)


@given(case=alike())
@settings(max_examples=120, derandomize=True, deadline=None)
async def test_an_anchor_found_by_its_look_replaces_its_own_bytes_only(case: Case) -> None:
    result, after = await outcome(case)

    assert not result.is_error, result.summary
    assert after == case.expected


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
