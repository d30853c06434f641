"""Who may call over HTTP: tokens, the principal behind each, and the handles of sessions issued to it.

A handle carries its own proof, made from the token it was issued to: any process that knows the tokens
can tell it, and nobody else's token makes it valid. Nothing is stored.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from secrets import token_urlsafe

from hilt.errors import ConfigError

LOCAL = "local"
"""The principal of a token that has no name."""
SHORTEST_TOKEN = 16
"""Characters of a token, at least: shorter ones can be guessed."""
MADE_BYTES = 32
"""Random bytes of a token that is made here."""
HANDLE_BYTES = 12
PROOF_CHARACTERS = 32
LONGEST_HANDLE = 200
BEARER = "bearer"
_IS_TOKEN = re.compile(r"[!-~]+").fullmatch
_IS_NAME = re.compile(r"[A-Za-z0-9][\w.@-]{0,63}").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A principal, and the secret that proves the handles of its sessions; `repr` shows the name alone."""

    principal: str
    digest: bytes = field(repr=False)
    key: bytes = field(repr=False)

    @property
    def own(self) -> str:
        """The session of this principal where a client names none."""
        return f"session_{self._proof('own')}"

    def issue(self) -> str:
        """The handle of a new session."""
        name = token_urlsafe(HANDLE_BYTES)
        return f"session_{name}.{self._proof(name)}"

    def issued(self, handle: str) -> bool:
        """Whether a handle was issued to this principal."""
        if len(handle) > LONGEST_HANDLE or not handle.isascii():
            return False
        name, dot, _ = handle.removeprefix("session_").rpartition(".")
        expected = f"session_{name}.{self._proof(name)}" if dot else self.own
        return hmac.compare_digest(expected, handle)

    def _proof(self, name: str) -> str:
        return hmac.new(self.key, name.encode(), hashlib.sha256).hexdigest()[:PROOF_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token and whose it is."""

    text: str = field(repr=False)
    principal: str = LOCAL


def made_token() -> Token:
    """A new token, which nobody can guess."""
    return Token(text=token_urlsafe(MADE_BYTES))


def read_tokens(text: str, where: str) -> tuple[Token, ...]:
    """The tokens of a file: one a line, with the name of its principal before it where there are several.

    Raises `ConfigError`, which never quotes what may be a token.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    tokens = [_token(words, f"line {number} of {where}") for number, words in lines if words and words[0][0] != "#"]
    if not tokens:
        raise ConfigError(f"{where} holds no token", "write one a line: NAME TOKEN, or a token alone")
    for kind, given in (("name", [each.principal for each in tokens]), ("token", [each.text for each in tokens])):
        if len(set(given)) < len(given):
            raise ConfigError(f"two lines of {where} have the same {kind}", "give each principal one token of its own")
    return tuple(tokens)


def _token(words: Sequence[str], place: str) -> Token:
    name, text = (words[0], words[1]) if len(words) == 2 else (LOCAL, words[0])
    if len(words) > 2 or not _IS_NAME(name):
        raise ConfigError(f"{place} is not one name and one token", "write NAME TOKEN, or a token alone")
    return checked(Token(text=text, principal=name), place)


def checked(token: Token, place: str) -> Token:
    """The token, if it can be sent and not guessed. Raises `ConfigError`."""
    if len(token.text) < SHORTEST_TOKEN or not _IS_TOKEN(token.text):
        raise ConfigError(
            f"the token in {place} is not {SHORTEST_TOKEN} or more visible ASCII characters",
            "make one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )
    return token


class Callers:
    """Everybody who has a token. `scope` is what sessions belong to beside their principal: the folders served."""

    def __init__(self, tokens: Iterable[Token], scope: str) -> None:
        self._callers = tuple(
            Caller(
                principal=each.principal,
                digest=_digest(each.text),
                key=hmac.new(each.text.encode(), f"hilt sessions of {scope}".encode(), hashlib.sha256).digest(),
            )
            for each in tokens
        )

    def of(self, authorization: str) -> Caller | None:
        """Whose token an `Authorization` header has. Every token is compared, each in constant time."""
        kind, _, given = authorization.strip().partition(" ")
        digest = _digest(given.strip())
        found = [each for each in self._callers if hmac.compare_digest(each.digest, digest)]
        return found[0] if found and kind.lower() == BEARER else None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
