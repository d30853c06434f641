"""The official filesystem, git and fetch servers: no search in files, no commands, no documents."""

import re
from types import SimpleNamespace as Told

from economy.scripts import reading, shell
from economy.talk import Talk

PAGES = 12
"""Pages of a web page at most, before a model gives up."""


async def read_function(talk: Talk, told: Told) -> None:
    await talk("read_text_file", path=told.path)


async def wrong_path(talk: Talk, told: Told) -> None:
    await talk("read_text_file", path=told.path)
    folder = told.path.rsplit("/", 1)[0]
    listed = await talk("list_directory", path=folder)
    near = reading.nearest(told.name, reading.modules(listed))
    await talk("read_text_file", path=f"{folder}/{near}.py")


async def edit_one(talk: Talk, told: Told) -> None:
    said = await talk("read_text_file", path=told.path)
    old = reading.line_of(said, f"def {told.name}(")
    now = reading.default_of(said, told.name, told.parameter)
    edit = {"oldText": old, "newText": old.replace(now, f"{told.parameter}={told.wanted}")}
    await talk("edit_file", path=told.path, edits=[edit])


async def edit_several(talk: Talk, told: Told) -> None:
    said = await talk("read_text_file", path=told.path)
    edits = []
    for key, value in told.wanted.items():
        old = reading.line_of(said, key)
        old = old[: re.search(r"=\s*\d+", old).end()]
        edits.append({"oldText": old, "newText": re.sub(r"\d+$", str(value), old)})
    await talk("edit_file", path=told.path, edits=edits)


async def edit_stale(talk: Talk, told: Told) -> None:
    value = reading.setting(await talk("read_text_file", path=told.path), told.key)
    talk.elsewhere()
    said = await _doubled(talk, told, value)
    if reading.refused(said):
        await _doubled(talk, told, reading.setting(await talk("read_text_file", path=told.path), told.key))


async def _doubled(talk: Talk, told: Told, value: int) -> str:
    edit = {"oldText": f"{told.key} = {value}", "newText": f"{told.key} = {value * 2}"}
    return await talk("edit_file", path=told.path, edits=[edit])


async def edit_ambiguous(talk: Talk, told: Told) -> None:
    """It changes the first place it finds, without a word; so a careful model reads first."""
    shown = await talk("read_text_file", path=told.path, head=told.line)
    above = shown.rstrip("\n").split("\n")[told.line - 2]
    edit = {"oldText": f"{above}\n{told.old}", "newText": f"{above}\n{told.new}"}
    await talk("edit_file", path=told.path, edits=[edit])


async def create_file(talk: Talk, told: Told) -> None:
    await talk("create_directory", path=told.path.rsplit("/", 1)[0])
    await talk("write_file", path=told.path, content=told.content)


async def git_status(talk: Talk, told: Told) -> None:
    await talk("git_status", repo_path=told.root)


async def git_commit(talk: Talk, told: Told) -> None:
    await talk("git_add", repo_path=told.root, files=[told.path])
    await talk("git_commit", repo_path=told.root, message=told.message)


async def git_last_change(talk: Talk, told: Told) -> None:
    await talk("git_show", repo_path=told.root, revision="HEAD")


async def page_section(talk: Talk, told: Told) -> None:
    start = 0
    for _ in range(PAGES):
        said = await talk("fetch", url=told.url, **({"start_index": start} if start else {}))
        more = re.search(r"start_index of (\d+)", said)
        after = re.search(rf"^#+ {told.heading}\b[\s\S]*?^#+ ", said, re.MULTILINE)
        if after or not more:
            return
        start = int(more[1])


async def tasks(talk: Talk, told: Told) -> None:
    await talk("write_file", path=told.file, content=shell.task_list(told.titles))
    marks = dict.fromkeys(told.titles, "pending")
    for updates in told.rounds:
        edits = []
        for title, state in updates:
            old, new = shell.MARKS[marks[title]], shell.MARKS[state]
            edits.append({"oldText": f"[{old}] {title}", "newText": f"[{new}] {title}"})
            marks[title] = state
        await talk("edit_file", path=told.file, edits=edits)
