"""Paths: what is inside stays reachable by every spelling, what is outside is refused however it is reached."""

import os
import shutil
import socket
import threading
import time
from pathlib import Path

import anyio
import pytest

from hilt.calls.resolver import PathFact
from hilt.errors import ConfigError
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused
from hilt.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"inside\n")
    (folder / "sub").mkdir()
    (tmp_path / "secret.txt").write_bytes(b"outside\n")
    return folder


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace([root])


async def content(workspace: Workspace, path: str | Path, allowed: PathFact | None = None) -> bytes:
    with anyio.fail_after(5):
        async with workspace.open(str(path), allowed=allowed) as file:
            return await file.read_at(0, 1000)


async def test_a_file_is_read_by_its_absolute_path(workspace: Workspace, root: Path) -> None:
    assert await content(workspace, root / "a.txt") == b"inside\n"


async def test_a_root_that_is_a_link_is_reached_by_both_spellings(tmp_path: Path, root: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)

    for given in (link, root):
        workspace = Workspace([given])
        assert workspace.roots == (root,)
        assert await content(workspace, link / "a.txt") == b"inside\n"
        assert await content(workspace, root / "a.txt") == b"inside\n"
        assert workspace.path(str(link / "a.txt")).inside
        assert workspace.path(str(root / "a.txt")).inside


@pytest.mark.parametrize("target", ["a.txt", "sub/../a.txt", "../root/a.txt", "{root}/a.txt"])
async def test_a_link_that_stays_inside_works(workspace: Workspace, root: Path, target: str) -> None:
    (root / "link").symlink_to(target.format(root=root))

    assert await content(workspace, root / "link") == b"inside\n"
    assert workspace.path(str(root / "link")).real == str(root / "a.txt")


@pytest.mark.parametrize(
    "target", ["../secret.txt", "{root}/../secret.txt", "sub/../../secret.txt", "/proc/self/root{root}/../secret.txt"]
)
async def test_a_link_that_leads_out_is_refused_with_the_roots_and_what_to_do(
    workspace: Workspace, root: Path, target: str
) -> None:
    (root / "link").symlink_to(target.format(root=root))

    with pytest.raises(Refused) as caught:
        await content(workspace, root / "link")

    assert (caught.value.by, caught.value.rule) == ("rule", "outside-roots")
    assert f"outside the workspace (root {root})" in caught.value.reason
    assert caught.value.next_steps[0] == f"give a path below the root {root}"
    assert not workspace.path(str(root / "link")).inside


@pytest.mark.parametrize(
    "path", ["{root}/../secret.txt", "{root}/../missing", "/etc/passwd", "/", "{root}2/a.txt", "/dev/zero"]
)
async def test_a_path_outside_is_refused_whether_it_exists_or_not(workspace: Workspace, root: Path, path: str) -> None:
    with pytest.raises(Refused):
        await content(workspace, path.format(root=root))

    assert not workspace.path(path.format(root=root)).inside


async def test_a_folder_that_is_a_link_out_is_refused_and_one_inside_works(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    (root / "in").symlink_to(root / "sub")
    (root / "sub" / "b").write_bytes(b"b")

    assert await content(workspace, root / "in" / "b") == b"b"
    with pytest.raises(Refused):
        await content(workspace, root / "out" / "secret.txt")


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("a.txt", "is not absolute"),
        ("", "is not absolute"),
        ("/a\0b", "holds a NUL character"),
        ("/a\ud800", "holds half a surrogate pair, which no file name can"),
    ],
    ids=["relative", "empty", "nul", "surrogate"],
)
async def test_a_text_that_is_no_absolute_path_is_invalid_and_never_inside(
    workspace: Workspace, root: Path, path: str, wrong: str
) -> None:
    with pytest.raises(InvalidArguments, match=wrong) as caught:
        await content(workspace, path)

    meant = root / "a.txt" if path == "a.txt" else root
    assert caught.value.next_steps == (f'give an absolute path, for example "{meant}"',)
    fact = workspace.path(path)
    assert fact.instead == str(meant)
    assert (fact.inside, fact.why) == (False, wrong.removeprefix("is "))


async def test_a_missing_file_names_the_nearest(workspace: Workspace, root: Path) -> None:
    (root / "application.py").touch()

    with pytest.raises(EnvironmentFailure) as caught:
        await content(workspace, root / "aplication.py")

    assert caught.value.problem == f"{root}/aplication.py does not exist; {root} has application.py"
    assert caught.value.next_steps == (f'give the path "{root}/application.py"',)


async def test_a_missing_folder_on_the_way_is_named_and_the_rest_of_the_path_kept(
    workspace: Workspace, root: Path
) -> None:
    (root / "source").mkdir()

    with pytest.raises(EnvironmentFailure) as caught:
        await content(workspace, root / "sorce" / "deep" / "x.py")

    assert caught.value.next_steps == (f'give the path "{root}/source/deep/x.py"',)


async def test_with_nothing_near_the_failure_says_what_is_there(workspace: Workspace, root: Path) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        await content(workspace, root / "zzzzzz")

    assert caught.value.next_steps == (f"give a path that exists; {root} holds a.txt, sub",)


@pytest.mark.parametrize(
    ("asked", "on_disk", "points"),
    [
        ("shot v 1.png", "shot v\u00a01.png", "U+0020 SPACE was asked, U+00A0 NO-BREAK SPACE exists"),
        (
            "Absch\u00e4tzung.txt",
            "Abscha\u0308tzung.txt",
            "U+0061 LATIN SMALL LETTER A U+0308 COMBINING DIAERESIS exists",
        ),
        ("it's.md", "it\u2019s.md", "U+2019 RIGHT SINGLE QUOTATION MARK exists"),
        ("a\u2013b", "a-b", "U+2013 EN DASH was asked, U+002D HYPHEN-MINUS exists"),
        ("report.txt", "rep\u200bort.txt", "nothing was asked, U+200B ZERO WIDTH SPACE exists"),
    ],
    ids=["space", "accent", "quote", "dash", "invisible"],
)
async def test_a_look_alike_name_is_told_by_its_code_points_and_not_opened(
    workspace: Workspace, root: Path, asked: str, on_disk: str, points: str
) -> None:
    (root / on_disk).write_bytes(b"x")

    with pytest.raises(EnvironmentFailure) as caught:
        await content(workspace, root / asked)

    assert points in caught.value.problem
    escaped = on_disk.encode("ascii", "backslashreplace").decode().replace("\\xa0", "\\u00a0")
    assert caught.value.next_steps == (f'give the path "{root}/{escaped}"',)


async def test_a_name_that_no_argument_can_spell_is_not_offered_as_one(workspace: Workspace, root: Path) -> None:
    (root / os.fsdecode(b"caf\xe9.txt")).touch()

    with pytest.raises(EnvironmentFailure) as caught:
        await content(workspace, root / "caf\\xe9.txt")

    assert ", but a name with bytes that are not UTF-8 fits in no argument" in caught.value.problem
    assert caught.value.next_steps[0] == "ask the person to rename it"


async def test_a_path_longer_than_any_may_be_is_told_from_a_name_too_long(workspace: Workspace, root: Path) -> None:
    with pytest.raises(InvalidArguments, match="is longer than a path may be"):
        await content(workspace, root / ("folder/" * 1_000))


async def test_a_workspace_that_is_gone_is_named(workspace: Workspace, root: Path) -> None:
    shutil.rmtree(root)

    for path in (root, root / "a.txt", root / "folder" / "b.txt"):
        with pytest.raises(EnvironmentFailure, match="is gone: its folder was moved or deleted"):
            await content(workspace, path)


async def test_a_dangling_link_says_where_it_leads(workspace: Workspace, root: Path) -> None:
    (root / "dangling").symlink_to("sub/gone")

    with pytest.raises(EnvironmentFailure, match=f"it leads to {root}/sub/gone"):
        await content(workspace, root / "dangling")

    assert workspace.path(str(root / "dangling")).kind == "missing"


async def test_a_loop_of_links_ends(workspace: Workspace, root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")

    with pytest.raises(EnvironmentFailure, match="form a loop"):
        await content(workspace, root / "one")

    fact = workspace.path(str(root / "one"))
    assert (fact.kind, fact.why) == ("missing", "its links form a loop")


async def test_a_path_that_goes_on_below_a_file_says_so(workspace: Workspace, root: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="is a file, not a folder"):
        await content(workspace, root / "a.txt" / "x")


async def test_a_name_too_long_is_a_wrong_argument(workspace: Workspace, root: Path) -> None:
    with pytest.raises(InvalidArguments, match="longer than the file system allows"):
        await content(workspace, root / ("x" * 300))

    assert workspace.path(str(root / ("x" * 300))).kind == "missing"


async def test_a_pipe_and_a_socket_are_refused_at_once_and_not_touched(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        for name, kind in (("pipe", "a named pipe"), ("socket", "a socket")):
            with pytest.raises(EnvironmentFailure, match=f"is {kind}, not a file"):
                await content(workspace, root / name)
            assert workspace.path(str(root / name)).kind == "special"

    writer_is_still_alone = pytest.raises(OSError, match="No such device")
    with writer_is_still_alone:
        os.close(os.open(root / "pipe", os.O_WRONLY | os.O_NONBLOCK))


async def test_a_device_inside_a_root_is_refused() -> None:
    with pytest.raises(EnvironmentFailure, match="is a device, not a file"):
        await content(Workspace([Path("/dev")]), "/dev/zero")


async def test_a_folder_is_no_file_and_a_file_is_no_folder(workspace: Workspace, root: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="is a folder, not a file"):
        await content(workspace, root / "sub")
    with pytest.raises(EnvironmentFailure, match="is a file, not a folder"):
        await workspace.list_folder(str(root / "a.txt"))


async def test_a_file_of_the_kernel_that_states_no_size_is_read() -> None:
    workspace = Workspace([Path("/proc")])

    async with workspace.open("/proc/self/status") as file:
        assert file.size == 0
        assert (await file.read_at(0, 100)).startswith(b"Name:")
    assert workspace.path("/proc/self/status").kind == "special"


async def test_what_policy_allowed_is_what_is_opened(workspace: Workspace, root: Path) -> None:
    link = root / "link"
    link.symlink_to("a.txt")
    allowed = workspace.path(str(link))
    (root / "other").write_bytes(b"other\n")

    assert await content(workspace, link, allowed) == b"inside\n"
    link.unlink()
    link.symlink_to("other")
    with pytest.raises(Refused) as caught:
        await content(workspace, link, allowed)

    assert caught.value.rule == "path-changed"


async def test_two_roots_may_link_to_each_other(tmp_path: Path, root: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "b.txt").write_bytes(b"second\n")
    (root / "across").symlink_to(second / "b.txt")

    assert await content(Workspace([root, second]), root / "across") == b"second\n"


async def test_no_race_of_links_opens_a_file_outside(workspace: Workspace, root: Path) -> None:
    inside, outside = root / "sub", root.parent / "outer"
    outside.mkdir()
    (inside / "f").write_bytes(b"in")
    (outside / "f").write_bytes(b"out")
    swapped, spare = root / "swapped", root / "spare"
    done = threading.Event()

    def flip() -> None:
        turn = 0
        while not done.is_set():
            spare.symlink_to((inside, outside)[turn % 2])
            spare.replace(swapped)
            turn += 1

    swapped.symlink_to(inside)
    thread = threading.Thread(target=flip)
    thread.start()
    seen: set[bytes] = set()
    end = time.monotonic() + 1
    try:
        while time.monotonic() < end:
            try:
                seen.add(await content(workspace, swapped / "f"))
            except (Refused, EnvironmentFailure):
                continue
    finally:
        done.set()
        thread.join()

    assert seen == {b"in"}


async def test_a_folder_is_listed_with_kinds_and_links(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to("/etc")
    (root / "gone").symlink_to("nowhere")

    entries = {entry.name: (entry.kind, entry.link) for entry in await workspace.list_folder(str(root))}

    assert entries == {
        "a.txt": ("file", False),
        "gone": ("missing", True),
        "out": ("folder", True),
        "sub": ("folder", False),
    }


def test_a_path_is_shown_from_its_root_on_one_line(workspace: Workspace, root: Path) -> None:
    assert workspace.display(root / "sub" / "x.py") == "sub/x.py"
    assert workspace.display(root) == "."
    assert workspace.display("/etc/passwd") == "/etc/passwd"
    assert workspace.display(f"{root}/two\nlines\udcff") == "two\\x0alines\\xff"


@pytest.mark.parametrize("roots", [[], ["missing"], ["root/a.txt"]], ids=["none", "missing", "file"])
def test_a_workspace_without_a_folder_is_the_hosts_mistake(tmp_path: Path, root: Path, roots: list[str]) -> None:
    with pytest.raises(ConfigError):
        Workspace([tmp_path / name for name in roots])


async def test_no_descriptor_is_left_open(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "out").symlink_to("/etc/passwd")
    before = open_descriptors()

    for name in ("a.txt", "pipe", "out", "missing", "sub"):
        try:
            await content(workspace, root / name)
        except (Refused, EnvironmentFailure):
            continue
    await workspace.list_folder(str(root))

    assert open_descriptors() == before


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
