"""A word is decoded as bash decodes it, or told as not known; bash itself is asked."""

import subprocess

import pytest

from hilt.policy.programs.words import Word
from hilt.workspace.proof.decoding import MOST_BRACES, NUMBER, Reader, Undecoded, unbraced

KNOWN = {"x": Word(text="a b", dashed=False), "y": Word(text="c", dashed=False), "g": Word(glob="*.py", many=True)}


def decoded(source: str) -> Word:
    data = source.encode().decode("latin-1")
    return Reader(data, 0, len(data), KNOWN, lambda _: None).word()


@pytest.mark.parametrize(
    "source",
    [
        "abc",
        "'a b'",
        '"a b"',
        "a\\ b",
        "a'b c'd",
        "''",
        '""',
        '"a\\"b"',
        '"a\\\\b"',
        '"a\\nb"',
        "a#b",
        "a=b",
        "%+,@:",
        "a$",
        '"$"',
        '"a$ b"',
        "\\*",
        "'*?['",
        '"{a,b}"',
        "$'a\\tb'",
        "$'it\\'s'",
        "é",
        "'é x'",
        '"a\nb"',
        '"$y"',
        "$y",
        '"$x"',
        "a\"b\"'c'",
        "\\{",
        "a~b",
        "-n",
        "--",
        '"a\\\nb"',
    ],
)
def test_a_known_word_is_what_bash_makes_of_it(source: str) -> None:
    script = f"x='a b' y=c; printf '%s' {source}"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)

    assert decoded(source).text == ran.stdout


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("$z", Word(many=True)),
        ('"$z"', Word()),
        ("$x", Word(many=True)),
        ('"a$z"', Word(start="a", dashed=False)),
        ("--o=$z", Word(start="--o=", many=True)),
        ('"$g"', Word(glob="*.py", many=True)),
        ("$g", Word(glob="*.py", many=True, split=True)),
        ("src/*.py", Word(start="src/", glob="src/*.py", dashed=False, many=True)),
        ("*", Word(glob="*", many=True)),
        ("'['*", Word(start="[", glob="[[]*", dashed=False, many=True)),
        ("[!a-c]x", Word(glob="[!a-c]x", many=True)),
        ("$?", NUMBER),
        ("$((1 + 0x1F))", NUMBER),
        ("${#x}", NUMBER),
        ("${z:-a}", Word(many=True)),
        ('"${z%.py}"', Word()),
        ("~/a", Word(dashed=False)),
        ("a=~", Word(start="a=", dashed=False)),
    ],
)
def test_of_any_other_word_it_is_said_what_is_known(source: str, word: Word) -> None:
    assert decoded(source) == word


@pytest.mark.parametrize(
    "source",
    ["$(a)", "`a`", '"$(a)"', "${x@P}", "${!x}", "${x:=a}", "${x[0]}",
     "$((x))", "$'\\x41'", '$"a"', "{a,b}", "a b", "a;b", "a(b", "'a", '"a',
     "#a", "a\\", "a\\\nb", "$1", "$@", '"$*"', "<(a)"],
)  # fmt: skip
def test_what_may_do_something_else_is_not_decoded(source: str) -> None:
    with pytest.raises(Undecoded):
        decoded(source)


@pytest.mark.parametrize(
    "source", ["{a,b}", "x{a,b}y{1,2}", "{1..5}", "a{b}", "@{u}", "{}", "--d={a,b}/*.py", "{a,}b", "{3..3}"]
)
def test_braces_are_what_bash_makes_of_them(source: str) -> None:
    ran = subprocess.run(["bash", "-fc", f"printf '%s\\n' {source}"], capture_output=True, text=True, check=True)

    assert unbraced(source, 0, len(source)) == ran.stdout.splitlines()


@pytest.mark.parametrize(
    "source",
    ["a", "{a,{b,c}}", "{a..e}", "{5..1}", "{01..3}", "{a,'b'}", "{a,$x}", f"{{1..{MOST_BRACES + 1}}}", "}{"],
)
def test_other_braces_are_left_to_be_doubted(source: str) -> None:
    assert unbraced(source, 0, len(source)) is None
