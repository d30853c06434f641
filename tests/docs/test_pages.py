"""Pages lead somewhere, say the same in both languages, and give the numbers that the code has."""

import re
from pathlib import Path

import pytest

from hilt.agents.loop import MOST_TURNS
from hilt.assembly import keys
from hilt.calls.events import KEPT_EVENTS
from hilt.calls.tool import DEFAULT_TIMEOUT_S, RESULT_TOKENS
from hilt.cli.log import LATEST
from hilt.cli.tools import BEST
from hilt.cli.verbs import VERBS
from hilt.review.people import DEFAULT_WAIT_S, PENDING_HOURS
from hilt.runtime.road import TURN_TOKENS
from hilt.runtime.sessions import REPEATS_STOPPED
from hilt.runtime.turns import SMALLEST_SHARE
from hilt.runtime.violations import LONGEST_RECEIVED, MOST_VIOLATIONS
from hilt.store.protocol import RETENTION
from hilt.tools import find_files, search_code
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
        ("commands.md", f"latest first ({LATEST}, or"),
        ("commands.md", f"best first ({BEST}, or"),
        ("commands.md", f"`--turns N` ({MOST_TURNS})"),
    ],
)
def test_a_number_on_a_page_is_the_one_in_the_code(page: str, words: str) -> None:
    text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())

    assert words in text
