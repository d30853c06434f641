"""From `hilt.toml` to a runtime that works: shelf, policy, store, trace, counter.

Start with `build.py`: `open_runtime`. `config.py` reads the settings, `origin.py` knows where each
came from, `shelf.py` lists the tools that come with Hilt, `targets.py` reads what a TARGET on the
command line names, `trace.py` keeps events in the store. `gateway` runs the MCP servers of the settings,
`pinning.py` compares what they declare, `clients` changes the files of MCP clients. The one room
that knows which parts exist and hands each to whoever asks for it by class.

Not here: what the parts do.
"""
