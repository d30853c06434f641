"""The classes of host mistakes. Each says what was asked, what exists, and what to do next."""


class HiltError(Exception):
    """A mistake of the host program, worded for the person who can mend it.

    `problem` says what was asked and what exists; `next_steps` are commands or edits possible now.

    >>> str(HiltError("no tool is named 'grep'", "register it, or call search_code"))
    "no tool is named 'grep'; register it, or call search_code"
    """

    def __init__(self, problem: str, *next_steps: str) -> None:
        super().__init__("; ".join((problem, *next_steps)))
        self.problem = problem
        self.next_steps = next_steps


class DeclarationError(HiltError):
    """A tool was refused when it was registered; the message names the fix."""


class MissingPart(HiltError):
    """A tool asked `ctx.part(X)` and assembly provided no X; names the extra or the config key."""


class MissingExtra(HiltError):
    """An optional dependency is missing; the next step is the install command."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra hilt[{extra}]", f"uv pip install 'hilt[{extra}]'")
        self.extra = extra


class ConfigError(HiltError):
    """A configuration file or value cannot be used; exit code 2 on the command line."""


class StoreError(HiltError):
    """State cannot be read or kept."""


class StoreLocked(StoreError):
    """Another process held the store longer than the store waits; the same act may work later."""


class StoreFull(StoreError):
    """The disk or quota under the store is full; nothing was written."""


class StoreNewer(StoreError):
    """A later version of Hilt wrote the store; this one neither reads nor changes it."""


class WireError(HiltError):
    """A provider's message is not in the form the provider publishes."""


class EndpointError(HiltError):
    """A model endpoint could not be reached, or answered with an error or without what was required."""
