"""A file that others replace over and over, as every atomic save does, is opened and never taken for a moved link."""

from pathlib import Path
from threading import Event, Thread

from hilt.results.failures import Refused
from hilt.workspace import Workspace

OPENINGS = 3_000


async def test_a_file_that_is_replaced_all_the_time_is_opened_each_time_under_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    world = Workspace([tmp_path])
    allowed = world.path(str(path))
    done = Event()

    def replace() -> None:
        while not done.is_set():
            (tmp_path / "b.txt").write_text("new")
            (tmp_path / "b.txt").rename(path)

    other = Thread(target=replace)
    other.start()
    names: set[str] = set()
    refused = 0
    try:
        for _ in range(OPENINGS):
            try:
                async with world.open(str(path), allowed=allowed) as file:
                    names.add(file.real)
            except Refused:
                refused += 1
    finally:
        done.set()
        other.join()

    assert (names, refused) == ({str(path)}, 0)
