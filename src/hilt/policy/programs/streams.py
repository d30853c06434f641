"""sed, awk and jq: programs with a language of their own, proved where their text can only print."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import Scan, scan, table, used
from hilt.policy.programs.words import Doubt, Reader, Use, Word

_SED = table(
    "-nErsuz --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug "
    "--sandbox --help --version",
    text="-e --expression -l --line-length",
    operands="text read",
    instead=frozenset({"-e", "--expression"}),
)
_SED_IN_PLACE = table(maybe="-i --in-place", more=_SED)
_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]{0,2})"
_RANGE = re.compile(rf"\s*(?:{_ADDRESS}(?:\s*,\s*(?:{_ADDRESS}|[+~]\d+))?)?\s*!?\s*")
_PLAIN = re.compile(r"(?:[=dDgGhHnNpPxz]|[qQ]\s*\d*|l\s*\d*|[btT]\s*[A-Za-z_]\w*|[btT]|:[A-Za-z_]\w*)\s*(?=[;}\n]|$)")
_BRACE = re.compile(r"[{}]\s*")
_BETWEEN = re.compile(r"[;\s]*")
_FLAGS = re.compile(r"[gpiImM0-9]*\s*(?=[;}\n]|$)")
_DELIMITERS = frozenset("/|,#@!:%_+~^=")

_AWK = table("", text="-F -v --field-separator --assign", operands="text read")
_RUNS = re.compile(r"system|getline|close|fflush|ARGV|ARGC|SYMTAB|@|\bextension\b|/inet")
_IN_BRACKETS = re.compile(r"\([^\"/()]*$")

_JQ = table(
    "-cnrRsSeajMC --compact-output --null-input --raw-output --raw-input --slurp --sort-keys "
    "--exit-status --ascii-output "
    "--join-output --monochrome-output --color-output --tab --seq --stream --unbuffered --raw-output0 "
    "--stream-errors "
    "-h --help -V --version",
    text="--indent",
    operands="text read",
)
_IMPORTS = re.compile(r"\b(?:import|include)\b")
_JQ_PAIRS = frozenset({"--arg", "--argjson", "--rawfile", "--slurpfile"})


def _sed(words: Sequence[Word]) -> Use:
    found = scan(_SED_IN_PLACE, words)
    scripts = [(each.value, each.at) for each in found.options if each.name in ("-e", "--expression")]
    files = [each.word for each in found.operands]
    if not scripts and found.operands:
        scripts, files = [(found.operands[0].word, found.operands[0].at)], files[1:]
    for script, at in scripts:
        why = _wrong_in_sed(script.text if script else None)
        if why:
            found.doubt(at, why)
    use = used(_SED_IN_PLACE, found)
    if found.names & {"-i", "--in-place"}:
        return _in_place(use, found, files)
    return use


def _in_place(use: Use, found: Scan, files: list[Word]) -> Use:
    """`-i` puts a new file in the place of each, links too."""
    unknown = [
        Doubt(at=0, reason="which file it changes is known only when it runs") for each in files if each.text is None
    ]
    unknown += [
        Doubt(at=each.at, reason="a suffix makes one more file")
        for each in found.options
        if each.name in ("-i", "--in-place") and each.value
    ]
    return replace(use, writes=tuple(files), renamed=tuple(files), doubts=(*use.doubts, *unknown))


def _wrong_in_sed(script: str | None) -> str:
    """Why a sed script is not known merely to print; empty where it is."""
    if script is None:
        return "the script of sed is known only when it runs"
    at = 0
    while at < len(script):
        at = _end(_BETWEEN, script, at)
        at = _end(_RANGE, script, at)
        if at >= len(script):
            break
        end = _one_command(script, at)
        if end is None:
            return f"sed's {script[at : at + 12]!r} is no command known merely to print"
        at = end
    return ""


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _one_command(script: str, at: int) -> int | None:
    """The place behind one sed command that cannot write or run; None for any other."""
    if found := _BRACE.match(script, at) or _PLAIN.match(script, at):
        return found.end()
    if script[at] in "sy" and at + 1 < len(script) and script[at + 1] in _DELIMITERS:
        return _replacement(script, at)
    return None


def _replacement(script: str, at: int) -> int | None:
    mark, place, left = script[at + 1], at + 2, 2
    while left:
        if place >= len(script) or script[place] == "\n":
            return None
        if script[place] == "\\":
            place += 1
        elif script[place] == mark:
            left -= 1
        place += 1
    found = _FLAGS.match(script, place)
    return found.end() if found else None


def _awk(words: Sequence[Word]) -> Use:
    found = scan(_AWK, words)
    if found.operands:
        first, *files = found.operands
        why = _wrong_in_awk(first.word.text)
        if why:
            found.doubt(first.at, why)
        for each in files:
            if (each.word.text or each.word.start).startswith("/inet"):
                found.doubt(each.at, "awk takes this for an address")
    return used(_AWK, found)


def _wrong_in_awk(program: str | None) -> str:
    """Why an awk program is not known merely to print; empty where it is.

    Nothing is parsed: a word that could run or open something counts wherever it stands, in a text too.
    """
    if program is None:
        return "the program of awk is known only when it runs"
    if found := _RUNS.search(program):
        return f"awk's {found[0]} may run or open something"
    pipes = [at for at, letter in enumerate(program.replace("||", "  ")) if letter == "|"]
    if any("print" in program and "{" in program[:at] for at in pipes):
        return "awk's | may run a command"
    if ">" in program and "#" in program:
        return "a comment of awk may hide what its > does"
    if any(_redirects(program, at) for at, letter in enumerate(program) if letter == ">"):
        return "awk's > may write a file"
    return ""


def _redirects(program: str, at: int) -> bool:
    """Whether a `>` may be one of print: not in a pattern, not within brackets, not where nothing prints."""
    before = program[:at]
    if "print" not in program or "{" not in before or program[at + 1 : at + 2] == "=":
        return False
    return _IN_BRACKETS.search(before) is None


def _jq(words: Sequence[Word]) -> Use:
    rest: list[Word] = [words[0]]
    doubts: list[Doubt] = []
    reads: list[Word] = []
    at = 1
    while at < len(words):
        if words[at].text in _JQ_PAIRS:
            pair = words[at + 1 : at + 3]
            if len(pair) < 2 or any(word.many for word in pair):
                doubts.append(Doubt(at=at, reason="its two values are not settled"))
            elif words[at].text in ("--rawfile", "--slurpfile"):
                reads.append(pair[1])
            at += 3
            continue
        if words[at].text in ("--args", "--jsonargs"):  # options are read behind it too
            at += 1
            continue
        rest.append(words[at])
        at += 1
    found = scan(_JQ, rest)
    unknown = any(each.word.text is None for each in found.operands[:1])
    if unknown or any(_IMPORTS.search(word.text or "") for word in rest):
        doubts.append(Doubt(at=0, reason="its program may import files, or is known only when it runs"))
    use = used(_JQ, found)
    return replace(use, reads=(*use.reads, *reads), doubts=(*use.doubts, *doubts))


STREAMS: Mapping[str, Reader] = {
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "jq": _jq,
}
