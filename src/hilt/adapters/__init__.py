"""Wire formats: a provider's request and reply on one side, our nouns on the other.

One module for each provider or framework. Vendor SDKs are imported here and nowhere else, and only
where a framework cannot be met without its own classes.

Start with `openai_chat.py`: `tools` and `offer` write declarations, `read` makes a turn of a message,
`results` and `answer` write the answers, `resume` completes a broken transcript. `wire.py`,
`schemas.py`, `media.py` and `transcripts.py` hold what providers share; `frameworks.py` (ours in theirs) and
`framework_tools.py` (theirs as ours) what agent frameworks do. MCP has two sides: `mcp_server.py` serves our tools,
`upstream` is a connection to another's server, and `mcp_foreign.py` makes a tool of what it declares.

Not here: sending anything to a model (`agents`), running a call (`runtime`).
"""
