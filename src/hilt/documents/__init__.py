"""Reading what is not plain text: PDF pages as text or pictures, notebooks, images.

Takes bytes that `workspace` has opened and returns text, cells or a rendered page. One format, one
file: `pdf.py`, `notebook.py`, `images.py`; `png.py` writes what a page looks like; `kinds.py` tells
formats apart by their first bytes.

`skill_file.py` reads a SKILL.md, and `skills.py` chooses among those that were found.

Not here: opening a file, deciding how much of it a model is shown.
"""
