"""Values that look secret by the name they have: in tables, in the words of a command, in the query of an address.

`mask_secrets` knows credentials by their own form. These have none: what stands before them says what they are.
"""

import re
from collections.abc import Iterator, Sequence

from hilt.declarations.schema import is_array, is_object
from hilt.results.secrets import mask_secrets

COVER = "[hilt masked: secret]"
SHORTEST = 6
"""Characters of a value that is covered for its name alone: shorter ones stand in other words too."""
_NAME = re.compile(
    r"key|token|secret|pass(?:w|phrase|$)|pwd|credential|authori|(?:^|[_\-.])auth(?:$|[_\-.])|cookie|dsn|(?:^|_)pat$",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:file|path|dir|folder)$", re.IGNORECASE)
_GIVEN = re.compile(r"(?P<name>-{0,2}[A-Za-z][\w.\-]*)(?P<gap>=|:\s*)(?P<value>.+)", re.DOTALL)
_FLAG = re.compile(r"--?[A-Za-z][\w.\-]*")
_PLAIN = re.compile(r"[\w.\-/+=:@~%]+", re.ASCII)
_QUERY = re.compile(r"(?<=[?&])(?P<name>[^=&#\s]+)=(?P<value>[^&#\s]+)")


def named_secret(name: str, value: str) -> bool:
    """Whether a value of this name looks like a credential; what names a variable or a file is none."""
    if not value or "${" in value or value.isdigit() or _PLACE.search(name):
        return False
    return _NAME.search(name) is not None or mask_secrets(f"{name}: {value}")[1] > 0


def in_words(words: Sequence[str]) -> Iterator[str]:
    """What looks secret in a command: `--token X`, `--token=X`, `TOKEN=X`, `X-Token: X`, and in addresses."""
    for before, word in zip(("", *words), words, strict=False):
        given = _GIVEN.fullmatch(word)
        if given and named_secret(given["name"], given["value"]):
            yield given["value"]
        elif _FLAG.fullmatch(before) and not word.startswith("-") and named_secret(before, word):
            yield word
        yield from in_url(word)


def in_url(text: str) -> Iterator[str]:
    """What looks secret in the query of an address."""
    if "://" in text:
        yield from (each["value"] for each in _QUERY.finditer(text) if named_secret(each["name"], each["value"]))


def in_tree(tree: object, name: str = "") -> Iterator[str]:
    """Every text in a document that looks secret by its name, or by the word before it."""
    if is_object(tree):
        for key, value in tree.items():
            yield from in_tree(value, str(key))
    elif is_array(tree):
        texts = [each for each in tree if isinstance(each, str)]
        yield from in_words(texts)
        for each in tree:
            if not isinstance(each, str):
                yield from in_tree(each, name)
    elif isinstance(tree, str):
        if named_secret(name, tree):
            yield tree
        yield from in_url(tree)


def covered_words(words: Sequence[str]) -> list[str]:
    """A command with what looks secret covered. What a shell would read as more than one word is left to be seen."""
    secrets = [each for each in in_words(words) if _PLAIN.fullmatch(each)]
    return [_covered(each, secrets) for each in words]


def covered_url(url: str) -> str:
    """An address with what looks secret in its query covered."""
    return _covered(url, list(in_url(url)))


def _covered(text: str, secrets: Sequence[str]) -> str:
    for each in secrets:
        text = re.sub(rf"(?:(?<=[=:?&\s])|^){re.escape(each)}(?=$|[&#])", COVER, text)
    return text
