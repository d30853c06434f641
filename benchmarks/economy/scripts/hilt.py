"""Hilt: its tools as `design.md` names their parameters."""

import re
from types import SimpleNamespace as Told

from economy.scripts import reading, shell
from economy.talk import Talk


async def find_definition(talk: Talk, told: Told) -> None:
    await talk("search_code", pattern=rf"def {told.name}\b", output="content")


async def list_users(talk: Talk, told: Told) -> None:
    await talk("search_code", pattern=rf"\b{told.name}\(")


async def read_function(talk: Talk, told: Told) -> None:
    await talk("search_code", pattern=rf"def {told.name}\b", path=told.path, output="content", after=40)


async def read_log_deep(talk: Talk, told: Told) -> None:
    await talk("read_file", path=told.path, offset=told.first, limit=told.last - told.first + 1)


async def broad_search(talk: Talk, told: Told) -> None:
    await talk("search_code", pattern=rf"\b{told.name}\b", type="py", output="content")


async def search_none(talk: Talk, told: Told) -> None:
    await talk("search_code", pattern=rf"\b{told.name}\b")


async def search_bad_regex(talk: Talk, told: Told) -> None:
    said = await talk("search_code", pattern=told.text, output="content")
    if reading.refused(said):
        await talk("search_code", pattern=reading.escaped(told.text), output="content")


async def wrong_path(talk: Talk, told: Told) -> None:
    said = await talk("read_file", path=told.path)
    folder = told.path.rsplit("/", 1)[0]
    near = reading.near_path(said, told.path, folder)
    if not near:
        listed = await talk("find_files", pattern="*.py", path=folder)
        near = f"{folder}/{reading.nearest(told.name, reading.modules(listed))}.py"
    await talk("read_file", path=near)


async def edit_one(talk: Talk, told: Told) -> None:
    said = await talk("search_code", pattern=rf"def {told.name}\b", path=told.path, output="content")
    old = reading.line_of(said, f"def {told.name}(")
    now = reading.default_of(said, told.name, told.parameter)
    new = old.replace(now, f"{told.parameter}={told.wanted}")
    await talk("edit_file", path=told.path, edits=[{"old": old, "new": new}])


async def edit_several(talk: Talk, told: Told) -> None:
    said = await talk("read_file", path=told.path)
    edits = []
    for key, value in told.wanted.items():
        old = reading.line_of(said, key)
        old = old[: re.search(r"=\s*\d+", old).end()]
        edits.append({"old": old, "new": re.sub(r"\d+$", str(value), old)})
    await talk("edit_file", path=told.path, edits=edits)


async def edit_many(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.edit_many(told))


async def edit_stale(talk: Talk, told: Told) -> None:
    said = await talk("read_file", path=told.path)
    talk.elsewhere()
    value = reading.setting(said, told.key)
    edit = {"old": f"{told.key} = {value}", "new": f"{told.key} = {value * 2}"}
    said = await talk("edit_file", path=told.path, edits=[edit])
    if not reading.refused(said):
        return
    value = reading.setting(said.replace(edit["old"], ""), told.key)
    if value is None:
        value = reading.setting(await talk("read_file", path=told.path), told.key)
    edit = {"old": f"{told.key} = {value}", "new": f"{told.key} = {value * 2}"}
    await talk("edit_file", path=told.path, edits=[edit])


async def edit_ambiguous(talk: Talk, told: Told) -> None:
    said = await talk("edit_file", path=told.path, edits=[{"old": told.old, "new": told.new}])
    if not reading.refused(said):
        return
    above = _numbered(said, told.line - 1)
    if not above:
        above = _numbered(await talk("read_file", path=told.path, offset=told.line - 1, limit=2), told.line - 1)
    await talk("edit_file", path=told.path, edits=[{"old": f"{above}\n{told.old}", "new": f"{above}\n{told.new}"}])


def _numbered(text: str, line: int) -> str:
    """The text of one line, where an answer shows it behind its number."""
    found = re.search(rf"^\s*{line}(?:\t|: ?|\| ?)(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


async def create_file(talk: Talk, told: Told) -> None:
    await talk("write_file", path=told.path, content=told.content)


async def run_tests(talk: Talk, told: Told) -> None:
    said = await talk("run_command", command=shell.run_tests(told))
    failed = re.search(r"(\d+) failed", said)
    if failed is None or (len(re.findall(r"\.\.\. FAILED", said)) < int(failed[1]) and not _reaches_last(said)):
        await talk("run_command", command=shell.last_failure(told))


def _reaches_last(said: str) -> bool:
    """Whether no line is left out after the last failure shown, so that it is the last there is."""
    return "left out" not in said[said.rindex("FAILED") :] if "FAILED" in said else False


async def hanging_command(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.hanging_command(told), timeout_s=told.seconds, background=False)


async def git_status(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.git_status(told))


async def git_commit(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.git_commit(told))


async def git_blame(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.git_blame(told))


async def git_last_change(talk: Talk, told: Told) -> None:
    await talk("run_command", command=shell.git_last_change(told))


async def pdf_page(talk: Talk, told: Told) -> None:
    await talk("read_file", path=told.path, pages=str(told.page))


async def sheet_range(talk: Talk, told: Told) -> None:
    await _loaded(talk, "read_document", path=told.path, part=f"{told.sheet}!{told.range}")


async def page_section(talk: Talk, told: Told) -> None:
    await _loaded(talk, "fetch_page", url=told.url, section=told.heading)


async def tasks(talk: Talk, told: Told) -> None:
    said = await _loaded(talk, "task_create", tasks=[{"title": title} for title in told.titles])
    ids = re.findall(r"\bt\d+\b", said)
    ids = ids if len(ids) >= len(told.titles) else [f"t{place + 1}" for place in range(len(told.titles))]
    id_of = dict(zip(told.titles, ids, strict=False))
    for updates in told.rounds:
        await _loaded(talk, "task_update", updates=[{"id": id_of[title], "state": state} for title, state in updates])


async def _loaded(talk: Talk, tool: str, **arguments: object) -> str:
    """A deferred tool answers its first call with its schema, and is called again as that says."""
    said = await talk(tool, **arguments)
    return await talk(tool, **arguments) if "was not loaded; now it is" in said else said
