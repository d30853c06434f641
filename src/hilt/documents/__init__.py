"""Reading what is not plain text: PDF pages as text or pictures, office files, notebooks, images.

Takes bytes that `workspace` has opened, and returns text, tables or a rendered page.

Not here: opening a file, deciding how much of it a model is shown.

No code yet.
"""
