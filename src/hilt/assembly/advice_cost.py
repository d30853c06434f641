"""What each home costs while it is not used, in tokens a turn, measured on what ships."""

from collections.abc import Mapping

from hilt.assembly.advice import Home
from hilt.assembly.own_skill import OWN
from hilt.assembly.targets import Listing
from hilt.catalog.bill import Entry, bill
from hilt.catalog.skill_lines import skill_lines
from hilt.documents.skill_file import SKILL_FILE, read_skill
from hilt.results.counting import Counter

WORDS_OF_A_TEXT = 100
"""The length that the price of a text in the prompt is given for."""


def standing_costs(listing: Listing, counter: Counter) -> Mapping[Home, int]:
    """Tokens a turn: a tool as the mean of these, a skill as one line, a text of so many words in the prompt."""
    own = read_skill((OWN / SKILL_FILE).read_bytes(), OWN.name)
    line = "\n".join(skill_lines({own.name: own.description}))
    text = " ".join(own.body.split()[:WORDS_OF_A_TEXT])
    return {
        Home.NOTHING: 0,
        Home.EXECUTOR: 0,
        Home.MEMORY: 0,
        Home.SKILL: counter.count(line),
        Home.PROJECT: counter.count(text),
        Home.TOOL: _mean(listing, counter),
    }


def _mean(listing: Listing, counter: Counter) -> int:
    environment = listing.environment
    rows = bill(
        (
            Entry(server=each.server, declaration=each.declaration, description=each.declaration.text(environment))
            for each in listing.tools
        ),
        counter,
    ).rows
    return round(sum(row.tokens for row in rows) / len(rows)) if rows else 0
