"""Reading what is not plain text: office documents, books, tables, PDF pages, notebooks, images.

Takes bytes that `workspace` has opened and returns text, cells or a rendered page. One format, one
file: start at `readers.py`, which lists them; `formats.py` finds out which it is, each gives a
`Reading` of `pieces.py`, and `paging.py` takes a page of it. `package.py` unpacks what is a ZIP.

`skill_file.py` reads a SKILL.md, and `skills.py` chooses among those that were found.

Not here: opening a file, deciding how much of it a model is shown.
"""
