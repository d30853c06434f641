"""How many files one call would touch is counted before it runs, and a person hears of many."""

from pathlib import Path

from hilt.calls.resolver import CommandFact
from hilt.declarations.effects import Deed, Effects
from hilt.policy.facts import Facts
from hilt.review.extent import ExtentReviewer
from hilt.review.reviewer import View
from hilt.workspace import Workspace


def folder_of(tmp_path: Path, files: int) -> Path:
    folder = tmp_path / "many" / "deep"
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"{number}.txt").write_text("x")
    (tmp_path / "many" / "link").symlink_to(tmp_path)
    return tmp_path / "many"


def view(world: Workspace, *paths: Path, deed: Deed = "write", writes: tuple[Path, ...] = ()) -> View:
    facts = Facts(
        tool="remove",
        effects=Effects(does=frozenset({deed})),
        paths=tuple(world.path(str(path)) for path in paths),
        commands=(CommandFact(text="rm", writes=tuple(world.path(str(path)) for path in writes)),) if writes else (),
    )
    return View(tool="remove", arguments={}, facts=facts)


async def test_a_folder_of_more_files_than_may_be_touched_is_escalated_with_the_first_of_them(tmp_path: Path) -> None:
    folder, world = folder_of(tmp_path, 10), Workspace([tmp_path])

    verdict = await ExtentReviewer(workspace=world, most=9).review(view(world, folder))

    assert verdict.word == "escalate"
    assert "more than 9 files" in verdict.reason
    assert "many/" in verdict.reason
    assert verdict.suggestion


async def test_as_many_as_may_be_touched_are_let_through_and_a_link_is_not_followed(tmp_path: Path) -> None:
    folder, world = folder_of(tmp_path, 10), Workspace([tmp_path])

    assert (await ExtentReviewer(workspace=world, most=11).review(view(world, folder))).word == "approve"
    assert (await ExtentReviewer(workspace=world).review(View(tool="x", arguments={}))).word == "approve"


async def test_many_named_files_count_and_so_does_what_a_command_provably_writes_to(tmp_path: Path) -> None:
    folder, world = folder_of(tmp_path, 10), Workspace([tmp_path])
    files = sorted((folder / "deep").iterdir())
    reviewer = ExtentReviewer(workspace=world, most=5)

    assert (await reviewer.review(view(world, *files))).word == "escalate"
    assert (await reviewer.review(view(world, deed="run", writes=(folder,)))).word == "escalate"
    assert (await reviewer.review(view(world, folder, deed="run", writes=(files[0],)))).word == "approve"
