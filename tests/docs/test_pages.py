"""Pages lead somewhere, say the same in both languages, and give the numbers that the code has."""

import re
from pathlib import Path

import pytest

from hilt.adapters import mcp_http_door, mcp_http_plan, mcp_http_tokens, mcp_http_worker
from hilt.adapters.upstream.places import LONGEST_FRAME, Limits
from hilt.agents.loop import MOST_TURNS
from hilt.assembly import keys, settling
from hilt.assembly.clients import files
from hilt.assembly.gateway import gateway, settings, watching
from hilt.assembly.trace import INTERVAL_S
from hilt.calls.events import KEPT_EVENTS
from hilt.calls.tasks import MOST_TASKS
from hilt.calls.tool import DEFAULT_TIMEOUT_S, RESULT_TOKENS
from hilt.catalog import naming, residence
from hilt.catalog.finding import LOADED_BYTES
from hilt.catalog.ranking import NAMED_SERVER
from hilt.catalog.skill_lines import LISTING_CHARACTERS, SHARE_OF_WINDOW
from hilt.cli import serve_asked
from hilt.cli.log import LATEST
from hilt.cli.tools import BEST
from hilt.cli.undo import LISTED
from hilt.cli.verbs import VERBS
from hilt.documents.pdf import PDF_BYTES
from hilt.documents.skill_file import LONGEST_DESCRIPTION
from hilt.policy.taint_state import MOST_TEXT_IN_ALL, MOST_VALUES
from hilt.review.breaker import REFUSALS
from hilt.review.extent import MOST_FILES
from hilt.review.people import DEFAULT_WAIT_S, PENDING_HOURS
from hilt.review.reviewer import LONGEST_REVIEW_S
from hilt.review.scopes import ALWAYS_DAYS, SESSION_HOURS, SHAPE_DAYS
from hilt.runtime.road import TURN_TOKENS
from hilt.runtime.sessions import REPEATS_STOPPED
from hilt.runtime.turns import SMALLEST_SHARE
from hilt.runtime.violations import LONGEST_RECEIVED, MOST_VIOLATIONS
from hilt.store.database import WAIT_SECONDS
from hilt.store.protocol import RETENTION, TRAIL_RETENTION
from hilt.tools import (
    fetch_page,
    find_files,
    get_page_metadata,
    read_document,
    run_code,
    run_command,
    search_code,
    use_skill,
)
from hilt.workspace import seen
from hilt.workspace.changes import snapshots
from hilt.workspace.code import limits
from hilt.workspace.network import client, pages, robots, web
from hilt.workspace.processes import command, supervisor
from hilt.workspace.web_search import local
from tests.gates.source import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if link.startswith("https://"):
            continue
        target, _, heading = link.partition("#")
        file = page.parent / target if target else page
        assert file.is_file(), link
        assert not heading or heading in _headings(file), link


def _headings(file: Path) -> set[str]:
    lines = BLOCK.sub("", file.read_text(encoding="utf-8")).splitlines()
    titles = [line.lstrip("# ").lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


def test_the_readme_gives_the_same_commands_in_both_languages() -> None:
    def commands(name: str) -> list[str]:
        blocks = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
        return [line.partition("#")[0].rstrip() for _, block in blocks for line in block.splitlines()]

    assert commands("README.md") == commands("README.zh-CN.md")


def test_every_verb_and_every_key_has_its_place_in_the_page_of_commands() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

    assert [name for name in VERBS if f"hilt {name}" not in page] == []
    assert [key for key in keys.leaves() if f"| `{key}` |" not in page] == []


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("results.md", f"{RESULT_TOKENS:,} tokens unless the tool declares"),
        ("results.md", f"at most {TURN_TOKENS:,} tokens together"),
        ("results.md", f"less than {SMALLEST_SHARE} tokens"),
        ("results.md", f"keep to {search_code.INLINE_BYTES:,} bytes"),
        ("results.md", f"`find_files` keep to {find_files.INLINE_BYTES:,} bytes"),
        ("results.md", f"At most {MOST_VIOLATIONS} violations"),
        ("results.md", f"cut after {LONGEST_RECEIVED} characters"),
        ("results.md", f"{REPEATS_STOPPED} times in a row"),
        ("protection.md", f"{REPEATS_STOPPED} times in a row"),
        ("protection.md", f"{DEFAULT_TIMEOUT_S:g} s unless it declares another"),
        ("embedding.md", f"| `timeout_s` | {DEFAULT_TIMEOUT_S:g} |"),
        ("embedding.md", f"`Budget(tokens={RESULT_TOKENS:_})`"),
        ("embedding.md", f"`Budget(tokens={TURN_TOKENS:_})`"),
        ("embedding.md", f"the last {KEPT_EVENTS:,} events"),
        ("embedding.md", f"nobody, {DEFAULT_WAIT_S:g} |"),
        ("embedding.md", f"{PENDING_HOURS} hours"),
        ("embedding.md", f"kept for {RETENTION.days} days"),
        ("taint.md", f"up to {MOST_VALUES:,} values of each kind"),
        ("taint.md", f"{MOST_TEXT_IN_ALL:,} characters of what was"),
        ("tools.md", f"up to {seen.SEEN_WHOLE_BYTES >> 20} MiB by a digest of all of it"),
        ("tools.md", f"For {snapshots.KEPT_S / 86_400:g} days and up to {snapshots.KEPT_BYTES >> 30} GiB of all"),
        ("tools.md", f"One call shows {read_document.PAGE_BYTES:,} bytes"),
        ("tools.md", f"it passes `timeout_s` ({run_command.DEFAULT_TIMEOUT_S})"),
        ("tools.md", f"it wrote more than {run_command.SHOWN_BYTES:,} bytes"),
        ("tools.md", f"of one command {command.KEPT_BYTES >> 30} GiB of output is kept"),
        ("tools.md", f"then its end; {supervisor.MOST_RUNNING} commands at once"),
        ("tools.md", f"up to {run_code.MOST_PICTURES} pictures of them"),
        ("tools.md", f"called it for {limits.IDLE_S // 60} minutes"),
        ("tools.md", f"After {run_code.DEFAULT_TIMEOUT_S} s, or `timeout_s`"),
        ("tools.md", f"{limits.MEMORY_BYTES >> 30} GiB of memory, {limits.FILE_BYTES >> 20} MiB a file"),
        ("tools.md", f"Up to {MOST_TASKS} tasks a session"),
        ("skills.md", f"in up to {LONGEST_DESCRIPTION:,} characters"),
        ("skills.md", f"at most {LISTING_CHARACTERS:,} characters, and {SHARE_OF_WINDOW:.0%}".replace("%", " %")),
        ("skills.md", f"A page is {use_skill.PAGE_BYTES:,} bytes"),
        ("web.md", f"{fetch_page.SHOWN_BYTES:,} bytes a call"),
        ("web.md", f"{client.TOTAL_S:g} s in all, {client.CONNECT_S:g} s without a byte"),
        ("web.md", f"{web.PAGE_BYTES >> 20} MiB unpacked; `get_page_metadata` reads {get_page_metadata.KIB} KiB"),
        ("web.md", {3_600.0: "kept for an hour"}[robots.KEPT_S]),
        ("web.md", f"| redirects | {web.MOST_REDIRECTS} |"),
        ("web.md", f"| to one host at once | {client.PER_HOST} |"),
        ("web.md", f"a page for {pages.FRESH_S / 60:g} minutes"),
        ("web.md", f"up to {local.KEPT_CHARACTERS:,} characters, of the latest {local.KEPT_PAGES:,}"),
        ("protection.md", f"PDFs to {PDF_BYTES >> 20} MiB"),
        ("protection.md", f"for {snapshots.KEPT_S / 86_400:g} days, and no more than {snapshots.KEPT_BYTES >> 30} GiB"),
        ("commands.md", f"`--list` shows the latest {LISTED}"),
        ("commands.md", f"after {snapshots.KEPT_S / 86_400:g} days, or beyond {snapshots.KEPT_BYTES >> 30} GiB"),
        ("commands.md", f"{supervisor.OLD_AFTER_S // 86_400} days after their end"),
        ("commands.md", f"of the copies the oldest beyond {files.MOST_BACKUPS}"),
        ("commands.md", f"the oldest beyond {local.KEPT_PAGES:,} of one principal"),
        ("review.md", f"takes longer than {LONGEST_REVIEW_S:g} s"),
        ("review.md", f"asks above {MOST_FILES}, naming"),
        ("protection.md", f"a person after {REFUSALS} refusals in a row"),
        ("review.md", f"After {REFUSALS} calls with effects in a row"),
        ("review.md", f"run of the same call | {PENDING_HOURS} hours"),
        ("review.md", f"in this session | {SESSION_HOURS} hours"),
        ("review.md", f"this principal | {SHAPE_DAYS} days"),
        ("review.md", f"this principal | {ALWAYS_DAYS} days"),
        ("gateway.md", f"looks at its settings every {watching.EVERY_S:g} seconds"),
        ("gateway.md", f"{settings.TIMEOUT_S:g} and {settings.STARTUP_S:g} unless given"),
        ("gateway.md", f"waits for it up to {gateway.FIRST_LIST_S:g} seconds"),
        ("gateway.md", f"it keeps to {naming.LONGEST} characters"),
        ("gateway.md", f"Above {residence.RESIDENT_BYTES:,} bytes of declarations"),
        ("gateway.md", f"after {Limits().tries} failures in a row"),
        ("gateway.md", f"{LONGEST_FRAME >> 20} MiB of one message"),
        ("tool-search.md", f"no more than {residence.RESIDENT_BYTES:,} bytes together"),
        (
            "tool-search.md",
            f"called {residence.LEAST_USES} times or more in your last {settling.RECENT_SESSIONS} sessions",
        ),
        ("tool-search.md", {4: "within a quarter of it"}[residence.USED_SHARE]),
        ("tool-search.md", f"up to {LOADED_BYTES:,} bytes of definitions in one call"),
        ("tool-search.md", {3.0: "tools of this server count three times"}[NAMED_SERVER]),
        ("tools.md", f"no more than {residence.RESIDENT_BYTES:,} bytes together"),
        ("trail.md", f"A process waits up to {WAIT_SECONDS:g} s for another"),
        ("mcp.md", f"It listens on `{serve_asked.HOST}`, port {serve_asked.PORT}"),
        ("mcp.md", f"at least {mcp_http_tokens.SHORTEST_TOKEN} characters each"),
        ("mcp.md", f"`SIGTERM` gives running calls {mcp_http_plan.GRACE_S} seconds"),
        ("mcp.md", f"a body not whole after {mcp_http_door.BODY_S:g} seconds"),
        ("mcp.md", f"one of more than {mcp_http_door.LONGEST_BODY >> 20} MiB"),
        ("mcp.md", f"{mcp_http_worker.MOST_CONNECTIONS:,} connections at one worker"),
        ("trail.md", {1.0: "written up to a second later"}[INTERVAL_S]),
        ("trail.md", {365: "kept for a year"}[TRAIL_RETENTION.days]),
        ("troubleshooting.md", f"still running after {run_command.DEFAULT_TIMEOUT_S} s"),
        ("commands.md", f"latest first ({LATEST}, or"),
        ("commands.md", f"best first ({BEST}, or"),
        ("commands.md", f"`--turns N` ({MOST_TURNS})"),
    ],
)
def test_a_number_on_a_page_is_the_one_in_the_code(page: str, words: str) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())

    assert words in text
