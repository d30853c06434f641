"""Which lines of a log look like the cause of a failure: words as data, found fast in many megabytes."""

import re
from collections.abc import Iterator

WORDS = (b"error", b"fatal", b"fail", b"exception", b"traceback", b"panic", b"not ok", b"undefined ref", b"cannot find")
"""What is searched for first, in lower case; a line without any of them is never looked at."""

_LOOKS = re.compile(
    r"""^E\s{2,}\S                                             # pytest's own mark
      | ^\s*(?:not\ ok\b|---\ FAIL|\*\*\*\ )                   # TAP, go test, make
      | \b(?:error|fatal|panic|panicked|exception|failed|failure|fail)\b(?!\s*[:=]\s*(?:0|no|none|false)\b)
      | \b[A-Z]\w*(?:Error|Exception)\b
      | \btraceback\ \(
      | \bERR!
      | \berror\[
      | \bundefined\ reference\b | \bcannot\ find\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS = re.compile(r"\b(?:0|no|without|zero)\s+(?:\w+\s+)?(?:errors?|failures?|failed|fails?|exceptions?)\b", re.I)


def looks_wrong(line: str) -> bool:
    """Whether a line says that something failed.

    >>> looks_wrong("src/a.c:3:1: error: expected ';'"), looks_wrong("12 passed, 0 failed")
    (True, False)
    """
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
