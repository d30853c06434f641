"""Many MCP servers behind one runtime: every tool of theirs an ordinary tool of the catalog, on the one road.

`gateway` is where to start: it runs the servers that the settings name. `settings` reads one server's table, `files`
the lists that other programs keep; `member` is one server and its tools, `forming` makes a tool of a declaration;
`passing` hands resources and prompts through, `watching` follows the settings.

Not here: the connection (`adapters.upstream`), pins (`assembly.pinning`), what a result is read as
(`adapters.mcp_foreign`), serving all this to a client (`adapters.mcp_server`).
"""
