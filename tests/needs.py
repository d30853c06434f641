"""What a test asks of the machine it runs on: a visible skip on a user's, a failure in CI."""

import importlib.util
import os
import shutil

import pytest


def need(name: str, why: str) -> None:
    """Go on only where the module or program `name` is there; `why` is read by whoever sees the skip.

    In CI (the variable `CI` is set) a missing part fails the test: a skipped proof proves nothing.
    """
    if not (shutil.which(name) or importable(name)):
        missing(f"{name} is not here: {why}")


def missing(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI it must be", pytrace=False)
    pytest.skip(reason)


def importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
