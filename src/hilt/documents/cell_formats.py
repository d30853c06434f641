"""How a spreadsheet shows a number: its format code applied, or told where that is not done.

What is shown is what a person sees in the cell: 0.125 as 12.5%, 44927 as 2023-01-01. Fractions,
conditions on negative numbers and the names of other calendars are not done: there the number
stands as it is stored.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

BUILT_IN = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);(#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
"""Codes that a file names by number alone. 14 and 22 follow the reader's country: here they are ISO dates."""

LAST_DAY = 2_958_465
"""The serial number of 9999-12-31, behind which there are no dates."""

LARGEST_POWER = 330
"""The power of ten of the largest and smallest numbers there are in cells, and a little more."""

LONGEST_NUMBER = 400
"""Characters of a number; what is longer is shown as it is stored."""

_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LEAP_MISTAKE = 60
_GENERAL_DIGITS = 15
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<half>AM/PM|A/P)|(?P<general>General)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+|b+|e+|g+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_HOURS = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CURRENCY = re.compile(r"\$([^-]*)(?:-.*)?", re.DOTALL)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[0-9]+(?:\.[0-9]+)?)")
_HOLDS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A part of a format code. `kind`: text, digits, date, elapsed, half, exponent, percent, general, at, unknown."""

    kind: str
    text: str


def shown_number(stored: str, code: str, *, from_1904: bool = False) -> str | None:
    """The number `stored` as `code` shows it; None where that is not done here, or it is no number."""
    value = _value(stored)
    if value is None:
        return None
    chosen = _section(_sections(code), value)
    if chosen is None:
        return None
    tokens, sign = chosen
    kinds = {token.kind for token in tokens}
    if "unknown" in kinds:
        return None
    if kinds & {"date", "elapsed", "half"}:
        return _moment(value, tokens, from_1904=from_1904)
    if "at" in kinds or ("general" in kinds and "digits" not in kinds):
        return sign + "".join(_general(value) if each.kind in ("at", "general") else each.text for each in tokens)
    return sign + _number(abs(value), tokens)


def general(stored: str) -> str:
    """A number without a format: 1 and not 1.0, 0.1 and not 0.1000000000000000055."""
    value = _value(stored)
    return stored if value is None else ("-" if value < 0 else "") + _general(value)


def _value(stored: str) -> Decimal | None:
    """The number written in a cell; None for what is none, or none that a spreadsheet can hold."""
    if len(stored) > LONGEST_NUMBER:
        return None
    try:
        value = Decimal(stored)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= LARGEST_POWER else None


def _general(value: Decimal) -> str:
    rounded = abs(value).normalize()
    if len(rounded.as_tuple().digits) > _GENERAL_DIGITS:
        rounded = Decimal(f"{rounded:.{_GENERAL_DIGITS - 1}e}").normalize()
    if rounded and not -10 <= rounded.adjusted() <= 20:
        return f"{rounded:E}"
    return f"{rounded:f}"


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[tuple[Token, ...], ...]:
    """The sections of a code: for positive, negative, zero, or as their conditions say."""
    sections: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            sections.append([])
            continue
        sections[-1].extend(_token(match))
    return tuple(tuple(_merged(tokens)) for tokens in sections)


def _token(match: re.Match[str]) -> Iterator[Token]:
    for name in ("quoted", "escaped"):
        if match[name] is not None:
            yield Token(kind="text", text=match[name])
    for name in ("half", "general", "exponent"):
        if match[name] is not None:
            yield Token(kind=name, text=match[name].upper())
    if match["bracket"] is not None:
        yield from _bracket(match["bracket"])
    if match["date"] is not None:
        letters = match["date"].lower()
        yield Token(kind="unknown" if letters[0] in "beg" else "date", text=letters)
    if match["other"] is not None:
        yield _other(match["other"])


def _other(text: str) -> Token:
    if text in "0#?.,":
        return Token(kind="digits", text=text)
    kinds = {"%": "percent", "@": "at"}
    return Token(kind=kinds.get(text, "text"), text=text)


def _bracket(inside: str) -> Iterator[Token]:
    """[h] counts on past a day, [$€-407] is a currency; a colour changes no text."""
    if _HOURS.fullmatch(inside):
        yield Token(kind="elapsed", text=inside.lower())
    elif inside[:1] in ("<", ">", "="):
        yield Token(kind="condition", text=inside)
    elif (currency := _CURRENCY.fullmatch(inside)) is not None:
        yield Token(kind="text", text=currency[1])


def _merged(tokens: Sequence[Token]) -> Iterator[Token]:
    """Neighbouring digits as one token; a fraction's slash between digits is not done."""
    digits = ""
    dated = any(each.kind in ("date", "elapsed") for each in tokens)
    for token in tokens:
        if token.kind == "digits":
            digits += token.text
            continue
        if token.text == "/" and token.kind == "text" and digits and not dated:
            yield Token(kind="unknown", text="/")
        if digits:
            yield Token(kind="digits", text=digits)
            digits = ""
        yield token
    if digits:
        yield Token(kind="digits", text=digits)


def _section(sections: Sequence[tuple[Token, ...]], value: Decimal) -> tuple[tuple[Token, ...], str] | None:
    """The section for this value, and the sign to write: a section of its own for negatives writes none."""
    if any(token.kind == "condition" for section in sections for token in section):
        found = _conditional(sections, value)
        return (found, "") if found is not None else None
    if value < 0 and len(sections) > 1:
        return sections[1], ""
    if value == 0 and len(sections) > 2:
        return sections[2], ""
    return sections[0], "-" if value < 0 else ""


def _conditional(sections: Sequence[tuple[Token, ...]], value: Decimal) -> tuple[Token, ...] | None:
    """The first section whose condition holds, or that has none; None where that is not known."""
    if value < 0:
        return None
    for place, section in enumerate(sections):
        asked = next((token.text for token in section if token.kind == "condition"), "")
        match = _CONDITION.fullmatch(asked.strip())
        if asked and match is None:
            return None
        negatives = not asked and place == 1 and len(sections) > 2
        if not negatives and (match is None or _HOLDS[match[1]](value, Decimal(match[2]))):
            return tuple(token for token in section if token.kind != "condition")
    return None


def _number(value: Decimal, tokens: Sequence[Token]) -> str:
    places = [place for place, token in enumerate(tokens) if token.kind == "digits"]
    value *= Decimal(100) ** sum(token.kind == "percent" for token in tokens)
    if not places:
        return "".join(token.text for token in tokens)
    if any(token.kind == "exponent" for token in tokens):
        return _scientific(value, tokens, places)
    if len(places) > 1:
        return _spread(value, tokens, places)
    return "".join(_digits(value, token.text) if token.kind == "digits" else token.text for token in tokens)


def _spread(value: Decimal, tokens: Sequence[Token], places: Sequence[int]) -> str:
    """Digits with text among them, as in 000-0000 or # ##0.00: filled away from the point."""
    if any("," in tokens[place].text for place in places):
        first = places[0]
        return "".join(
            _digits(value, token.text) if place == first else ("" if token.kind == "digits" else token.text)
            for place, token in enumerate(tokens)
        )
    whole, point, fraction = "\0".join(tokens[place].text for place in places).partition(".")
    optional = len(fraction) - len(fraction.rstrip("#?\0"))
    rounded = _rounded(value, sum(mark != "\0" for mark in fraction))
    digits, _, decimals = f"{rounded:f}".partition(".")
    least = len(decimals) - sum(mark != "\0" for mark in fraction[len(fraction) - optional :])
    decimals = decimals[:least] + decimals[least:].rstrip("0")
    filled = f"{_whole(digits, whole)}{point}{_fraction(decimals, fraction)}".split("\0")
    parts = dict(zip(places, filled, strict=True))
    return "".join(parts.get(place, token.text) for place, token in enumerate(tokens)).strip()


def _whole(digits: str, pattern: str) -> str:
    """Digits put into 0 and # from the right, what is left over going first."""
    rest = list(digits) if digits != "0" or "0" in pattern else []
    kept = [_filled(mark, rest) or ("0" if mark == "0" else "") for mark in reversed(pattern)]
    return "".join((*rest, *reversed(kept)))


def _fraction(decimals: str, pattern: str) -> str:
    """Digits put into 0 and # from the left."""
    rest = list(reversed(decimals))
    return "".join(_filled(mark, rest) for mark in pattern)


def _filled(mark: str, rest: list[str]) -> str:
    """What stands for one mark of a pattern: the border between two runs itself, else the next digit there is."""
    if mark == "\0":
        return mark
    return rest.pop() if rest else ""


def _digits(value: Decimal, pattern: str) -> str:
    """One run of 0, #, ?, comma and point."""
    whole, point, fraction = pattern.partition(".")
    scaled = len(whole) - len(whole.rstrip(",")) if not fraction else 0
    scaled += len(fraction) - len(fraction.rstrip(","))
    fraction = fraction.replace(",", "").replace(".", "")
    value = value / Decimal(1000) ** scaled
    rounded = _rounded(value, len(fraction))
    grouped = "," in whole.rstrip(",") or ("," in whole and bool(fraction) and not scaled)
    digits, _, decimals = f"{rounded:{',' if grouped else ''}f}".partition(".")
    least = whole.count("0")
    if not least and digits == "0":
        digits = ""
    digits = digits.rjust(least, "0") if not grouped else digits
    optional = len(fraction) - len(fraction.rstrip("#?"))
    while optional and decimals.endswith("0"):
        decimals, optional = decimals[:-1], optional - 1
    return f"{digits}{point if decimals or point else ''}{decimals}"


def _rounded(value: Decimal, places: int) -> Decimal:
    try:
        return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    except InvalidOperation:
        return value


def _scientific(value: Decimal, tokens: Sequence[Token], places: Sequence[int]) -> str:
    mantissa = tokens[places[0]].text
    sign = next(token.text[1] for token in tokens if token.kind == "exponent")
    power = tokens[places[-1]].text
    decimals = len(mantissa.partition(".")[2])
    step = max(len(mantissa.partition(".")[0]), 1)
    exponent = value.adjusted() // step * step if value else 0
    shown = _rounded(value.scaleb(-exponent), decimals)
    mark = "-" if exponent < 0 else ("+" if sign == "+" else "")
    return f"{shown:f}E{mark}{abs(exponent):0{max(len(power), 1)}d}"


def _moment(value: Decimal, tokens: Sequence[Token], *, from_1904: bool) -> str | None:
    if value < 0 or value > LAST_DAY:
        return None
    finest = max((len(token.text) - 1 for token in tokens if token.text.startswith(".")), default=0)
    seconds = _rounded(value * 86_400, min(finest, 3))
    # Excel knows a 29 February 1900: before it, its days are one short of the calendar's.
    short = 0 if from_1904 or not 1 <= value < _LEAP_MISTAKE else 1
    moment = (_EPOCH_1904 if from_1904 else _EPOCH) + timedelta(days=short, milliseconds=int(seconds * 1000))
    halved = any(token.kind == "half" for token in tokens)
    parts = [_moment_part(tokens, place, moment, seconds, halved=halved) for place in range(len(tokens))]
    return "".join(parts)


def _moment_part(tokens: Sequence[Token], place: int, moment: datetime, seconds: Decimal, *, halved: bool) -> str:
    token = tokens[place]
    match token.kind:
        case "half":
            mark = "AM" if moment.hour < 12 else "PM"
            return mark if token.text == "AM/PM" else mark[0]
        case "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0]]
            return f"{int(seconds) // unit:0{len(token.text)}d}"
        case "digits":
            return f".{moment.microsecond // 1000:03d}"[: len(token.text)] if token.text[0] == "." else token.text
        case "date":
            return _date_part(token.text, moment, minutes=_is_minutes(tokens, place), halved=halved)
        case _:
            return token.text


def _is_minutes(tokens: Sequence[Token], place: int) -> bool:
    """Whether m means minutes: hours stand before it, or seconds behind it."""
    timed = [each for each in tokens[:place] if each.kind in ("date", "elapsed")]
    behind = [each for each in tokens[place + 1 :] if each.kind in ("date", "elapsed")]
    return bool(timed and timed[-1].text[0] == "h") or bool(behind and behind[0].text[0] == "s")


def _date_part(letters: str, moment: datetime, *, minutes: bool, halved: bool) -> str:
    first, long = letters[0], len(letters)
    if first == "m" and minutes:
        return f"{moment.minute:0{min(long, 2)}d}"
    hour = (moment.hour % 12 or 12) if halved else moment.hour
    numbers = {"d": moment.day, "m": moment.month, "h": hour, "s": moment.second}
    if first == "y":
        return f"{moment.year:04d}" if long > 2 else f"{moment.year % 100:02d}"
    if first in "dm" and long > 2:
        name = _name(moment, first)
        return name[0] if long == 5 else (name[:3] if long == 3 else name)
    return f"{numbers[first]:0{min(long, 2)}d}"


_MONTHS = "January,February,March,April,May,June,July,August,September,October,November,December"
_DAYS = "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday"


def _name(moment: datetime, letter: str) -> str:
    names, place = (_MONTHS, moment.month - 1) if letter == "m" else (_DAYS, moment.weekday())
    return names.split(",")[place]
