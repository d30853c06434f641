"""Where skills lie, also outside the roots, and the arguments handed to their scripts.

Start with `folders.py`. How a SKILL.md is read is in `hilt.documents`.
"""
