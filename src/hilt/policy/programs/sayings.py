"""Programs with rules of their own that print what they are told, or what the machine says."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hilt.policy.programs.options import files_of_options, read_words, scan, table, used
from hilt.policy.programs.words import Doubt, Reader, Use, Word, doubtful, names

_NUMBER_OF_LETTERS = re.compile(r"%[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?[hlLjzt]*n")
"""`%n`, with which printf sets a variable of the shell."""
_DATE = table(
    "-uR --utc --universal --rfc-email --debug --help --version",
    text="-d --date --rfc-3339",
    read="-r --reference",
    maybe="-I --iso-8601",
    operands="text",
)
_SET = names("-e -u -x -v -eu -ex -eux -euxo -euo -eo -o -uo -ue pipefail errexit nounset xtrace +e +u +x +o")
_UNARY = names("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -n -z -o !")
_BINARY = names("= == != -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o < >")
_PS_LETTERS = frozenset("aAxufwljvhHTLcNdk")
_PS_MAY_BE_LETTERS = re.compile(r"-[A-Za-z]*[CgGopqstuU][A-Za-z]*e", re.ASCII)
_PS = table(
    "-AadefFHjlLMNTwyZcm --forest --headers --no-headers --deselect --help --version -V",
    text="-C -G -g -o -p -q -s -t -u -U --format --sort --pid --ppid --user --User --group --cols --columns "
    "--width --rows",
    maybe="--headers",
    operands="text",
)
_UNZIP = table("-lvZqt1pc", operands="read text")
_TAR = table(
    "-tvzjJa --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --wildcards --no-wildcards",
    text="--exclude --strip-components",
    read="-f --file",
    operands="text",
)
_GZIP = table("-lvtcdk --list --test --stdout --decompress --to-stdout --verbose")
_AR = table("", operands="text read")
_BC = table("-lqsw --mathlib --quiet --standard", text="-e --expression")


def _free(words: Sequence[Word]) -> Use:
    """Nothing it is told changes anything, options or not."""
    return Use()


def _printf(words: Sequence[Word]) -> Use:
    start = 2 if words[1:2] and words[1].text == "--" else 1
    form = words[start].text if start < len(words) else None
    if form is None or (start == 1 and form.startswith("-")):
        return doubtful(min(start, len(words) - 1), "printf with an option or an unknown format may set a variable")
    if _NUMBER_OF_LETTERS.search(form):
        return doubtful(start, "printf's %n sets a variable")
    return Use()


def _date(words: Sequence[Word]) -> Use:
    found = scan(_DATE, words)
    for operand in found.operands:
        if operand.word.text is None or not operand.word.text.startswith("+"):
            found.doubt(operand.at, "an operand that begins with no + sets the clock")
    return used(_DATE, found)


def _test(words: Sequence[Word]) -> Use:
    """`test` and `[`: `-v` and `-R` evaluate the name they are given."""
    closed = words[0].text == "["
    if closed and words[-1].text != "]":
        return doubtful(len(words) - 1, "the test is not closed by ]")
    inner = list(enumerate(words))[1 : -1 if closed else None]
    compared = len(inner) == 3 and inner[1][1].text in _BINARY
    for at, word in inner:
        unknown = word.text is None and not compared and (len(inner) > 2 or (len(inner) == 2 and word is inner[0][1]))
        if word.text in ("-v", "-R") or word.many or unknown:
            return doubtful(at, "what this test does is known only when it runs, or it evaluates a name")
    # A file test reads no content, so its operands are no reads.
    return Use()


def _ps(words: Sequence[Word]) -> Use:
    first = words[1].text if len(words) > 1 else ""
    if first and not first.startswith("-"):
        letters = first if set(first) <= _PS_LETTERS else ""
        if not letters:
            return doubtful(1, f"ps {first} may show the environment of other processes")
        return _ps_scanned(words, 2)
    return _ps_scanned(words, 1)


def _ps_scanned(words: Sequence[Word], start: int) -> Use:
    """Letters without a dash may follow anywhere, and what is no option with a dash is read as such letters."""
    found = scan(_PS, words, start)
    for each in found.operands:
        text = each.word.text
        if text is None or not (set(text) <= _PS_LETTERS or text.replace(",", "").isdigit()):
            found.doubt(each.at, f"ps {text or ''} may show the environment of other processes")
    for at, word in enumerate(words[start:], start):
        if _PS_MAY_BE_LETTERS.match(word.text or "-ue") or "environ" in (word.text or ""):
            found.doubt(at, "ps may read it as letters that show the environment of other processes")
    return used(_PS, found)


def _set(words: Sequence[Word]) -> Use:
    for at, word in enumerate(words[1:], 1):
        if word.text not in _SET:
            return doubtful(at, "this option or operand of set changes how what follows is read")
    return Use() if len(words) > 1 else doubtful(0, "set alone prints functions too")


def _unzip(words: Sequence[Word]) -> Use:
    found = scan(_UNZIP, words)
    if not found.names & {"-l", "-v", "-Z", "-t", "-p", "-c"}:
        found.doubt(0, "unzip without -l writes files")
    return used(_UNZIP, found)


def _tar(words: Sequence[Word]) -> Use:
    """`tar` that lists. Its first word may be a cluster without a dash; a colon would name another machine."""
    first = words[1] if len(words) > 1 else Word(text="")
    letters = first.text or ""
    if letters and not letters.startswith("-"):
        if "f" in letters[:-1]:
            return doubtful(1, "the archive's name is read in the old way, in which f comes last")
        words = [words[0], replace(first, text="-" + letters), *words[2:]]
    found = scan(_TAR, words)
    if not found.names & {"-t", "--list"}:
        found.doubt(0, "tar without -t writes files")
    for each in found.options:
        if each.value is not None and (each.value.text is None or ":" in each.value.text):
            found.doubt(each.at, "the archive may be on another machine")
    return used(_TAR, found)


def _gzip(words: Sequence[Word]) -> Use:
    found = scan(_GZIP, words)
    if not found.names & {"-l", "-t", "-c", "--list", "--test", "--stdout", "--to-stdout"}:
        found.doubt(0, "gzip without -l, -t or -c replaces files")
    return used(_GZIP, found)


def _exactly(*allowed: str) -> Reader:
    """A program that is known only with just these words."""

    def reader(words: Sequence[Word]) -> Use:
        given = " ".join(word.text if word.text is not None else "?" for word in words[1:])
        return (
            Use() if given in allowed else doubtful(0, f"{words[0].text} with these words is not known to be harmless")
        )

    return reader


def _ar(words: Sequence[Word]) -> Use:
    listing = len(words) > 1 and words[1].text in ("t", "tv")
    return (
        files_of_options(words, read_words(_AR, words)) if listing else doubtful(0, "ar without t changes or extracts")
    )


_CACHED = frozenset({"policy", "show", "search", "depends", "rdepends", "madison", "showpkg", "stats"})


def _apt_cache(words: Sequence[Word]) -> Use:
    asks = len(words) > 1 and words[1].text in _CACHED and not any((word.text or "-").startswith("-") for word in words)
    return Use() if asks else doubtful(0, "apt-cache is known only to answer questions")


def _exit(words: Sequence[Word]) -> Use:
    plain = len(words) == 1 or (len(words) == 2 and (words[1].text or "").isdigit())
    return Use() if plain else doubtful(1, "it ends the shell only with one number")


def _bc(words: Sequence[Word]) -> Use:
    return read_words(_BC, words)


SAYING_THEIR_OWN: Mapping[str, Reader] = {
    **dict.fromkeys(("echo", "true", "false", ":", "expr"), _free),
    "printf": _printf,
    "date": _date,
    "test": _test,
    "[": _test,
    "ps": _ps,
    "set": _set,
    "unzip": _unzip,
    "tar": _tar,
    "gzip": _gzip,
    **dict.fromkeys(("gunzip", "xz", "bzip2", "bunzip2", "unxz"), _gzip),
    "ar": _ar,
    "apt-cache": _apt_cache,
    "jobs": _exactly("", "-l", "-p"),
    "history": _exactly("", "5", "10", "20", "50"),
    "alias": _exactly(""),
    "hash": _exactly(""),
    "umask": _exactly("", "-S"),
    "ulimit": _exactly("-a", "-n", "-u", "-s", ""),
    "mount": _exactly("", "-l"),
    "crontab": _exactly("-l"),
    "stty": _exactly("-a", "size"),
    "tput": _exactly("cols", "lines", "colors"),
    "clear": _exactly(""),
    "top": _exactly("-b -n 1", "-bn1", "-b -n1"),
    "apt": _exactly("list --installed", "list --upgradable"),
    "shopt": _exactly("", "-p", "-s nullglob", "-s failglob"),
    "exit": _exit,
    "bc": _bc,
}


def read_test_brackets(words: Sequence[Word]) -> Use:
    """`[[ ... ]]`: only file and text tests of literal words, for its numbers are arithmetic that may run commands."""
    shape = [word.text for word in words[1:-1]]
    tests: list[list[str | None]] = [[]]
    for text in shape:
        if text in ("&&", "||"):
            tests.append([])
        else:
            tests[-1].append(text)
    if words[-1].text != "]]" or not all(map(_plain_test, tests)):
        return Use(doubts=(Doubt(at=0, reason="only file tests and comparisons of texts are known in [[ ]]"),))
    return Use()


def _plain_test(shape: list[str | None]) -> bool:
    """Whether one test asks about a file or a text; `-eq` and its like are arithmetic, which may run commands."""
    if shape[:1] == ["!"]:
        shape = shape[1:]
    unary = len(shape) == 2 and shape[0] in _UNARY - {"-v", "-R", "-o", "-a", "!"}
    return unary or (len(shape) == 3 and shape[1] in ("=", "==", "!=", "=~"))
