r"""Text shown so that no character in it is invisible: a tab as `\t`, a no-break space as `\u00a0`."""

import unicodedata

_NAMED = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
_SELECTORS = range(0xFE00, 0xFE10)
"""Marks that choose how the character before them looks, in emoji above all, and show nothing themselves."""
_CALLED = {"\t": "a tab", "\r": "a carriage return", "\n": "a line feed", "\\": "a backslash"}
_ELLIPSIS = "..."


def made_visible(text: str) -> str:
    r"""Every invisible character but plain spaces between others as its escape; spaces at the end too.

    >>> print(made_visible("\ta\u00a0b  "))
    \ta\u00a0b\x20\x20
    """
    bare = text.rstrip(" ")
    shown = bare if bare.isprintable() and bare.isascii() else "".join(map(_shown, bare))
    return shown + "\\x20" * (len(text) - len(bare))


def clipped(text: str, most: int) -> str:
    """At most `most` characters of a text, with dots where it was cut."""
    return text if len(text) <= most else f"{text[: most - len(_ELLIPSIS)]}{_ELLIPSIS}"


def called(character: str) -> str:
    r"""What a character is called: `a tab`, `U+0430 CYRILLIC SMALL LETTER A`; of a byte that is no text its number."""
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"the byte \\x{number - 0xDC00:02x}"
    return _CALLED.get(character) or f"U+{number:04X} {unicodedata.name(character, 'without a name')}"


def _shown(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if character == " " or (unicodedata.category(character) not in _UNSEEN and number not in _SELECTORS):
        return character
    return f"\\x{number:02x}" if number <= 0x1F else f"\\u{number:04x}"
