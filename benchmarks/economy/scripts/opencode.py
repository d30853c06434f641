"""OpenCode: bash, read, grep, edit, write, webfetch, todowrite."""

import re
from types import SimpleNamespace as Told

from economy.scripts import reading, shell
from economy.talk import Talk

WORDS = {"active": "in_progress", "done": "completed"}


async def find_definition(talk: Talk, told: Told) -> None:
    await talk("grep", pattern=rf"def {told.name}\b")


async def list_users(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.list_users(told))


async def read_function(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.read_function(told))


async def read_log_deep(talk: Talk, told: Told) -> None:
    await talk("read", filePath=told.path, offset=told.first, limit=told.last - told.first + 1)


async def broad_search(talk: Talk, told: Told) -> None:
    said = await talk("grep", pattern=rf"\b{told.name}\b", include="*.py")
    if re.search(r"(?i)truncated|more (matches|results)|first \d+", said):
        await talk("bash", command=shell.broad_count(told))


async def search_none(talk: Talk, told: Told) -> None:
    await talk("grep", pattern=rf"\b{told.name}\b")


async def search_bad_regex(talk: Talk, told: Told) -> None:
    said = await talk("grep", pattern=told.text)
    if reading.refused(said):
        await talk("grep", pattern=reading.escaped(told.text))


async def wrong_path(talk: Talk, told: Told) -> None:
    said = await talk("read", filePath=told.path)
    folder = told.path.rsplit("/", 1)[0]
    near = reading.near_path(said, told.path, folder)
    if not near:
        listed = await talk("bash", command=f"ls {folder}")
        near = f"{folder}/{reading.nearest(told.name, reading.modules(listed))}.py"
    await talk("read", filePath=near)


async def edit_one(talk: Talk, told: Told) -> None:
    said = await talk("grep", pattern=rf"def {told.name}\b", path=told.path)
    old = reading.line_of(said, f"def {told.name}(")
    now = reading.default_of(said, told.name, told.parameter)
    new = old.replace(now, f"{told.parameter}={told.wanted}")
    await talk("edit", filePath=told.path, oldString=old, newString=new)


async def edit_several(talk: Talk, told: Told) -> None:
    said = await talk("read", filePath=told.path)
    for key, value in told.wanted.items():
        old = reading.line_of(said, key)
        old = old[: re.search(r"=\s*\d+", old).end()]
        await talk("edit", filePath=told.path, oldString=old, newString=re.sub(r"\d+$", str(value), old))


async def edit_many(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.edit_many(told))


async def edit_stale(talk: Talk, told: Told) -> None:
    value = reading.setting(await talk("read", filePath=told.path), told.key)
    talk.elsewhere()
    said = await _doubled(talk, told, value)
    if reading.refused(said):
        await _doubled(talk, told, reading.setting(await talk("read", filePath=told.path), told.key))


async def _doubled(talk: Talk, told: Told, value: int) -> str:
    old, new = f"{told.key} = {value}", f"{told.key} = {value * 2}"
    return await talk("edit", filePath=told.path, oldString=old, newString=new)


async def edit_ambiguous(talk: Talk, told: Told) -> None:
    said = await talk("edit", filePath=told.path, oldString=told.old, newString=told.new)
    if reading.refused(said) or "multiple" in said:
        shown = await talk("read", filePath=told.path, offset=told.line - 1, limit=1)
        found = re.search(rf"^{told.line - 1}: (.*)$", shown, re.MULTILINE)
        above = found[1] if found else ""
        await talk("edit", filePath=told.path, oldString=f"{above}\n{told.old}", newString=f"{above}\n{told.new}")


async def create_file(talk: Talk, told: Told) -> None:
    await talk("write", filePath=told.path, content=told.content)


async def run_tests(talk: Talk, told: Told) -> None:
    said = await talk("bash", command=shell.run_tests(told))
    full = re.search(r"(?:saved to|output): (\S+)", said)
    if full:
        await talk("bash", command=f"grep -m1 -A1 FAILED {full[1]}")
    if not re.search(r"\d+ failed", said):
        await talk("bash", command=shell.last_failure(told))


async def hanging_command(talk: Talk, told: Told) -> None:
    await talk("bash", command=shell.hanging_command(told), timeout=told.seconds * 1000)


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
    states = dict.fromkeys(told.titles, "pending")
    await _listed(talk, states)
    for updates in told.rounds:
        states |= {title: WORDS[state] for title, state in updates}
        await _listed(talk, states)


async def _listed(talk: Talk, states: dict[str, str]) -> None:
    todos = [{"content": title, "status": state, "priority": "medium"} for title, state in states.items()]
    await talk("todowrite", todos=todos)
