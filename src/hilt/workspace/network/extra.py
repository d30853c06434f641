"""The extra `web`: whether it is there, and the failure of a call that needs it."""

from importlib.util import find_spec

from hilt.results.failures import EnvironmentFailure

MODULES = ("httpcore2", "protego", "trafilatura")
"""What a fetched page needs. Other packages bring some of it, so that one alone says nothing of the rest."""


def require_web(what: str) -> None:
    """Raises EnvironmentFailure where a part of the extra is missing, before anything is sent."""
    if any(find_spec(module) is None for module in MODULES):
        raise missing_extra(what)


def missing_extra(what: str) -> EnvironmentFailure:
    """The failure for want of the extra `web`."""
    return EnvironmentFailure(
        f"{what} needs the extra hilt[web], which is not installed",
        "tell the person: uv pip install 'hilt[web]'",
    )
