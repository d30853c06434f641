"""The failure of a call that needs what is not installed."""

from hilt.results.failures import EnvironmentFailure


def missing_extra(what: str) -> EnvironmentFailure:
    """The failure for want of the extra `web`."""
    return EnvironmentFailure(
        f"{what} needs the extra hilt[web], which is not installed",
        "tell the person: uv pip install 'hilt[web]'",
    )
