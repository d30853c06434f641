"""Well-known credentials in text, replaced before the text is kept or shown.

Only forms that name themselves are replaced: a published prefix, a header, a PEM block, a
password inside a URL. A bare password is not recognised, nor is text in UTF-16 or base64.
"""

import re
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 16_384
"""Of a longer credential only so many characters are replaced."""

LOOKBACK: Final = 2
"""How many characters before a credential decide whether it is one."""

# What stands before: not a letter, digit or part of a name; or an escape such as \n in JSON text.
_START = r"(?:(?<![A-Za-z0-9_\-])|(?<=\\[nrtbf]))"
_END = r"(?![A-Za-z0-9_\-])"
_GAP = r"(?:\s|\\[nrt]){1,16}+"
# A name for a password, or the words documentation writes in its place.
_PLACEHOLDER = r"(?![$<{*\[]|%[(s]|(?i:pass(?:word|wd)?|pwd|secret|your\w{1,20}|x{3,20})@)"


@dataclass(frozen=True, slots=True)
class Credential:
    """One form: what it is called, the literals it starts with, its pattern from there.

    The group `secret`, where there is one, is what is replaced; otherwise all of the match.
    """

    name: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]


def _credential(name: str, literals: str, pattern: str, *, free: bool = False) -> Credential:
    """`literals` is separated by spaces; `free` patterns may begin inside a word."""
    bounded = pattern if free else _START + pattern + _END
    return Credential(name, tuple(literals.split(" ")), re.compile(bounded, re.ASCII))


_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_GAP}[A-Za-z-]{{4,20}}: [^\n\\]{{0,200}}+){{0,4}}+"
    rf"(?:{_GAP}[A-Za-z0-9+/=]{{24,2048}}+){{1,150}}+"
    rf"(?:(?:{_GAP}[A-Za-z0-9+/=]{{1,23}}+)?+(?:{_GAP})?+-----END [A-Z0-9 ]{{1,50}}+-----)?"
)

CREDENTIALS: Final = (
    _credential("private key", "-----BEGIN", _PEM, free=True),
    _credential("aws access key", "AKIA ASIA", r"A[KS]IA[A-Z2-7]{16}"),
    _credential(
        "aws secret key",
        "aws_secret_access_key AWS_SECRET_ACCESS_KEY SecretAccessKey",
        r"""\w{15,21}\\?["']?\s{0,4}+[:=]\s{0,4}+\\?["']?(?P<secret>[A-Za-z0-9/+]{40})(?![/+=])""",
    ),
    _credential("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}+"),
    _credential("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,255}+"),
    _credential("gitlab token", "glpat-", r"glpat-[A-Za-z0-9_\-.]{20,100}+"),
    _credential("slack token", "xox", r"xox[abeoprs]-(?=[a-z-]{0,8}\d)[A-Za-z0-9-]{10,250}+"),
    _credential("slack token", "xapp-", r"xapp-\d-[A-Z0-9]{8,20}-\d{8,20}-[a-f0-9]{32,128}+"),
    _credential("anthropic key", "sk-ant-", r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_\-]{32,256}+"),
    _credential("openrouter key", "sk-or-", r"sk-or-v1-[a-f0-9]{64}"),
    _credential("openai key", "sk-", r"sk-(?:proj|svcacct|admin|None)-(?=[a-zA-Z_-]{0,99}\d)[\w\-]{32,256}+"),
    _credential("openai key", "sk-", r"sk-(?=[a-zA-Z]{0,63}\d)[A-Za-z0-9]{32,64}+"),
    _credential("google api key", "AIza", r"AIza[A-Za-z0-9_\-]{35}"),
    _credential("stripe key", "sk_live_ rk_live_", r"[sr]k_live_[A-Za-z0-9]{20,247}+"),
    _credential("npm token", "npm_", r"npm_(?=[A-Za-z]{0,35}\d)[A-Za-z0-9]{36}"),
    _credential("pypi token", "pypi-", r"pypi-AgE[A-Za-z0-9_\-]{50,400}+"),
    _credential("hugging face token", "hf_", r"hf_(?=[a-z]{0,34}[A-Z0-9])[A-Za-z0-9]{34}"),
    _credential(
        "json web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_\-]{10,2048}+\.eyJ[A-Za-z0-9_\-]{6,8192}+\.[A-Za-z0-9_\-]{16,2048}+",
    ),
    _credential(
        "authorization",
        "Authorization authorization AUTHORIZATION",
        r"""\w{13}\\?["']?\s{0,4}+[:=,]\s{0,4}+\\?["']?(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER)\s{1,4}+"""
        r"""(?P<secret>(?=[A-Za-z._~+/\-]{0,199}\d)[A-Za-z0-9._~+/\-]{12,8192}+=*+)""",
        free=True,
    ),
    _credential(
        "password",
        "://",
        rf"""://[^\s/:@"'<>\\?#]{{0,128}}+:(?P<secret>{_PLACEHOLDER}[^\s/@"'<>\\?#]{{1,256}}+)@(?=[\w\[])""",
        free=True,
    ),
)


def mask_secrets(text: str) -> tuple[str, int]:
    """The text with each credential replaced by `[hilt masked: NAME]`, and how many there were.

    Takes time linear in the text. Masking what is masked already changes nothing.

    >>> mask_secrets("git clone https://ann:hunter2@example.com/a.git")
    ('git clone https://ann:[hilt masked: password]@example.com/a.git', 1)
    """
    spans = _spans(text, 0)
    if not spans:
        return text, 0
    return "".join(_replaced(text, spans, 0, len(text))), len(spans)


def overwritten(text: str) -> str:
    """The text with each credential covered by as many characters, so that every place in it stays what it was.

    >>> overwritten("git clone https://ann:hunter2@example.com/a.git")
    'git clone https://ann:*******@example.com/a.git'
    """
    parts: list[str] = []
    at = 0
    for span in _spans(text, 0):
        length = span.secret_end - span.secret_start
        cover = f"[hilt masked: {span.name}]"
        parts += (text[at : span.secret_start], cover.ljust(length, "*") if len(cover) <= length else "*" * length)
        at = span.secret_end
    return "".join([*parts, text[at:]])


class SecretMasker:
    """`mask_secrets` for text that comes in pieces: the pieces put together come out the same.

    It holds back up to `LONGEST` characters, so a credential across two pieces is found.
    """

    def __init__(self) -> None:
        self.count = 0
        self._buffer = ""
        self._seen: int = 0

    def feed(self, piece: str) -> str:
        """What of the text so far can be given out."""
        self._buffer += piece
        if len(self._buffer) - self._seen < 2 * LONGEST:
            return ""
        return self._give(len(self._buffer) - LONGEST - LOOKBACK)

    def finish(self) -> str:
        """The rest. The masker is then as new, but for `count`."""
        rest = self._give(len(self._buffer))
        self._buffer, self._seen = "", 0
        return rest

    def _give(self, cut: int) -> str:
        """Give out the text up to `cut`, and any credential that begins before it whole."""
        spans = [span for span in _spans(self._buffer, self._seen) if span.start < cut]
        end = max([cut, *(span.end for span in spans)])
        given = "".join(_replaced(self._buffer, spans, self._seen, end))
        self.count += len(spans)
        keep = max(end - LOOKBACK, 0)
        self._buffer, self._seen = self._buffer[keep:], end - keep
        return given


@dataclass(frozen=True, slots=True, order=True)
class _Span:
    """A credential from `start` to `end`, of which `secret_start` to `secret_end` is replaced."""

    start: int
    negative_end: int
    secret_start: int
    secret_end: int
    name: str

    @property
    def end(self) -> int:
        return -self.negative_end


def _spans(text: str, start: int) -> list[_Span]:
    """Credentials from `start` on, in order; of those that overlap the first, and then the longest.

    A literal is looked for before its pattern is tried, for `str.find` is a hundred times faster.
    """
    found = [
        span
        for credential in CREDENTIALS
        for literal in credential.literals
        for span in _found(credential, literal, text, start)
    ]
    found.sort()
    chosen: list[_Span] = []
    for span in found:
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
    return chosen


def _found(credential: Credential, literal: str, text: str, start: int) -> list[_Span]:
    spans: list[_Span] = []
    at = text.find(literal, start)
    while at >= 0:
        match = credential.pattern.match(text, at, at + LONGEST)
        if match is not None:
            group = "secret" if "secret" in credential.pattern.groupindex else 0
            spans.append(_Span(at, -match.end(), *match.span(group), credential.name))
        at = text.find(literal, at + 1)
    return spans


def _replaced(text: str, spans: list[_Span], start: int, end: int) -> list[str]:
    parts: list[str] = []
    at = start
    for span in spans:
        parts += (text[at : span.secret_start], f"[hilt masked: {span.name}]")
        at = span.secret_end
    parts.append(text[at:end])
    return parts
