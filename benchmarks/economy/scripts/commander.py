"""desktop-commander: processes, search sessions, read_file for every kind, edit_block."""

import re
from types import SimpleNamespace as Told

import anyio

from economy.scripts import reading, shell
from economy.talk import Talk

WAIT_MS = 20_000
MOST_LOOKS = 8
THOUGHT_S = 2.0
"""A model does not ask again at once; without its pause the number of looks would be the machine's."""


async def _run(talk: Talk, command: str, root: str) -> str:
    return await talk("start_process", command=f"cd {root} && {command}", timeout_ms=WAIT_MS)


async def find_definition(talk: Talk, told: Told) -> None:
    await _run(talk, shell.find_definition(told), told.root)


async def list_users(talk: Talk, told: Told) -> None:
    await _run(talk, shell.list_users(told), told.root)


async def read_function(talk: Talk, told: Told) -> None:
    await _run(talk, shell.read_function(told), told.root)


async def read_log_deep(talk: Talk, told: Told) -> None:
    await talk("read_file", path=told.path, offset=told.first - 1, length=told.last - told.first + 1)


async def broad_search(talk: Talk, told: Told) -> None:
    said = await _search(talk, rf"\b{told.name}\b", told.root)
    if not re.search(r"(?i)found: \d+", said):
        await _run(talk, shell.broad_count(told), told.root)


async def search_none(talk: Talk, told: Told) -> None:
    await _search(talk, rf"\b{told.name}\b", told.root)


async def _search(talk: Talk, pattern: str, root: str) -> str:
    """A session that goes on by itself; its results are asked for until it is done."""
    said = await talk(
        "start_search",
        path=root,
        pattern=pattern,
        searchType="content",
        filePattern="*.py",
        contextLines=0,
        ignoreCase=False,
    )
    session = re.search(r"search_\w+", said)
    while session and re.search("RUNNING|IN PROGRESS", said) and len(talk.calls) < MOST_LOOKS:
        await anyio.sleep(THOUGHT_S)
        said = await talk("get_more_search_results", sessionId=session[0])
    return said


async def search_bad_regex(talk: Talk, told: Told) -> None:
    said = await _run(talk, f"grep -rn '{told.text}' --include=*.py .", told.root)
    if reading.refused(said) or "Unmatched" in said:
        await _run(talk, shell.fixed_text(told), told.root)


async def wrong_path(talk: Talk, told: Told) -> None:
    said = await talk("read_file", path=told.path)
    folder = told.path.rsplit("/", 1)[0]
    near = reading.near_path(said, told.path, folder)
    if not near:
        listed = await talk("list_directory", path=folder, depth=1)
        near = f"{folder}/{reading.nearest(told.name, reading.modules(listed))}.py"
    await talk("read_file", path=near)


async def edit_one(talk: Talk, told: Told) -> None:
    said = await talk("start_process", command=f"grep -n 'def {told.name}\\b' {told.path}", timeout_ms=WAIT_MS)
    old = reading.line_of(said, f"def {told.name}(")
    now = reading.default_of(said, told.name, told.parameter)
    new = old.replace(now, f"{told.parameter}={told.wanted}")
    await talk("edit_block", file_path=told.path, old_string=old, new_string=new)


async def edit_several(talk: Talk, told: Told) -> None:
    said = await talk("read_file", path=told.path)
    for key, value in told.wanted.items():
        old = reading.line_of(said, key)
        old = old[: re.search(r"=\s*\d+", old).end()]
        await talk("edit_block", file_path=told.path, old_string=old, new_string=re.sub(r"\d+$", str(value), old))


async def edit_many(talk: Talk, told: Told) -> None:
    await _run(talk, shell.edit_many(told), told.root)


async def edit_stale(talk: Talk, told: Told) -> None:
    value = reading.setting(await talk("read_file", path=told.path), told.key)
    talk.elsewhere()
    said = await _doubled(talk, told, value)
    if "Successfully" not in said:
        await _doubled(talk, told, reading.setting(await talk("read_file", path=told.path), told.key))


async def _doubled(talk: Talk, told: Told, value: int) -> str:
    old, new = f"{told.key} = {value}", f"{told.key} = {value * 2}"
    return await talk("edit_block", file_path=told.path, old_string=old, new_string=new)


async def edit_ambiguous(talk: Talk, told: Told) -> None:
    said = await talk("edit_block", file_path=told.path, old_string=told.old, new_string=told.new)
    if "Successfully" not in said:
        shown = await talk("read_file", path=told.path, offset=told.line - 2, length=1)
        above = reading.whole_line(shown, "def ")
        old, new = f"{above}\n{told.old}", f"{above}\n{told.new}"
        await talk("edit_block", file_path=told.path, old_string=old, new_string=new)


async def create_file(talk: Talk, told: Told) -> None:
    said = await talk("write_file", path=told.path, content=told.content)
    if reading.refused(said):
        await talk("create_directory", path=told.path.rsplit("/", 1)[0])
        await talk("write_file", path=told.path, content=told.content)


async def run_tests(talk: Talk, told: Told) -> None:
    said = await _run(talk, shell.run_tests(told), told.root)
    if "FAILED" not in said[: len(said) // 2]:
        await _run(talk, shell.first_failure(told), told.root)
    if not re.search(r"\d+ failed", said):
        await _run(talk, shell.last_failure(told), told.root)


async def hanging_command(talk: Talk, told: Told) -> None:
    command = f"cd {told.root} && {shell.hanging_command(told)}"
    said = await talk("start_process", command=command, timeout_ms=told.seconds * 1000)
    pid = re.search(r"PID (\d+)", said)
    if pid:
        await talk("force_terminate", pid=int(pid[1]))


async def git_status(talk: Talk, told: Told) -> None:
    await _run(talk, shell.git_status(told), told.root)


async def git_commit(talk: Talk, told: Told) -> None:
    await _run(talk, shell.git_commit(told), told.root)


async def git_blame(talk: Talk, told: Told) -> None:
    await _run(talk, shell.git_blame(told), told.root)


async def git_last_change(talk: Talk, told: Told) -> None:
    await _run(talk, shell.git_last_change(told), told.root)


async def pdf_page(talk: Talk, told: Told) -> None:
    await talk("read_file", path=told.path, offset=told.page - 1, length=1)


async def sheet_range(talk: Talk, told: Told) -> None:
    await talk("read_file", path=told.path, sheet=told.sheet, range=told.range)


async def page_section(talk: Talk, told: Told) -> None:
    await talk("start_process", command=shell.page_section(told), timeout_ms=WAIT_MS)


async def tasks(talk: Talk, told: Told) -> None:
    await talk("write_file", path=told.file, content=shell.task_list(told.titles))
    for updates in told.rounds:
        await talk("start_process", command=shell.task_round(told, updates), timeout_ms=WAIT_MS)
