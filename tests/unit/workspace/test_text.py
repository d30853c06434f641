"""One definition of a line, cuts between characters only, and encodings believed on evidence."""

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilt.workspace.encodings import SAMPLE_BYTES, Encoding, detect
from hilt.workspace.text import boundary, clip, count_lines, decode, newlines, split_lines, without_surrogates

UTF8 = Encoding(name="utf-8")
GERMAN = "Der Größte Übermut tut selten gut, sagte die Müllerin zum Bäcker.\n" * 20


def test_only_line_feeds_end_a_line() -> None:
    text = "l1\x0cx\nl2\u2028y\nl3\x85z\nl4\rTAIL\n"

    assert split_lines(text) == ["l1\x0cx", "l2\u2028y", "l3\x85z", "l4\rTAIL"]
    assert count_lines(text.encode()) == 4


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\r\n\r\nb\r", ["a", "", "b\r"]),
        ("\r\r\n", ["\r"]),
    ],
)
def test_a_last_line_without_its_ending_counts_and_an_empty_text_has_none(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
    assert count_lines(text.encode()) == len(lines)


@pytest.mark.parametrize(
    ("text", "style"),
    [("a", "none"), ("a\nb\n", "lf"), ("a\r\nb\r\n", "crlf"), ("a\r\nb\n", "mixed"), ("a\rb", "none")],
)
def test_line_endings_are_named(text: str, style: str) -> None:
    assert newlines(text) == style


@given(st.text(), st.integers(0, 40))
def test_a_clipped_text_is_a_start_within_its_bytes_that_encodes(text: str, most: int) -> None:
    clipped = clip(text, most)

    assert text.startswith(clipped)
    assert len(clipped.encode()) <= most
    assert clipped == text or len(text[: len(clipped) + 1].encode()) > most


@given(st.text(min_size=1), st.integers(0, 60), st.sampled_from(["utf-8", "gb18030", "shift_jis", "cp1252", "euc_kr"]))
def test_a_boundary_never_parts_a_character(text: str, at: int, encoding: str) -> None:
    content = text.encode(encoding, "ignore")
    cut = boundary(content, at, encoding)

    assert cut <= max(at, 0) or cut == len(content) <= at
    assert content[:cut].decode(encoding) + content[cut:].decode(encoding) == content.decode(encoding)


@given(st.binary(max_size=30), st.integers(0, 30))
def test_a_boundary_in_bytes_that_are_no_text_goes_at_most_three_back(content: bytes, at: int) -> None:
    cut = boundary(content, at)

    assert min(at, len(content)) - 3 <= cut <= at


def test_bytes_that_are_no_text_are_shown_and_counted() -> None:
    assert decode(b"caf\xe9 \xff", "utf-8") == ("caf\\xe9 \\xff", 2)
    assert decode("né".encode(), "utf-8") == ("né", 0)


def test_half_surrogate_pairs_are_made_to_encode() -> None:
    assert without_surrogates("a\ud800é") == "a\\ud800é"


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le-mark", "utf-16-be-mark", "utf-32-be-mark"]
)
def test_a_byte_order_mark_decides(encoding: str) -> None:
    name = encoding.removesuffix("-mark")
    mark = "\ufeff" if name != encoding else ""
    found = detect((mark + "wਊrld\n").encode(name), complete=True)

    assert found is not None
    assert found.known == "mark"
    assert (mark + "wਊrld\n").encode(name)[found.mark :].decode(found.name) == "wਊrld\n"


def test_utf_8_is_strict_but_forgives_a_character_cut_by_the_sample() -> None:
    whole = "é" * SAMPLE_BYTES

    assert detect(whole.encode()[: SAMPLE_BYTES - 1], complete=False) == UTF8
    assert detect(b"", complete=True) == UTF8
    assert detect("naïve".encode()[:3], complete=True) != UTF8


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_seen_by_its_empty_bytes(name: str) -> None:
    assert detect("hello world\nwਊrld, again\n".encode(name), complete=True) == Encoding(name=name, known="guessed")


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\x01\x02\x03" * 50,
        b"PK\x03\x04\x14\x00\x00\x00",
        b"text then\x00nul",
        bytes(range(1, 32)) * 9,
        bytes(range(256)),
    ],
    ids=["zeros", "zip", "late nul", "controls", "all bytes"],
)
def test_what_is_no_text_has_no_encoding(content: bytes) -> None:
    assert detect(content, complete=True) is None


@pytest.mark.parametrize("name", ["latin-1", "gb18030", "shift_jis", "koi8-r"])
def test_a_guess_is_believed_only_where_every_byte_decodes(name: str) -> None:
    text = {
        "latin-1": GERMAN,
        "gb18030": "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。\n" * 20,
        "shift_jis": "いろはにほへと ちりぬるを わかよたれそ つねならむ\n" * 20,
        "koi8-r": "Все счастливые семьи похожи друг на друга.\n" * 20,
    }[name]
    found = detect(text.encode(name), complete=True)

    assert found is not None
    assert found.known in ("guessed", "unknown")
    if found.known == "guessed":
        text.encode(name).decode(found.name)


def test_a_detector_that_is_installed_reads_chinese() -> None:
    if not importlib.util.find_spec("charset_normalizer") and not importlib.util.find_spec("resiliparse"):
        pytest.skip("no detector is installed")
    text = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。\n" * 20
    found = detect(text.encode("gb18030"), complete=True)

    assert found is not None
    assert text.encode("gb18030").decode(found.name) == text


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        (UTF8, ""),
        (Encoding(name="utf-8", mark=3, known="mark"), "utf-8 with a byte order mark"),
        (Encoding(name="utf-16-le", mark=2, known="mark"), "utf-16-le with a byte order mark"),
        (Encoding(name="cp1252", known="guessed"), "cp1252 (guessed)"),
        (Encoding(name="utf-8", known="unknown"), "an unknown encoding"),
    ],
)
def test_an_encoding_other_than_plain_utf_8_is_told(encoding: Encoding, told: str) -> None:
    assert encoding.told == told
