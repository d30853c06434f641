"""Searching with ripgrep: exact totals, any page, a stable order, bounded memory.

    open_place      the folder or file, held by descriptor
    count_matches   first pass: which files match, and how often (`counts.py`)
    read_page       second pass: the lines of one page (`page.py`)
    find            files by name, newest first (`files.py`)
    reach           what an empty search covered, and what it left out

Ignored, hidden and binary files and version control folders are left out as
`command.py` says; links are never followed. This file is the door to the others.
"""

from hilt.workspace.search.command import VCS_FOLDERS, Query, Selection
from hilt.workspace.search.counts import MOST_COUNTED, Counts, Reach, count_matches, reach
from hilt.workspace.search.files import Found, FoundFile, find
from hilt.workspace.search.matches import MOST_LINES
from hilt.workspace.search.page import FileHits, Page, read_page
from hilt.workspace.search.place import Place, open_place
from hilt.workspace.search.refusals import Unreadable, checked_query, checked_selection
from hilt.workspace.search.text import CUT, LONGEST_LINE
from hilt.workspace.search.window import Hit

__all__ = [
    "CUT",
    "LONGEST_LINE",
    "MOST_COUNTED",
    "MOST_LINES",
    "VCS_FOLDERS",
    "Counts",
    "FileHits",
    "Found",
    "FoundFile",
    "Hit",
    "Page",
    "Place",
    "Query",
    "Reach",
    "Selection",
    "Unreadable",
    "checked_query",
    "checked_selection",
    "count_matches",
    "find",
    "open_place",
    "reach",
    "read_page",
]
