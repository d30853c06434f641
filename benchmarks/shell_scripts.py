"""Shell scripts made by a seeded grammar, harmless and hostile parts mixed, and what shfmt says their commands are.

Used by `benchmarks/fuzz.py` and, for a slice of the same scripts, by the tests.
"""

import json
import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BATCH = 100
_MARK = "batch_mark"
Place = tuple[int, int]
Heads = Mapping[Place, str | None]
"""The name of each command by its line and column, None where it is known only when it runs."""

_HARMLESS = ["ls", "cat", "echo", "wc"]
_OTHERS = (
    "ls printf grep head tail sort uniq pwd true false test git find xargs env nice timeout command touch rm cp sed "
    "awk tee bash sh eval source exec cd read export set trap sudo python3 npm make /bin/ls ./run.sh"
)
PROGRAMS = (*_HARMLESS * 3, *_OTHERS.split(" "))
PLAIN = (
    "a",
    "b.txt",
    "src/x.py",
    "-l",
    "-n",
    "-la",
    "--all",
    "-e",
    ".",
    "..",
    "HEAD",
    "README.md",
    "5",
    "-5",
    "a=b",
    "x:y",
    "a,b",
    "@",
    "%",
    "+",
    "--",
    "-",
    "a#b",
    "'a b'",
    '"c d"',
    '""',
    "''",
    "a'b c'd",
    "'it\"s'",
    '"it\'s"',
    "a\\ b",
)
ODD = (
    "$x",
    "${x}",
    '"$x"',
    "${x:-rm}",
    "${x:=touch}",
    "${x@P}",
    "${!x}",
    "${#x}",
    "${x//a/b}",
    "$1",
    "$?",
    "$$",
    "$@",
    '"$@"',
    "$((1+2))",
    "$((x+1))",
    "$[1]",
    "`ls`",
    "$(ls)",
    '"$(ls -l)"',
    "$(touch\tq)",
    '"`touch q`"',
    "<(ls)",
    ">(cat)",
    "{a,b}",
    "{1..3}",
    "src/{a,b}.py",
    "~",
    "~/x",
    "*.py",
    "./*.py",
    "src/*.py",
    "[ab]",
    "a?",
    "$'a'",
    "$'\\x74'",
    '$"t"',
    "t\\ouch",
    "t''x",
    't"o"x',
    "\\a",
    "a\\\nb",
    "a\\$x",
    '"a\\"b"',
    '"a\\`b"',
    "'a\\'",
    '"$"',
    "$",
    "a$",
    '"a$ b"',
    "#",
    "#x",
    "!x",
    "\\#",
    "\\;",
    "\\{",
    "{}",
    "{",
    "}",
    "!",
    "if",
    "then",
    "done",
    "[",
    "]]",
    "~+",
    '"~"',
    "=a",
    "==b",
    "a=$x",
    "é",
    "\u217cs",
    "'",
    '"',
    "a\tb",
    "'a\nb'",
    '"a\nb"',
    "$x$y",
    "a$(ls)b",
    '"$(cat <(ls))"',
    "&",
    "\\",
    "(",
    "a(b)",
    "a=(b)",
    "-$x",
    '-"l"',
)
REDIRECTS = (
    "> out",
    ">> out",
    "2> err",
    "2>&1",
    ">&2",
    "&> all",
    ">| out",
    "< a",
    "<> a",
    "> /dev/null",
    "2>/dev/null",
    "<<< w",
    '<<< "$x"',
    '> "$x"',
    "3>&1",
    ">&-",
    "> $(ls)",
    "> /dev/tcp/h/1",
    "{fd}> x",
)
ASSIGNMENTS = (
    "A=1",
    "CI=1",
    "x=ls",
    "x=$(ls)",
    "PATH=.",
    "LC_ALL=C",
    "IFS=,",
    "a[0]=1",
    "a+=1",
    "x=",
    "x=(a b)",
    "x='a b'",
)
SEPARATORS = ("; ", "\n", " && ", " || ", " | ", " |& ", " & ", ";", "\n\n", " &&\n", " |\n", " ; ", "\t;\t", " # c\n")


@dataclass(slots=True)
class Grammar:
    """One stream of scripts; the same seed gives the same scripts."""

    chance: random.Random
    oddness: float = 0.12

    def script(self) -> str:
        self.oddness = self.chance.choice((0.0, 0.0, 0.03, 0.03, 0.1, 0.4))
        parts = [self.statement(2)]
        for _ in range(self.chance.choice((0, 0, 1, 1, 2, 3))):
            parts += [self.chance.choice(SEPARATORS), self.statement(2 if self.oddness else 1)]
        return "".join(parts)

    def statement(self, depth: int) -> str:
        if depth <= 0 or self.chance.random() < 0.6:
            return self.simple()
        if self.oddness < 0.05 and self.chance.random() < 0.7:
            return self.chance.choice((self._group, self._subshell, self._if, self._for, self._while, self._here))(
                depth - 1
            )
        return self.chance.choice(self._compounds())(depth - 1)

    def _compounds(self) -> "Sequence[Any]":
        return (
            self._group, self._subshell, self._if, self._for, self._while, self._case, self._negated, self._function,
            self._here, self._here, self._test, self._time, self._moved, self._assigned, self._loose, self._nested,
        )  # fmt: skip

    def simple(self) -> str:
        parts: list[str] = []
        if self.chance.random() < 0.12:
            parts.append(self.chance.choice(ASSIGNMENTS))
        if self.chance.random() < 0.04:
            parts.append(self.chance.choice(REDIRECTS))
        parts.append(self._odd() if self.chance.random() < self.oddness / 3 else self.chance.choice(PROGRAMS))
        more = range(self.chance.choice((0, 1, 1, 2, 3)))
        parts += [self._odd() if self.chance.random() < self.oddness else self.chance.choice(PLAIN) for _ in more]
        for _ in range(self.chance.choice((0, 0, 0, 1, 2))):
            parts.append(self.chance.choice(REDIRECTS))
            if self.chance.random() < 0.2:
                parts.append(self.chance.choice(PLAIN))
        return self.chance.choice((" ", " ", " ", "  ", " \\\n ", "\t")).join(parts)

    def _odd(self) -> str:
        return self.chance.choice(ODD)

    def _several(self, depth: int) -> str:
        parts = [self.statement(depth)]
        if self.chance.random() < 0.4:
            parts += [self.chance.choice(SEPARATORS), self.statement(depth)]
        return "".join(parts)

    def _end(self) -> str:
        return self.chance.choice(("; ", "\n"))

    def _group(self, depth: int) -> str:
        return f"{{ {self._several(depth)}{self._end()}}}"

    def _subshell(self, depth: int) -> str:
        return f"({self._several(depth)})"

    def _if(self, depth: int) -> str:
        rest = f"else {self.statement(depth)}{self._end()}" if self.chance.random() < 0.4 else ""
        return f"if {self.statement(depth)}{self._end()}then {self._several(depth)}{self._end()}{rest}fi"

    def _for(self, depth: int) -> str:
        values = " ".join(self.chance.choice((*PLAIN, *ODD)) for _ in range(self.chance.choice((1, 2, 3))))
        name = self.chance.choice(("f", "x", "PATH", "i"))
        return f'for {name} in {values}{self._end()}do {self._several(depth)} "$f"{self._end()}done'

    def _while(self, depth: int) -> str:
        word = self.chance.choice(("while", "until"))
        test = self.chance.choice(("read -r x", "true", self.statement(0)))
        return f"{word} {test}{self._end()}do {self._several(depth)}{self._end()}done"

    def _case(self, depth: int) -> str:
        word = self.chance.choice((*PLAIN[:8], *ODD[:8]))
        return f"case {word} in a) {self.statement(depth)};; *) {self.statement(depth)};; esac"

    def _negated(self, depth: int) -> str:
        return f"! {self.statement(depth)}"

    def _function(self, depth: int) -> str:
        return f"ls() {{ {self._several(depth)}{self._end()}}}"

    def _here(self, depth: int) -> str:
        mark = self.chance.choice(("E", "'E'", '"E"', "\\E", "-E"))
        body = self.chance.choice(
            ("hello", "$x", "$(touch q)", "`touch q`", "\\$(ls)", 'it\'s "so"', "${x:-$(ls)}", "")
        )
        more = self.chance.choice(("", "", " | wc", " && ls", " > out", "; ls", " b.txt"))
        return f"{self.chance.choice(('cat', 'bash', 'wc -l', 'cat -'))} <<{mark}{more}\n{body}\nE\n{self.simple()}"

    def _test(self, depth: int) -> str:
        inner = self.chance.choice(
            ("-f a", '-n "$x"', "x -eq 0", "a == b", "-v x", "-f a && -d b", '"$x" =~ ^a', "! -e a", "a < b")
        )
        return self.chance.choice((f"[[ {inner} ]]", f"(( {self.chance.choice(('x', '1', 'x[0]'))} ))"))

    def _time(self, depth: int) -> str:
        return f"{self.chance.choice(('time', 'coproc', 'time -p', 'exec', 'command', 'eval'))} {self.simple()}"

    def _moved(self, depth: int) -> str:
        return f"cd {self.chance.choice(('src', '..', '/', '-', '~', '$x'))} && {self.statement(depth)}"

    def _assigned(self, depth: int) -> str:
        return self.chance.choice(ASSIGNMENTS)

    def _loose(self, depth: int) -> str:
        """Characters in any order: most of it is no script at all."""
        return "".join(
            self.chance.choice("ab $\"'`\\(){}[]<>|&;#!~*?=\n\t-/") for _ in range(self.chance.randint(1, 14))
        )

    def _nested(self, depth: int) -> str:
        inner = self._several(depth)
        return self.chance.choice(
            (f"echo $({inner})", f'echo "$({inner}) a"', f"cat <({inner})", f"echo `{self.simple()}`")
        )


def scripts(seed: int, count: int) -> list[str]:
    """So many scripts, the same for the same seed."""
    grammar = Grammar(random.Random(seed))
    return [grammar.script() for _ in range(count)]


def heads_by_shfmt(shfmt: str, texts: Sequence[str]) -> Iterator[Heads | None]:
    """For each script its commands as shfmt finds them; None for one that it takes for no script."""
    for start in range(0, len(texts), BATCH):
        yield from _batch(shfmt, texts[start : start + BATCH])


def _batch(shfmt: str, texts: Sequence[str]) -> list[Heads | None]:
    """One process for all; where the whole is no script, or a mark is swallowed, each half by itself."""
    joined, starts, line = "", list[int](), 1
    for text in texts:
        starts.append(line)
        joined += f"{text}\n{_MARK}\n"
        line += text.count("\n") + 2
    ran = subprocess.run([shfmt, "-ln", "bash", "-tojson"], input=joined.encode(), capture_output=True, check=False)
    tree = json.loads(ran.stdout) if ran.returncode == 0 else {}
    found: dict[Place, str | None] = {}
    _collect(tree, found)
    marks = [line for (line, column), name in found.items() if name == _MARK and column == 1]
    if sorted(marks) != [*(start - 1 for start in starts[1:]), line - 1] or ran.returncode:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return _batch(shfmt, texts[:half]) + _batch(shfmt, texts[half:])
    ends = [*starts[1:], line]
    return [_of_one(text, found, start, end) for text, start, end in zip(texts, starts, ends, strict=True)]


def _of_one(text: str, found: Heads, start: int, end: int) -> Heads:
    """The commands of one script of a batch, their columns in characters and not in bytes."""
    lines = [each.encode() for each in text.split("\n")]
    places = {(at - start + 1, column): name for (at, column), name in found.items() if start <= at < end - 1}
    return {
        (at, len(lines[at - 1][: column - 1].decode(errors="replace")) + 1): name
        for (at, column), name in places.items()
    }


def _collect(node: Any, found: dict[Place, str | None]) -> None:
    if isinstance(node, list):
        for each in node:
            _collect(each, found)
    elif isinstance(node, dict):
        _note(node, found)
        for value in node.values():
            _collect(value, found)


def _note(node: Any, found: dict[Place, str | None]) -> None:
    kind = node.get("Type")
    if kind == "CallExpr" and node.get("Args"):
        first = node["Args"][0]
        found[_place(first)] = _text(first.get("Parts", []))
    elif kind in _KEYWORDS:
        found[_place(node)] = _KEYWORDS[kind] or node["Variant"]["Value"]
    if kind == "TimeClause":
        timed = node.get("Stmt", {}).get("Cmd", {})
        while timed.get("Type") == "BinaryCmd":
            timed = timed["X"].get("Cmd", {})
        if timed.get("Type") == "CallExpr":
            timed["Type"] = "wrapped"  # `time` is a wrapper to us, and its command has no place of its own


_KEYWORDS = {"TimeClause": "time", "TestClause": "[[", "DeclClause": None, "LetClause": "let", "CoprocClause": "coproc",
             "ArithmCmd": "((", "FuncDecl": "function"}  # fmt: skip


def _place(node: Any) -> Place:
    return node["Pos"]["Line"], node["Pos"]["Col"]


def _text(parts: list[Any]) -> str | None:
    """A word as bash would decode it; None where it holds an expansion."""
    text = ""
    for part in parts:
        kind = part.get("Type")
        if kind == "Lit":
            value = part.get("Value", "")
            if set(value) & set("*?[{~"):
                return None
            text += value.replace("\\\n", "").replace("\\", "")
        elif kind == "SglQuoted" and not part.get("Dollar"):
            text += part.get("Value", "")
        elif kind == "DblQuoted" and not part.get("Dollar"):
            inner = _text(part.get("Parts", []))
            if inner is None:
                return None
            text += inner
        else:
            return None
    return text
