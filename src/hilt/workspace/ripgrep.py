"""Searching with ripgrep: exact totals, any page, a stable order, bounded memory.

    open_place      the folder or file, held by descriptor
    count_matches   first pass: which files match, and how often (`ripgrep_counts.py`)
    read_page       second pass: the lines of one page (`ripgrep_page.py`)
    find            files by name, newest first (`ripgrep_files.py`)
    reach           what an empty search covered, and what it left out

Ignored, hidden and binary files and version control folders are left out as
`ripgrep_command.py` says; links are never followed. This file is the door to the others.
"""

from hilt.workspace.ripgrep_command import VCS_FOLDERS, Query, Selection
from hilt.workspace.ripgrep_counts import MOST_COUNTED, Counts, Reach, count_matches, reach
from hilt.workspace.ripgrep_files import Found, FoundFile, find
from hilt.workspace.ripgrep_matches import MOST_LINES
from hilt.workspace.ripgrep_page import FileHits, Page, read_page
from hilt.workspace.ripgrep_place import Place, open_place
from hilt.workspace.ripgrep_refusals import Unreadable, checked_query, checked_selection
from hilt.workspace.ripgrep_text import CUT, LONGEST_LINE
from hilt.workspace.ripgrep_window import Hit

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
