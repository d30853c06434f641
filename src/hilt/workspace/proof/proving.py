"""From a command to a `CommandFact`."""

from collections.abc import Callable, Sequence

from hilt.calls.resolver import CommandFact, PathFact, Unproved


def prove(asked: str | Sequence[str], folder: str | None, resolve: Callable[[str], PathFact]) -> CommandFact:
    """The fact for shell text, or for a program's words, started in `folder`."""
    text = asked if isinstance(asked, str) else " ".join(asked)
    return CommandFact(text=text, unproved=(Unproved(node="program", line=1, column=1, reason="not known"),))
