"""Searching the files below a folder with ripgrep: any page of any result, exact totals, bounded memory.

Start with `ripgrep.py`.
"""
