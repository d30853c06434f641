"""pi: read, bash, edit, write."""

import re
from types import SimpleNamespace as Told

from economy.scripts import reading, shell
from economy.talk import Talk

TRUNCATED = r"\[Showing lines .*? of (\d+)"


async def find_definition(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.find_definition(told))


async def list_users(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.list_users(told))


async def read_function(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.read_function(told))


async def read_log_deep(talk: Talk, told: Told) -> None:
    await talk("read", path=told.path, offset=told.first, limit=told.last - told.first + 1)


async def broad_search(talk: Talk, told: Told) -> None:
    said = await talk("bash", command=shell.broad_search(told))
    if "Full output" in said and not re.search(TRUNCATED, said):
        await talk("bash", command=shell.broad_count(told))


async def search_none(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.search_none(told))


async def search_bad_regex(talk: Talk, told: Told) -> None:
    said = await talk("bash", command=f"grep -rn '{told.text}' --include=*.py .")
    if reading.refused(said) or "Unmatched" in said:
        await talk("bash", command=shell.fixed_text(told))


async def wrong_path(talk: Talk, told: Told) -> None:
    await talk("read", path=told.path)
    folder = told.path.rsplit("/", 1)[0]
    listed = await talk("bash", command=f"ls {folder}")
    near = reading.nearest(told.name, reading.modules(listed))
    await talk("read", path=f"{folder}/{near}.py")


async def edit_one(talk: Talk, told: Told) -> None:
    said = await talk("bash", command=f"grep -n 'def {told.name}\\b' {told.path}")
    old = reading.line_of(said, f"def {told.name}(")
    now = reading.default_of(said, told.name, told.parameter)
    edit = {"oldText": old, "newText": old.replace(now, f"{told.parameter}={told.wanted}")}
    await talk("edit", path=told.path, edits=[edit])


async def edit_several(talk: Talk, told: Told) -> None:
    said = await talk("read", path=told.path)
    edits = []
    for key, value in told.wanted.items():
        old = reading.line_of(said, key)
        old = old[: re.search(r"=\s*\d+", old).end()]
        edits.append({"oldText": old, "newText": re.sub(r"\d+$", str(value), old)})
    await talk("edit", path=told.path, edits=edits)


async def edit_many(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.edit_many(told))


async def edit_stale(talk: Talk, told: Told) -> None:
    value = reading.setting(await talk("read", path=told.path), told.key)
    talk.elsewhere()
    said = await _doubled(talk, told, value)
    if reading.refused(said):
        await _doubled(talk, told, reading.setting(await talk("read", path=told.path), told.key))


async def _doubled(talk: Talk, told: Told, value: int) -> str:
    edit = {"oldText": f"{told.key} = {value}", "newText": f"{told.key} = {value * 2}"}
    return await talk("edit", path=told.path, edits=[edit])


async def edit_ambiguous(talk: Talk, told: Told) -> None:
    said = await talk("edit", path=told.path, edits=[{"oldText": told.old, "newText": told.new}])
    if reading.refused(said):
        above = (await talk("read", path=told.path, offset=told.line - 1, limit=1)).split("\n")[0]
        edit = {"oldText": f"{above}\n{told.old}", "newText": f"{above}\n{told.new}"}
        await talk("edit", path=told.path, edits=[edit])


async def create_file(talk: Talk, told: Told) -> None:
    await talk("write", path=told.path, content=told.content)


async def run_tests(talk: Talk, told: Told) -> None:
    said = await talk("bash", command=shell.run_tests(told))
    full = re.search(r"Full output: (\S+?)\]", said)
    if full:
        await talk("bash", command=f"grep -m1 -A1 FAILED {full[1]}")


async def hanging_command(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.hanging_command(told), timeout=told.seconds)


async def git_status(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.git_status(told))


async def git_commit(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.git_commit(told))


async def git_blame(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.git_blame(told))


async def git_last_change(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.git_last_change(told))


async def pdf_page(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.pdf_page(told))


async def sheet_range(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.sheet_range(told))


async def page_section(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.page_section(told))


async def tasks(talk: Talk, told: Told) -> None:
    await talk("write", path=told.file, content=shell.task_list(told.titles))
    for updates in told.rounds:
        await talk("bash", command=shell.task_round(told, updates))
