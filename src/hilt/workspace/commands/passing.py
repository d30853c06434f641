"""What no process can be given, or not unaltered: said before anybody is asked about it."""

from collections.abc import Iterator

from hilt.declarations.checks import Arguments, Check
from hilt.declarations.schema import is_array
from hilt.workspace.commands.shell import LONGEST_COMMAND


def passable(name: str) -> tuple[Check, Check]:
    """The words given as `name`, a text or a list of them, are such that a program gets them as they are."""
    return (
        Check(
            path=name,
            broken=lambda arguments: _unlike_text(name, arguments),
            next_step="leave the character out; printf writes NUL as \\0",
        ),
        Check(
            path=name,
            broken=lambda arguments: _too_long(name, arguments),
            next_step="write the text to a file first, and let the command read that",
        ),
    )


def _texts(name: str, arguments: Arguments) -> Iterator[str]:
    given = arguments.get(name)
    yield from (each for each in (given if is_array(given) else (given,)) if isinstance(each, str))


def _unlike_text(name: str, arguments: Arguments) -> str | None:
    for text in _texts(name, arguments):
        if "\0" in text:
            return f"{name} without NUL characters, which no argument of a program can hold"
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            return f"{name} without half surrogate pairs, which are no text"
    return None


def _too_long(name: str, arguments: Arguments) -> str | None:
    longest = max((len(text.encode("utf-8", "surrogatepass")) for text in _texts(name, arguments)), default=0)
    if longest <= LONGEST_COMMAND:
        return None
    return f"at most {LONGEST_COMMAND:,} bytes in one argument of a program, not {longest:,}"
