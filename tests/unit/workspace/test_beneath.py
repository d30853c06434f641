"""Opening beneath a folder: the kernel's way and our own walk keep the same rule."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hilt.workspace.beneath import MOST_LINKS, Confinement, confinement, open_beneath

WAYS: list[Confinement] = ["openat2", "walk"]


@pytest.fixture
def top(tmp_path: Path) -> Iterator[int]:
    folder = tmp_path / "top"
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "f").write_bytes(b"f")
    (folder / "sub" / "g").write_bytes(b"g")
    (tmp_path / "outside").write_bytes(b"outside")
    for name, target in {
        "in": "f",
        "up": "sub/../f",
        "chain": "in",
        "folder": "sub",
        "dot": ".",
        "rel": "../outside",
        "abs": "/etc/passwd",
        "self": str(folder / "f"),
        "magic": "/proc/self/root",
        "loop": "loop",
        "sub/back": "../f",
        "sub/out": "../../outside",
    }.items():
        (folder / name).symlink_to(target)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def opened(top: int, path: str, way: Confinement, *, follow: bool = True) -> bytes | int:
    """The first bytes of the file, or the number of the error."""
    if way == "openat2" and confinement() != "openat2":
        pytest.skip("this kernel has no openat2")
    try:
        descriptor = open_beneath(top, path, os.O_RDONLY, follow=follow, how=way)
    except OSError as error:
        return error.errno or 0
    try:
        return os.read(descriptor, 10)
    except IsADirectoryError:
        return b"<folder>"
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("f", b"f"),
        ("./f", b"f"),
        ("sub/g", b"g"),
        ("sub/../f", b"f"),
        ("sub/deep/../../f", b"f"),
        ("in", b"f"),
        ("up", b"f"),
        ("chain", b"f"),
        ("folder/g", b"g"),
        ("folder/../f", b"f"),
        ("dot/f", b"f"),
        ("sub/back", b"f"),
        ("", b"<folder>"),
        (".", b"<folder>"),
        ("sub/..", b"<folder>"),
        ("sub/", b"<folder>"),
        ("..", errno.EXDEV),
        ("../top/f", errno.EXDEV),
        ("sub/../../outside", errno.EXDEV),
        ("rel", errno.EXDEV),
        ("abs", errno.EXDEV),
        ("self", errno.EXDEV),
        ("magic/etc/passwd", errno.EXDEV),
        ("sub/out", errno.EXDEV),
        ("loop", errno.ELOOP),
        ("missing", errno.ENOENT),
        ("missing/x", errno.ENOENT),
        ("f/x", errno.ENOTDIR),
    ],
)
def test_a_path_opens_inside_or_not_at_all(top: int, way: Confinement, path: str, expected: bytes | int) -> None:
    assert opened(top, path, way) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", ["in", "folder/g", "abs", "rel", "loop"])
def test_without_following_every_link_ends_it(top: int, way: Confinement, path: str) -> None:
    assert opened(top, path, way, follow=False) == errno.ELOOP


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", ["self/root/etc/passwd", "self/cwd", "self/fd/0", "self/exe"])
def test_a_magic_link_of_proc_is_never_followed(way: Confinement, path: str) -> None:
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    try:
        assert opened(proc, path, way) in (errno.ELOOP, errno.EXDEV, errno.ENOENT)
    finally:
        os.close(proc)


@pytest.mark.parametrize("way", WAYS)
def test_links_are_followed_only_so_far(top: int, tmp_path: Path, way: Confinement) -> None:
    last = "f"
    for number in range(MOST_LINKS + 1):
        (tmp_path / "top" / f"l{number}").symlink_to(last)
        last = f"l{number}"

    assert opened(top, last, way) == errno.ELOOP
    assert opened(top, f"l{MOST_LINKS - 1}", way) == b"f"
