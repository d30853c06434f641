"""Digests that prove what arrived: of the argument text as received, and of the value it stands for."""

import json
from hashlib import blake2b

import jiter
from pydantic_core import to_json

from hilt.calls.arguments import Values
from hilt.declarations.schema import is_array, is_object

DIGEST_BYTES = 16


def text_digest(text: str) -> str:
    """A digest of argument text, as received."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def argument_digest(text: str) -> str:
    """A digest of arguments before any tool reads them: of the value where they are one object, else of the text."""
    try:
        parsed: object = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
        return value_digest(parsed) if is_object(parsed) else text_digest(text)
    except ValueError:
        return text_digest(text)


def sent_digest(parsed: Values, text: str, of_text: str) -> str:
    """A digest of the value of one call's arguments, keys in the order they came: what a trace proves.

    A quarter of the time of `value_digest`, which what must be known again later is worth. That of
    the `text` it was read from, `of_text`, where that is how the value is written. Raises
    `ValueError` where the value holds a number that is not finite.
    """
    written = to_json(parsed)
    if b"Infinity" in written:  # a text may hold the word: only the slower writer refuses the number
        _canonical(parsed)
    if len(written) == len(text) and written == text.encode("utf-8", "surrogatepass"):
        return of_text
    return _digest(written)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False).encode


def value_digest(parsed: Values) -> str:
    """A digest of a JSON value: equal for equal values, however they were written.

    Raises `ValueError` where the value holds a number that is not finite.
    """
    canonical = _canonical(parsed)
    if ".0" in canonical or "e+" in canonical:  # as every whole float is written
        canonical = _canonical(one_number(parsed))
    return blake2b(canonical.encode(), digest_size=DIGEST_BYTES).hexdigest()


def one_number(value: object) -> object:
    """The value with whole floats as integers: 3 and 3.0 are one JSON number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: one_number(each) for key, each in value.items()}
    return [one_number(each) for each in value] if is_array(value) else value
