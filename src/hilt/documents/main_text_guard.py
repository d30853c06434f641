"""Taking the sting out of a page before it is parsed: parsers need time in the square of a tag's attributes."""

import re

MOST_WORDS = 2_000
"""Words between the angle brackets of one tag; with more, the tag is kept without its attributes."""

_TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]*+)")
_QUOTED_END = re.compile(r"""[^"'>]*+(?:"[^"]*+"[^"'>]*+|'[^']*+'[^"'>]*+)*+>""")
_LEAST = 2 * MOST_WORDS
"""Characters that so many words have at least."""


def tamed(text: str) -> str:
    """The page, with the attributes of tags that have thousands of them taken out."""
    kept: list[str] = []
    copied, start = 0, 0
    while match := _TAG.search(text, start):
        end = _QUOTED_END.match(text, match.end())
        # Without an end a quotation mark is never closed, which can be so only for the last one of its sort.
        start = end.end() if end else text.find(">", match.end()) + 1 or len(text)
        if start - match.end() > _LEAST and len(text[match.end() : start].split()) > MOST_WORDS:
            kept += [text[copied : match.start()], f"<{match[1]}>"]
            copied = start
    return "".join((*kept, text[copied:])) if kept else text
