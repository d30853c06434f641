"""Programs that run another with its words: each with the options understood, so that what they run can be judged.

A wrapper that is listed without options is looked through for rules, and never proved.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hilt.policy.programs.options import Table, scan, table
from hilt.policy.programs.words import Doubt, Use, Word, doubtful, names

Judge = Callable[[Sequence[Word]], Use]

HARMLESS_VARIABLES = names(
    "CI NODE_ENV LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME LANG LANGUAGE TZ NO_COLOR "
    "FORCE_COLOR CLICOLOR "
    "CLICOLOR_FORCE COLUMNS LINES TERM DEBIAN_FRONTEND PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED "
    "RUST_BACKTRACE RUST_LOG GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GOOS GOARCH GOMAXPROCS CGO_ENABLED "
    "RAILS_ENV RACK_ENV "
    "FLASK_ENV APP_ENV DJANGO_DEBUG DEBUG VERBOSE LOG_LEVEL PORT SOURCE_DATE_EPOCH "
    "OMP_NUM_THREADS CUDA_VISIBLE_DEVICES TOKENIZERS_PARALLELISM NEXT_TELEMETRY_DISABLED DO_NOT_TRACK "
    "JEST_WORKERS TESTING"
)
"""Variables that change how something is shown or built, and never what runs or which files are read."""
HARMLESS_VALUE = re.compile(r"[\w.,:=@+%* -]*|[A-Za-z_]+/[\w/+-]+", re.ASCII)
"""What may be given to them: no path, from which a locale would be read; a time zone is none."""
NO_OPTIONS = Table()
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """Its options, how many words stand between them and the command, and why it is never proved, if so."""

    options: Table = NO_OPTIONS
    before: int = 0
    why: str = ""
    assigns: bool = False
    writes: str = ""


def _wrapper(flags: str = "", *, text: str = "", maybe: str = "", **more: object) -> Wrapper:
    return replace(Wrapper(options=table(flags, text=text, maybe=maybe, first=True)), **more)


def _only(why: str, *, text: str = "", before: int = 0) -> Wrapper:
    return _wrapper(text=text, before=before, why=why)


_OTHER_RIGHTS = "it runs a command with other rights"
_ELSEWHERE = "it runs a command in another environment"
WRAPPERS: Mapping[str, Wrapper] = {
    "env": _wrapper("-i0v --ignore-environment --null --debug", text="-u --unset", assigns=True),
    "nice": _wrapper(text="-n --adjustment", maybe=""),
    "ionice": _wrapper("-t", text="-c -n"),
    "timeout": _wrapper("-v --preserve-status --foreground --verbose", text="-k -s --kill-after --signal", before=1),
    "nohup": _wrapper(writes="nohup.out"),
    "stdbuf": _wrapper(text="-i -o -e --input --output --error"),
    "setsid": _wrapper("-cfw --ctty --fork --wait"),
    "time": _wrapper("-p"),
    "command": _wrapper("-p"),
    "builtin": _wrapper(),
    "exec": _only("it replaces the shell", text="-a"),
    "sudo": _only(_OTHER_RIGHTS, text="-u -g -h -p -C -r -t -T -U -D --user --group"),
    "doas": _only(_OTHER_RIGHTS, text="-u -C"),
    "su": _only(_OTHER_RIGHTS),
    "runuser": _only(_OTHER_RIGHTS, text="-u -g"),
    "chroot": _only(_ELSEWHERE, before=1),
    "unshare": _only(_ELSEWHERE),
    "nsenter": _only(_ELSEWHERE, text="-t"),
    "bwrap": _only(_ELSEWHERE),
    "ssh": _only("it runs a command on another machine", text="-o -F -i -l -p -J -L -R -D", before=1),
    "flock": _only("it runs a command under a lock, and makes the lock's file", text="-w -E", before=1),
    "watch": _only("it runs a command again and again through a shell", text="-n --interval"),
    "strace": _only("it runs a command and may write files", text="-o -e -p -s"),
    "ltrace": _only("it runs a command and may write files", text="-o -e -p -s"),
    "gdb": _only("it runs a command"),
    "script": _only("it runs a command and writes a file"),
    "parallel": _only("it runs commands made from its input", text="-j"),
    "busybox": _only("which of its programs it runs is not looked at"),
    "toybox": _only("which of its programs it runs is not looked at"),
    "entr": _only("it runs a command when files change"),
    "taskset": _only("it runs a command", before=1),
    "chrt": _only("it runs a command", before=1),
    "trap": _only("it runs a command later"),
    "coproc": _only("it runs a command beside the rest"),
    "noglob": _only("it is no program of bash"),
}


def peel(words: Sequence[Word], judge: Judge) -> Use:
    """What a wrapped command would do; its words are among `inner`."""
    known = WRAPPERS[words[0].text or ""]
    found = scan(known.options, words)
    start = found.operands[0].at if found.operands else len(words)
    doubts = list(found.doubts)
    start = _past_assignments(words, start, doubts) if known.assigns else start
    between = range(start, min(start + known.before, len(words)))
    doubts += [Doubt(at=at, reason="it is known only when it runs") for at in between if words[at].text is None]
    start += known.before
    if known.why:
        doubts.append(Doubt(at=0, reason=known.why))
    if start >= len(words):
        empty = () if known.assigns and not known.why else (Doubt(at=0, reason="which command it runs is not found"),)
        return Use(doubts=(*doubts, *empty))
    return _around(words, start, judge, doubts, known)


def _around(words: Sequence[Word], start: int, judge: Judge, doubts: list[Doubt], known: Wrapper) -> Use:
    command = tuple(words[start:])
    use = judge(command)
    moved = tuple(Doubt(at=start + each.at, reason=each.reason) for each in use.doubts)
    writes = (*use.writes, *((Word(text=known.writes, dashed=False),) if known.writes else ()))
    return replace(
        use,
        doubts=(*doubts, *moved),
        inner=(command, *use.inner),
        writes=writes,
        driver=use.driver if not doubts else "",
    )


def harmless_assignment(name: str, value: str | None) -> bool:
    """Whether a variable changes nothing that runs."""
    return name in HARMLESS_VARIABLES and value is not None and HARMLESS_VALUE.fullmatch(value) is not None


def _past_assignments(words: Sequence[Word], at: int, doubts: list[Doubt]) -> int:
    while at < len(words):
        text = words[at].text
        found = ASSIGNMENT.fullmatch(text) if text is not None else None
        if found is None:
            return at
        if not harmless_assignment(found[1], found[2]):
            doubts.append(Doubt(at=at, reason=f"the variable {found[1]} may change what runs"))
        at += 1
    return at


_XARGS = table(
    "-0rtx --null --no-run-if-empty --verbose --exit",
    text="-n -L -P -s -d -I -a --max-args --max-procs --max-chars --delimiter",
    maybe="--max-lines --replace",
    first=True,
)


def peel_xargs(words: Sequence[Word], judge: Judge, *, given: Word) -> Use:
    """`xargs`: the command gets words from the input, of which `given` says what is known."""
    found = scan(_XARGS, words)
    start = found.operands[0].at if found.operands else len(words)
    doubts = list(found.doubts)
    if found.names & {"-a"}:
        doubts.append(Doubt(at=0, reason="the words come from a file"))
    parted = found.value("-d") or found.value("--delimiter")
    if parted is not None and parted.text not in ("\\n", "\\0", "\n"):
        given = Word()  # parts of names are no names
    place = found.value("-I") or found.value("--replace")
    if place is None and "--replace" in found.names:
        place = Word(text="{}")
    command = tuple(words[start:]) or (Word(text="echo", dashed=False),)
    whole = (
        (*command, replace(given, many=True))
        if place is None
        else tuple(_put(word, place.text, given) for word in command)
    )
    use = judge(whole)
    if use.writes or use.repositories:
        doubts.append(Doubt(at=start, reason="which files it changes is known only when it runs"))
    moved = tuple(Doubt(at=min(start + each.at, len(words) - 1), reason=each.reason) for each in use.doubts)
    nul = bool(found.names & {"-0", "--null"})
    return replace(use, doubts=(*doubts, *moved), inner=(command, *use.inner), driver="", whole=nul)


def _put(word: Word, place: str | None, taken: Word) -> Word:
    if place is None:
        return Word()
    if word.text == place:
        return taken
    return Word() if word.text is not None and place in word.text else word


def peel_shell(words: Sequence[Word]) -> Use:
    """`bash -c TEXT`: never proved, for only one level of shell is looked at; its text is handed on."""
    for at, word in enumerate(words[1:], 1):
        text = word.text or ""
        if text.startswith("-") and not text.startswith("--") and text.endswith("c"):
            script = words[at + 1] if at + 1 < len(words) else None
            return Use(doubts=(Doubt(at=0, reason="it runs text as a script"),), script=script)
        if not text.startswith("-"):
            break
    return doubtful(0, "it runs a script, or its input as one")


def peel_eval(words: Sequence[Word]) -> Use:
    """`eval TEXT...`."""
    texts = [word.text for word in words[1:]]
    script = Word(text=" ".join(text for text in texts if text is not None)) if None not in texts else None
    return Use(doubts=(Doubt(at=0, reason="it runs its words as a script"),), script=script)
