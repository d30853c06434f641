"""What is remembered of a file comes back as it was, and what is not understood counts as nothing."""

import json

import pytest

from hilt.workspace.handles import FileVersion
from hilt.workspace.known import Known, Part, form, read

VERSION = FileVersion(device=1, inode=2, size=3, mtime_ns=4, ctime_ns=1 << 62)
LATER = FileVersion(device=1, inode=9, size=3, mtime_ns=5, ctime_ns=6)


@pytest.mark.parametrize(
    "known",
    [
        Known(version=VERSION, at=7),
        Known(version=VERSION, at=7, digest="ab", told=LATER),
        Known(version=VERSION, at=7, part=Part(offset=1, size=2, digest="cd"), whole=False),
    ],
)
def test_what_is_known_comes_back_as_it_was(known: Known) -> None:
    assert read(json.loads(json.dumps(form(known)))) == known


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "text",
        {},
        {"version": [1, 2, 3], "at": 1},
        {"version": [1, 2, 3, 4, "5"], "at": 1},
        {"version": [1, 2, 3, 4, 5], "at": "1"},
        {"version": [1, 2, 3, 4, 5], "at": 1, "digest": 5},
    ],
)
def test_what_is_not_understood_is_nothing(value: object) -> None:
    assert read(value) is None


def test_a_part_in_another_form_is_none() -> None:
    assert read({"version": [1, 2, 3, 4, 5], "at": 1, "part": ["x"], "told": 5}) == Known(
        version=FileVersion(device=1, inode=2, size=3, mtime_ns=4, ctime_ns=5), at=1
    )
