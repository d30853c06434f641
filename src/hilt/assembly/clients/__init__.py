"""MCP clients on this machine: where each keeps its servers, and Hilt put into that place and taken out again.

`clients.toml` is the table, `table.py` reads it. `json_text.py`, `json_edit.py`, `yaml_edit.py` and `toml_edit.py`
change a few characters of a file; `forms.py` chooses among them and proves that nothing else changed. `files.py`
writes, `journal.py` remembers what was there before. `entries.py` reads a client's entry as a server of `hilt.toml`.
Start with `installing.py` and `adopting.py`.
"""
