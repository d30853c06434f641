"""What every system with a shell does alike: the commands. Each answers what a person asked, in one line of shell."""

import shlex
from types import SimpleNamespace as Told


def find_definition(told: Told) -> str:
    return f"grep -rnw 'def {told.name}' --include=*.py ."


def list_users(told: Told) -> str:
    return f"grep -rlw {told.name} --include=*.py ."


def read_function(told: Told) -> str:
    return f"grep -n -A40 'def {told.name}\\b' {told.path}"


def broad_search(told: Told) -> str:
    return f"grep -rnw {told.name} --include=*.py ."


def broad_count(told: Told) -> str:
    return f"grep -rnw {told.name} --include=*.py . | wc -l"


def search_none(told: Told) -> str:
    return f"grep -rnw {told.name} ."


def fixed_text(told: Told) -> str:
    return f"grep -rnF {shlex.quote(told.text)} --include=*.py ."


def edit_many(told: Told) -> str:
    return (
        f"grep -rlw {told.old} --include=*.py . | xargs sed -i 's/\\b{told.old}\\b/{told.new}/g' && git diff --stat=200"
    )


def run_tests(told: Told) -> str:
    return f"python3 {told.path}"


def first_failure(told: Told) -> str:
    return f"python3 {told.path} | grep -m1 -A1 FAILED"


def last_failure(told: Told) -> str:
    return f"python3 {told.path} | grep -A1 FAILED | tail -2; python3 {told.path} | tail -1"


def hanging_command(told: Told) -> str:
    return f"python3 {told.path}"


def git_status(told: Told) -> str:
    return "git status --short"


def git_commit(told: Told) -> str:
    return f"git commit -m '{told.message}' -- {told.path}"


def git_blame(told: Told) -> str:
    return f"git log -1 --oneline -s -L{told.line},{told.line}:{told.path}"


def git_last_change(told: Told) -> str:
    return "git show"


def pdf_page(told: Told) -> str:
    program = (
        f"import pypdfium2 as p; print(p.PdfDocument('{told.path}')[{told.page - 1}].get_textpage().get_text_range())"
    )
    return f'python3 -c "{program}"'


def sheet_range(told: Told) -> str:
    cells = f"openpyxl.load_workbook('{told.path}',data_only=True)['{told.sheet}']['{told.range}']"
    return f'python3 -c "import openpyxl\nfor r in {cells}: print(*[c.value for c in r])"'


def page_section(told: Told) -> str:
    return f"curl -s {told.url} | sed -n '/<h2>{told.heading}</,/<h2>/p' | sed 's/<[^>]*>//g'"


MARKS = {"pending": " ", "active": "~", "done": "x"}


def task_list(titles: list[str]) -> str:
    return "".join(f"- [ ] {title}\n" for title in titles)


def task_round(told: Told, updates: list[tuple[str, str]]) -> str:
    orders = "; ".join(rf"s/\[.\] {title}/[{MARKS[state]}] {title}/" for title, state in updates)
    return f"sed -i '{orders}' {told.file}"
