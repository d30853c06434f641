"""Characters that Word writes as a number in a font of signs: Greek letters and units, ticks and boxes."""

_LETTERS = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SYMBOL = {
    **{ord("a") + place: letter for place, letter in enumerate(_LETTERS)},
    **{ord("A") + place: letter for place, letter in enumerate(_CAPITALS)},
    0xA3: "≤",
    0xA5: "∞",
    0xAE: "→",
    0xB0: "°",
    0xB1: "±",
    0xB3: "≥",
    0xB4: "\N{MULTIPLICATION SIGN}",
    0xB7: "•",
    0xB9: "≠",
    0xBB: "≈",
    0xD6: "√",
    0xE5: "∑",
}
_WINGDINGS = {0x6F: "□", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xE0: "→", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_PRIVATE = 0xF000
"""Fonts of signs have their characters from here on, which no one else reads as the same."""


def symbol(font: str, code: str) -> str:
    """The character that a font shows for a number in hexadecimal, or font and number where it is not known."""
    try:
        number = int(code, 16)
    except ValueError:
        return f"[symbol {font} {code}]"
    known = _FONTS.get(font.lower(), {}).get(number - _PRIVATE if number >= _PRIVATE else number)
    if known or number >= _PRIVATE or font.lower() in _FONTS:
        return known or f"[symbol {font} {code}]"
    return chr(number) if chr(number).isprintable() else f"[symbol {font} {code}]"
