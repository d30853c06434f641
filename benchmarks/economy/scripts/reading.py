"""What a model picks out of a text it was given; no script knows more than these find."""

import re


def line_of(text: str, wanted: str) -> str:
    """The first line that holds the wanted words, without the number, path or mark before it."""
    for line in text.split("\n"):
        at = line.find(wanted)
        if at >= 0:
            return line[at:].rstrip("\r")
    return ""


def whole_line(text: str, wanted: str) -> str:
    """The first line that holds the wanted words, as it stands."""
    return next((line.rstrip("\r") for line in text.split("\n") if wanted in line), "")


def setting(text: str, key: str, *, last: bool = False) -> int | None:
    """The number given to a key, in the first or last place that a text shows it."""
    found = re.findall(rf"\b{key}\b\s*=\s*(\d+)", text)
    return int(found[-1 if last else 0]) if found else None


def default_of(text: str, name: str, parameter: str) -> str:
    """`parameter=40` as it stands in the line that defines a function."""
    found = re.search(rf"def {name}\(.*?\b({parameter}\s*=\s*[^,)]+)", text)
    return found[1] if found else ""


def refused(text: str) -> bool:
    """Whether a tool said that it did not do what was asked."""
    said = (
        r"(?i)\berror\b|could not|not find|not found|no match|ambiguous|failed|invalid|occurrences|expected 1|"
        r"changed since|denied"
    )
    return re.search(said, text) is not None


def near_path(text: str, wrong: str, folder: str) -> str:
    """Another file's path in the same folder that an answer offers in place of the wrong one."""
    for found in re.findall(r"[\w./-]+\.py\b", text):
        name = found.rsplit("/", 1)[-1]
        if name != wrong.rsplit("/", 1)[-1]:
            return f"{folder}/{name}"
    return ""


def modules(text: str) -> list[str]:
    """The names of the Python files that a listing holds."""
    return re.findall(r"(\w+)\.py\b", text)


def nearest(name: str, names: list[str]) -> str:
    """The name that looks most like a misspelt one."""
    from difflib import get_close_matches

    found = get_close_matches(name, names, n=1, cutoff=0.5)
    return found[0] if found else ""


def escaped(text: str) -> str:
    """A literal text as a pattern."""
    return re.escape(text)
