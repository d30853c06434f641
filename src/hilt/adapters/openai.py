"""OpenAI in its best-known form: `openai_chat` under a short name. For Responses see `openai_responses`.

The SDK of the same name is not imported here, nor needed.
"""

from hilt.adapters.openai_chat import answer, offer, read, repaired, results, resume, tools

__all__ = ["answer", "offer", "read", "repaired", "results", "resume", "tools"]
