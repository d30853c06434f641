"""Which lines of a log look like the cause of a failure: words as data, found fast in many megabytes."""

import re
from collections.abc import Iterator

WORDS = (
    b"error",
    b"fatal",
    b"fail",
    b"exception",
    b"traceback",
    b"panic",
    b"not ok",
    b"undefined ref",
    b"cannot find",
    b"err!",
    b"segmentation fault",
    b"core dumped",
    b"out of memory",
    b"permission denied",
    b"command not found",
    b"no such file",
)
"""What is searched for first, in lower case; a line without any of them is never looked at."""

_LOOKS = re.compile(
    r"""^E\s{2,}\S                                             # pytest's own mark
      | ^\s*(?:not\ ok\b|---\ FAIL|\*\*\*\ )                   # TAP, go test, make
      | (?<![\w./\\-])(?:error|fatal|panic|panicked|exception|failed|failure|fail)\b  # no part of a path
        (?![/\\-]|\.\w|\s*[:=]\s*(?:0|no|none|false)\b)
      | \b[A-Z]\w*(?:Error|Exception)\b(?![/\\]|\.\w)
      | \btraceback\ \(
      | \bERR!
      | \berror\[
      | \bundefined\ reference\b | \bcannot\ find\b
      | \bsegmentation\ fault\b | \bcore\ dumped\b | \bout\ of\ memory\b
      | \bpermission\ denied\b | \bcommand\ not\ found\b | \bno\ such\ file\ or\ directory\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS = re.compile(r"\b(?:0|no|without|zero)\s+(?:\w+\s+)?(?:errors?|failures?|failed|fails?|exceptions?)\b", re.I)


_MARK = re.compile(r"E\s{2,}\S")
_ANY = tuple(word.decode() for word in WORDS)


def looks_wrong(line: str) -> bool:
    """Whether a line says that something failed.

    >>> looks_wrong("src/a.c:3:1: error: expected ';'"), looks_wrong("12 passed, 0 failed")
    (True, False)
    """
    low = line.lower()
    if not (any(word in low for word in _ANY) or _MARK.match(line)):
        return False
    return bool(_LOOKS.search(line)) and not _HARMLESS.search(line)


def candidates(block: bytes) -> Iterator[tuple[int, int]]:
    """Where lines of a block begin and end that hold one of the words, in order."""
    low = block.lower()  # searched word by word: one expression for all is eight times slower
    next_hit = {word: low.find(word) for word in WORDS}
    end = 0
    while True:
        hits = [at for at in next_hit.values() if at >= 0]
        if not hits:
            return
        start = block.rfind(b"\n", 0, min(hits)) + 1
        end = block.find(b"\n", min(hits))
        end = len(block) if end < 0 else end
        yield start, end
        for word, at in next_hit.items():
            if 0 <= at < end:
                next_hit[word] = low.find(word, end)


def candidates_from_end(block: bytes) -> Iterator[tuple[int, int]]:
    """The same lines, the last first."""
    low = block.lower()
    last_hit = {word: low.rfind(word) for word in WORDS}
    while (at := max(last_hit.values())) >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        yield start, len(block) if end < 0 else end
        for word, hit in last_hit.items():
            if hit >= start:
                last_hit[word] = low.rfind(word, 0, start)
