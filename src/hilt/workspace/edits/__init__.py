"""Anchored edits of text: where an old text stands in a file, what stands there instead, and the new text in its place.

Start with `anchors.py`. Nothing here opens a file.
"""
