"""What an upstream's words say of an error: whether a success is one in truth, and what kind a failure is.

Servers answer `Error: ...` as a success, or say why they failed in words alone. Both are claims: words of
somebody else, read by a small table of forms.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hilt.declarations.schema import is_object
from hilt.results.failures import FailureKind, Outcome

ErrorClaims = Literal["report", "fail", "ignore"]
"""What a success counts as whose words say error: one with a note, a failure, or just a success."""

LONGEST_CLAIM = 2_000
"""Characters of a text that may be an error's words; what is longer is content, whatever it begins with."""
LONGEST_QUOTE = 80
"""Characters of a claim that are quoted."""
LONGEST_JSON = 20_000
"""Characters of a JSON text that is looked into."""

_OPENINGS = re.compile(
    r"""\W{0,4}\s*(?:
        (?:fatal\ )?(?:mcp\ ?)?err(?:or)?s?\b\s*(?:[:\]\-(]|\d{3}\b|(?:calling|executing|running|fetching|occurred|while|in|from|code)\b)
      | [A-Z]\w*(?:Error|Exception)\b\s*[:(]
      | an?\ (?:\w+\ )?(?:error|exception)\ (?:has\ )?occurred
      | (?:exception|failure|fatal|failed|unauthorized|forbidden|denied)\b\s*[:\-]
      | traceback\ \(most\ recent\ call\ last\)
      | failed\ (?:to\b|with\b|because\b)
      | (?:unable\ to|could\ not|couldn't|cannot|can't)\ \w+
      | invalid\ (?:argument|parameter|input|request|params)
      | (?:request|api|tool|query|command|operation|connection|authentication|validation)(?:\ call)?\ (?:failed|error|timed\ out)
      | (?:http(?:\ status)?(?:\ error)?|status(?:\ code)?)[\s:]*[45]\d\d\b
      | [45]\d\d\ (?:bad\ request|unauthorized|forbidden|not\ found|too\ many\ requests|internal|client\ error|server\ error)
      | (?:rate\ limit\ exceeded|too\ many\ requests|permission\ denied|access\ denied|not\ found\b\s*[:.]?$)
      | (?:错误|失败|出错|无法|请求失败|エラー)
    )""",  # noqa: E501  # one alternative a line is how it reads best
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_ERROR = frozenset({"error", "failed", "failure", "fail"})


def claim_of(texts: Sequence[str], structured: object = None) -> str:
    """The words by which a success says that it is an error, cut to a quote; "" where none do.

    >>> claim_of(["Error: no such issue"]), claim_of(["2 errors were fixed"])
    ('Error: no such issue', '')
    """
    said = _in_object(structured)
    if said:
        return _quote(said)
    first = next((text.strip() for text in texts if text.strip()), "")
    if first[:1] == "{" and len(first) <= LONGEST_JSON:
        try:
            return _quote(_in_object(json.loads(first)))
        except (ValueError, RecursionError):
            return ""
    return _quote(first) if len(first) <= LONGEST_CLAIM and _OPENINGS.match(first) else ""


def _in_object(value: object) -> str:
    """What an object says of an error in its own fields."""
    if not is_object(value):
        return ""
    error = value.get("error")
    if error and error is not True:
        return _words(error)
    flagged = error is True or value.get("isError") is True
    denied = any(value.get(key) is False for key in ("success", "ok"))
    status = value.get("status")
    bad = isinstance(status, str) and status.lower() in _SAYS_ERROR
    if flagged or denied or bad:
        return _words(value.get("message") or value.get("detail") or value.get("errors") or value)
    return ""


def _words(value: object) -> str:
    if is_object(value) and isinstance(message := value.get("message"), str):
        return message
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an error's words are taken to mean: its class, when to try again, and what is known of the deed."""

    kind: FailureKind
    retry_after_s: float | None = None
    outcome: Outcome | None = None


def reading_of(words: str) -> Reading:
    """The class of a failure by its words; `environment` where they show nothing.

    >>> reading_of("429 Too Many Requests, retry after 30 seconds").retry_after_s
    30.0
    """
    text = words[:LONGEST_CLAIM]
    if _BAD_ARGUMENTS.search(text):
        return Reading(kind=FailureKind.INVALID_ARGUMENTS)
    if _BUSY.search(text):
        return Reading(kind=FailureKind.RETRYABLE, retry_after_s=_seconds(text))
    if _TIMED_OUT.search(text):
        return Reading(kind=FailureKind.RETRYABLE, retry_after_s=_seconds(text), outcome=Outcome.UNKNOWN)
    if _WORLD.search(text):
        return Reading(kind=FailureKind.ENVIRONMENT)
    if _BAD_VALUES.search(text):
        return Reading(kind=FailureKind.INVALID_ARGUMENTS)
    return Reading(kind=FailureKind.ENVIRONMENT)


def _seconds(text: str) -> float | None:
    found = _AFTER.search(text)
    if found is None:
        return None
    unit = (found[2] or "s").lower()
    scale = 0.001 if unit.startswith(("ms", "milli")) else 60.0 if unit.startswith("m") else 1.0
    return float(found[1]) * scale


def _table(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


_BAD_ARGUMENTS = _table(
    r"-32602",
    r"\bvalidation[ _]?errors?\b",
    r"\bvalidation failed\b",
    r"\binvalid[ _]?(?:arguments?|params?|parameters?|input|type|enum value|literal)\b",
    r"\bmissing (?:a )?required\b",
    r"\b(?:argument|parameter|field|property|input)\b[^.\n]{0,60}\bis required\b",
    r"\brequired (?:property|parameter|argument|field)\b",
    r"\bunexpected keyword\b|\bunrecognized keys?\b",
    r"\bnot of type\b|\binvalid_type\b|\binput should be\b",
)
_BUSY = _table(
    r"\brate[ -]?limit",
    r"\btoo many requests\b",
    r"\bquota exceeded\b",
    r"\b(?:429|503)\b",
    r"\b(?:service|server|temporarily) (?:is )?(?:unavailable|overloaded|busy)\b|\boverloaded\b",
    r"\b(?:try|retry)(?:ing)? (?:again )?(?:later|in a (?:moment|while|few)|after|in \d)",
    r"\bresource temporarily\b|\bEAGAIN\b|\bEBUSY\b|\bdatabase is locked\b|\block wait\b",
)
_TIMED_OUT = _table(
    r"\btimed?[ -]?out\b",
    r"\btimeout\b",
    r"\b(?:502|504)\b",
    r"\bECONNRESET\b|\bETIMEDOUT\b|\bconnection (?:was )?reset\b|\bdeadline exceeded\b",
)
_WORLD = _table(
    r"\bnot found\b|\bno such\b|\bdoes(?: not|n't) exist\b|\bENOENT\b|\b(?:401|403|404|410)\b",
    r"\bunauthori[sz]ed\b|\bforbidden\b|\bpermission denied\b|\baccess denied\b|\bEACCES\b|\bECONNREFUSED\b",
)
_BAD_VALUES = _table(
    r"\b(?:400|422)\b",
    r"\bbad request\b|\bunprocessable\b",
    r"\bmust (?:not )?(?:be|have|match|contain|start|end)\b",
    r"\bexpected\b[^.\n]{1,80}\b(?:got|received|but)\b",
    r"\binvalid\b|\bmalformed\b|\bout of range\b",
)
_AFTER = re.compile(
    r"(?:retry|try)[ _-]?(?:again[ _-]?)?(?:after|in)['\"]?\s*[:=]?\s*(\d+(?:\.\d+)?)\s*"
    r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)?\b",
    re.IGNORECASE,
)
