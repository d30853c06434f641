"""The 24 jobs. Frozen before tuning: see README.md."""

import re
from pathlib import Path
from types import SimpleNamespace as Told

from economy.job import Job, State, number
from economy.planting import World, commit_all, git
from economy.site import Site

CALLERS = 7
RENAMED = 6
TASKS = 12
ROUNDS = 10
"""Of two updates each."""

STOP_AFTER_S = 2
SHOWN = 10
"""So many hits of the broad search at least must be seen."""


def plan(world: World, at: Path, site: Site) -> list[Job]:
    """Plant what the jobs are about, commit it, and tell the jobs. `at` is where systems will see the workspace."""
    planted = [
        find_definition(world, at),
        list_users(world, at),
        read_function(world, at),
        read_log_deep(world, at),
        broad_search(world, at),
        search_none(world, at),
        search_bad_regex(world, at),
        wrong_path(world, at),
        edit_one(world, at),
        edit_several(world, at),
        edit_many(world, at),
        edit_stale(world, at),
        edit_ambiguous(world, at),
        create_file(world, at),
        run_tests(world, at),
        hanging_command(world, at),
    ]
    commit_all(world, "Import of the code base")
    planted += [
        git_status(world, at),
        git_commit(world, at),
        git_blame(world, at),
        git_last_change(world, at),
        pdf_page(world, at),
        sheet_range(world, at),
        page_section(site),
        tasks(world, at),
    ]
    world.count_broad()
    return planted


def find_definition(world: World, at: Path) -> Job:
    path, name, default = world.module(200, 900), world.name(), world.draw.randrange(1_000, 9_999)
    line = world.insert(path, f"def {name}(rows, window={default}):\n    return rows[-window:]")
    return Job(
        name="find_definition",
        asks=f"Where is the function {name} defined, and what is the default of its parameter window?",
        inputs=Told(root=str(at), name=name),
        facts={"path": re.escape(path), "line": number(line), "default": str(default)},
    )


def list_users(world: World, at: Path) -> Job:
    name = world.name()
    world.insert(world.module(200, 900), f"def {name}(order):\n    return order")
    paths = [world.module(150, 900) for _ in range(CALLERS)]
    for path in paths:
        world.insert(path, f"def {world.name()}(order):\n    return {name}(order)")
    return Job(
        name="list_users",
        asks=f"Which files call {name}?",
        inputs=Told(root=str(at), name=name),
        facts={path: re.escape(path) for path in paths},
    )


def read_function(world: World, at: Path) -> Job:
    path, name = world.module(1_200, 2_600), world.name()
    marks = [world.token() for _ in range(3)]
    body = [f"    step_{place} = table[{place}]" for place in range(22)]
    body[0] = f"    first = {marks[0]!r}"
    body[11] = f"    middle = {marks[1]!r}"
    body.append(f"    return first, middle, {marks[2]!r}")
    world.insert(path, "\n".join([f"def {name}(table):", *body]))
    return Job(
        name="read_function",
        asks=f"Read the function {name} in {path} to its end.",
        inputs=Told(root=str(at), path=str(at / path), name=name),
        facts={f"mark {place}": mark for place, mark in enumerate(marks)},
    )


def read_log_deep(world: World, at: Path) -> Job:
    log = world.made["log"]
    return Job(
        name="read_log_deep",
        asks=f"What do lines {log['first']} to {log['last']} of var/app.log say?",
        inputs=Told(root=str(at), path=str(at / "var/app.log"), first=log["first"], last=log["last"]),
        facts={f"fact {place}": fact for place, fact in enumerate(log["facts"])},
    )


def broad_search(world: World, at: Path) -> Job:
    """An ordinary request that turns out to have some 9,000 answers: the model must learn how many, and see some."""
    word = world.broad_word

    def total(text: str) -> bool:
        return re.search(number(world.broad_lines), text) is not None

    def hits(text: str) -> bool:
        return len(re.findall(rf"^.*\b{word}\b.*$", text, re.MULTILINE)) >= SHOWN and ".py" in text

    return Job(
        name="broad_search",
        asks=f"List the lines of Python that use {word}.",
        inputs=Told(root=str(at), name=word),
        facts={"how many there are": total, "some of them": hits},
    )


def search_none(world: World, at: Path) -> Job:
    name = world.name()
    words = r"no (matches|files|results(?! yet)|output|match)|nothing (matches|was found|found)"
    said = rf"(?i)\b({words}|0 (matches|results|hits)(?!\))|code:? 1\b)"
    return Job(
        name="search_none",
        asks=f"Is {name} used anywhere?",
        inputs=Told(root=str(at), name=name),
        facts={"none": said},
    )


def search_bad_regex(world: World, at: Path) -> Job:
    path, name = world.module(200, 900), world.name()
    line = world.insert(path, f"def {world.name()}(rows):\n    return {name}[rows(0)") + 1
    return Job(
        name="search_bad_regex",
        asks=f"Find the line that holds {name}[rows(",
        inputs=Told(root=str(at), text=f"{name}[rows("),
        facts={"path": re.escape(path), "line": number(line)},
    )


def wrong_path(world: World, at: Path) -> Job:
    """The person spells the file's name a little wrong."""
    folder, name, fact = Path(world.module(150, 900)).parent, world.name(), world.token()
    right = folder / f"{name}.py"
    (world.root / right).write_text(f'"""Settings of the {name}."""\n\nDEPTH = 4\nBERTH = {fact!r}\n')
    letters = list(name)
    place = world.draw.randrange(2, 6)
    letters[place], letters[place + 1] = letters[place + 1], letters[place]
    wrong = name[:place] + name[place + 1 :] if letters[place] == letters[place + 1] else "".join(letters)
    return Job(
        name="wrong_path",
        asks=f"What is BERTH in {folder}/{wrong}.py?",
        inputs=Told(root=str(at), path=str(at / folder / f"{wrong}.py"), name=wrong, wanted="BERTH"),
        facts={"value": fact, "right path": re.escape(name)},
    )


def edit_one(world: World, at: Path) -> Job:
    path, name = world.module(300, 900), world.name()
    default, wanted = world.draw.randrange(20, 90), world.draw.randrange(200, 900)
    world.insert(path, f"def {name}(rows, limit={default}, strict=False):\n    return rows[:limit]")
    before = (world.root / path).read_bytes()
    after = before.replace(f"def {name}(rows, limit={default},".encode(), f"def {name}(rows, limit={wanted},".encode())
    return Job(
        name="edit_one",
        asks=f"In {path}, make {wanted} the default of the parameter limit of {name}.",
        inputs=Told(root=str(at), path=str(at / path), name=name, parameter="limit", wanted=wanted),
        writes={path: after},
    )


def edit_several(world: World, at: Path) -> Job:
    """Four settings of one file with CRLF line ends, two of them beside look-alikes."""
    path = f"settings_{world.name()}.ini"
    keys = [world.name() for _ in range(24)]
    values = [world.draw.randrange(1, 99) for _ in keys]
    lines = [f"{key}\t=  {value}   ; set by hand" for key, value in zip(keys, values, strict=True)]
    (world.root / path).write_bytes("\r\n".join(["[harbour]", *lines, ""]).encode())
    chosen = sorted(world.draw.sample(range(len(keys)), 4))
    wanted = {keys[place]: world.draw.randrange(100, 999) for place in chosen}
    for place in chosen:
        lines[place] = f"{keys[place]}\t=  {wanted[keys[place]]}   ; set by hand"
    return Job(
        name="edit_several",
        asks=f"In {path}, set {', '.join(f'{key} to {value}' for key, value in wanted.items())}; change nothing else.",
        inputs=Told(root=str(at), path=str(at / path), wanted=wanted),
        writes={path: "\r\n".join(["[harbour]", *lines, ""]).encode()},
    )


def edit_many(world: World, at: Path) -> Job:
    old, new = world.name(), world.name()
    longer = f"{old}_again"
    paths = [world.module(150, 900) for _ in range(RENAMED)]
    world.insert(paths[0], f"def {old}(order):\n    return order")
    for path in paths[1:]:
        world.insert(path, f"def {world.name()}(order):\n    {longer} = 0\n    return {old}(order) or {longer}")
    after = {path: re.sub(rb"\b%s\b" % old.encode(), new.encode(), (world.root / path).read_bytes()) for path in paths}
    return Job(
        name="edit_many",
        asks=f"Rename {old} to {new} everywhere, and say which files that changed. Longer names stay.",
        inputs=Told(root=str(at), old=old, new=new),
        facts={path: re.escape(path) for path in paths},
        writes=dict(after),
    )


def edit_stale(world: World, at: Path) -> Job:
    """The model has read the file; another program changes the very line; the model goes on from what it knew."""
    path, key = f"limits_{world.name()}.toml", world.name()
    first, second = world.draw.randrange(10, 40), world.draw.randrange(41, 99)
    others = [f"{world.name()} = {world.draw.randrange(9)}" for _ in range(20)]

    def text(value: int) -> bytes:
        return "\n".join(["[limits]", *others[:10], f"{key} = {value}", *others[10:], ""]).encode()

    (world.root / path).write_bytes(text(first))

    def meanwhile(root: Path) -> None:
        (root / path).write_bytes(text(second))

    return Job(
        name="edit_stale",
        asks=f"Read {path}, then double {key}. (Another program sets it in between: the double of what stands there.)",
        inputs=Told(root=str(at), path=str(at / path), key=key),
        facts={"the new value": rf"{key} = {second}\b"},
        writes={path: text(second * 2)},
        meanwhile=meanwhile,
    )


def edit_ambiguous(world: World, at: Path) -> Job:
    """A linter names the line; the text to replace stands in four places."""
    path, key = f"{Path(world.module(150, 900)).parent}/{world.name()}.py", world.name()
    names = [world.name() for _ in range(4)]
    blocks = [f"def {name}(order):\n    {key} = 3\n    return order, {key}\n" for name in names]
    content = "\n\n".join(['"""Retries."""\n', *blocks])
    (world.root / path).write_text(content)
    chosen = world.draw.randrange(1, 4)
    lines = content.split("\n")
    line = [at for at, each in enumerate(lines, 1) if each == f"    {key} = 3"][chosen]
    lines[line - 1] = f"    {key} = 5"
    return Job(
        name="edit_ambiguous",
        asks=f"{path}:{line}: replace `{key} = 3` by `{key} = 5`, only there.",
        inputs=Told(root=str(at), path=str(at / path), line=line, old=f"    {key} = 3", new=f"    {key} = 5"),
        writes={path: "\n".join(lines).encode()},
    )


def create_file(world: World, at: Path) -> Job:
    """New text with all that tools like to alter: tabs, trailing space, look-alikes, no newline at the end."""
    path = f"harbour_{world.name()}/deep/{world.name()}.py"
    content = (
        '"""Don\u2019t fold \u201cthis\u201d \u2014 ever.\u00a0"""\n\n\n'
        f'def {world.name()}(text):\n\treturn text.replace("$&", r"\\1")   \n\n\n'
        f'LAST = "{world.token()}"'
    )
    return Job(
        name="create_file",
        asks=f"Create {path} with exactly the text given.",
        inputs=Told(root=str(at), path=str(at / path), content=content),
        writes={path: content.encode()},
    )


def run_tests(world: World, at: Path) -> Job:
    checks = world.made["checks"]
    return Job(
        name="run_tests",
        asks="Run checks/run_checks.py: how many fail, what is the first failure, and what is the last?",
        inputs=Told(root=str(at), path="checks/run_checks.py"),
        facts={"first": re.escape(checks["first"]), "last": re.escape(checks["last"]), "summary": checks["summary"]},
    )


def hanging_command(world: World, at: Path) -> Job:
    def state(root: Path, text: str) -> str:
        left = [each.name for each in Path("/proc").iterdir() if each.name.isdigit() and _runs_forever(each)]
        return f"processes {', '.join(left)} are left" if left else ""

    return Job(
        name="hanging_command",
        asks=f"Try checks/forever.py for {STOP_AFTER_S} s: what does it print? Leave nothing of it running.",
        inputs=Told(root=str(at), path="checks/forever.py", seconds=STOP_AFTER_S),
        facts={"what it printed": world.made["forever"]},
        state=state,
    )


def _runs_forever(process: Path) -> bool:
    try:
        return b"checks/forever.py" in (process / "cmdline").read_bytes()
    except OSError:
        return False


def git_status(world: World, at: Path) -> Job:
    first, second, third = world.module(150, 900), world.module(150, 900), f"{world.name()}.py"

    def before(root: Path) -> None:
        for path in (first, second):
            (root / path).write_text((root / path).read_text() + "# changed\n")
        (root / third).write_text("fresh = True\n")

    return Job(
        name="git_status",
        asks="Which files are changed or new since the last commit?",
        inputs=Told(root=str(at)),
        facts={path: re.escape(path) for path in (first, second, third)},
        before=before,
    )


def git_commit(world: World, at: Path) -> Job:
    path, other = world.module(150, 900), world.module(150, 900)
    subject = f"Raise the {world.draw.choice(('mast', 'anchor', 'sail'))} of {world.token()}"

    def before(root: Path) -> None:
        for each in (path, other):
            (root / each).write_text((root / each).read_text() + "# changed\n")

    def state(root: Path, text: str) -> str:
        said, *named = git(root, "show", "--format=%s", "--name-only", "HEAD").split("\n")
        changed = [each for each in named if each]
        left = git(root, "status", "--porcelain").split()
        if said != subject:
            return f"the last commit is {said!r}"
        if changed != [path]:
            return f"committed were {changed}"
        return "" if left == ["M", other] else f"left is {left}"

    return Job(
        name="git_commit",
        asks=f"Commit {path} alone, with the message {subject!r}.",
        inputs=Told(root=str(at), path=path, message=subject),
        before=before,
        state=state,
        keeps_history=False,
    )


def git_last_change(world: World, at: Path) -> Job:
    path, subject, mark = world.module(150, 900), f"Moor at {world.token()}", world.token()
    world.insert(path, f"MOORING = {mark!r}")
    commit = commit_all(world, subject)
    return Job(
        name="git_last_change",
        asks="What did the last commit change: its hash, its message, its files and lines?",
        inputs=Told(root=str(at)),
        facts={"hash": commit, "subject": re.escape(subject), "path": re.escape(path), "line": mark},
    )


def git_blame(world: World, at: Path) -> Job:
    """A line was made by one commit and changed by another; the last commit is a third."""
    path, name = world.module(150, 900), world.name()
    line = world.insert(path, f"{name} = 1")
    commit_all(world, "Keep a count")
    (world.root / path).write_text("\n".join(world.lines(path)).replace(f"{name} = 1", f"{name} = 2"))
    subject = f"Count twice for {world.token()}"
    commit = commit_all(world, subject)
    return Job(
        name="git_blame",
        asks=f"Which commit last changed line {line} of {path}: hash and message?",
        inputs=Told(root=str(at), path=path, line=line),
        facts={"hash": commit, "subject": re.escape(subject)},
    )


def pdf_page(world: World, at: Path) -> Job:
    made = world.made["pdf"]
    return Job(
        name="pdf_page",
        asks=f"Which berth is leased by the decision on page {made['page']} of papers/report.pdf?",
        inputs=Told(root=str(at), path=str(at / "papers/report.pdf"), page=made["page"]),
        facts={"berth": made["fact"]},
    )


def sheet_range(world: World, at: Path) -> Job:
    made = world.made["sheet"]
    cells = {f"row {place} {cell}": re.escape(str(cell)) for place, row in enumerate(made["rows"]) for cell in row[:1]}
    for place, row in enumerate(made["rows"]):
        for cell in row[1:]:
            cells[f"row {place} {cell}"] = number(cell)
    return Job(
        name="sheet_range",
        asks=f"Give the cells {made['range']} of the sheet Costs in papers/costs.xlsx.",
        inputs=Told(root=str(at), path=str(at / "papers/costs.xlsx"), sheet="Costs", range=made["range"]),
        facts=cells,
    )


def page_section(site: Site) -> Job:
    return Job(
        name="page_section",
        asks=f"What does the section {site.heading} of {site.url} say?",
        inputs=Told(url=site.url, heading=site.heading),
        facts={"quota": number(site.limit), "code": site.fact},
    )


def tasks(world: World, at: Path) -> Job:
    """Twelve tasks told at once; then 20 updates in ten rounds, told one round at a time. Two are always under way."""
    titles = [world.name().replace("_", " ") for _ in range(TASKS)]
    rounds = [[(titles[0], "active"), (titles[1], "active")]]
    rounds += [[(titles[place - 1], "done"), (titles[place + 1], "active")] for place in range(1, ROUNDS)]
    return Job(
        name="tasks",
        asks=f"Keep these {TASKS} tasks, and mark each when it begins and when it is done.",
        inputs=Told(root=str(at), titles=titles, rounds=rounds, file=str(at / "TODO.md")),
        may_write=("TODO.md",),
        state=_tasks_stand(titles, dict(update for updates in rounds for update in updates)),
    )


def _tasks_stand(titles: list[str], last: dict[str, str]) -> State:
    def state(root: Path, text: str) -> str:
        """From the file, or from what the system's own list says, which the runner puts at the text's end."""
        listed = (root / "TODO.md").read_text() if (root / "TODO.md").exists() else text
        found = {title: _state_of(title, listed) for title in titles}
        wrong = [
            f"{title} is {found[title]}, not {last.get(title, 'pending')}"
            for title in titles
            if found[title] != last.get(title, "pending")
        ]
        return "; ".join(wrong[:2])

    return state


STATES = {
    "done": r"\[x\]|done|completed",
    "active": r"\[~\]|active|in_progress|doing",
    "pending": r"\[ \]|pending|todo|open",
}


def _state_of(title: str, listed: str) -> str:
    """The state that stands nearest to the last mention of a title, on its line or in its JSON object."""
    lines = [line for line in listed.replace("},", "},\n").split("\n") if title in line]
    block = lines[-1] if lines else ""
    if not re.search("|".join(STATES.values()), block.replace(title, ""), re.IGNORECASE):
        whole = re.findall(r"\{[^{}]*" + re.escape(title) + r"[^{}]*\}", listed)
        block = whole[-1] if whole else block
    block = block.replace(title, "")
    return next((state for state, said in STATES.items() if re.search(said, block, re.IGNORECASE)), "unknown")
