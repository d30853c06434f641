"""Effects drafted from schemas, as TOML for a person to edit: every guess is marked, its evidence stands beside it."""

import json
from collections.abc import Iterator, Mapping, Sequence

from hilt.audit.legs import Audited, Leg
from hilt.declarations.effects import UNDECLARED

GUESS = "guess"
HEAD = f"""# Effects drafted from names, descriptions and schemas. Read each line: what is marked "{GUESS}" is one,
# and what nobody corrects is believed. `hilt audit TARGET --effects FILE` reads this file.
# reads: none | public | private      brings: own | third-party (who wrote the text that comes in)
# does: any of fetch, write, run, send, spend, destroy, credential; none for []
# roles: path | command | url | destination | target | credential | content
# origins, of fields of a result: service | user | third-party (every field that is not named)
"""


def draft(tools: Sequence[Audited]) -> str:
    """The file's text."""
    return "\n".join([HEAD, *(line for tool in tools for line in _table(tool))])


def _table(tool: Audited) -> Iterator[str]:
    effects = tool.effects
    yield f"[effects.{quoted(f'{tool.server}.{tool.name}')}]"
    if effects == UNDECLARED:
        yield f"# {GUESS}: nothing in its declaration shows what it does, so everything stands here"
    yield _line("reads", quoted(effects.reads), _evidence(tool, "private", "nothing shows private data"))
    yield _line(
        "brings", quoted(effects.brings), _evidence(tool, "third_party", "nothing shows what third parties wrote")
    )
    yield _line(
        "does",
        f"[{', '.join(quoted(each) for each in sorted(effects.does))}]",
        _evidence(tool, "way_out", "no way out is shown"),
    )
    for name, values in (("roles", effects.roles), ("also", effects.also), ("origins", effects.origins)):
        if values:
            yield _line(name, _mapping(values), "by their names, formats and types")
    yield ""


def _evidence(tool: Audited, leg: Leg, otherwise: str) -> str:
    found = next((each for each in tool.ranked if each.leg == leg and each.basis != "possible"), None)
    return found.why if found else otherwise


def _line(name: str, value: str, why: str) -> str:
    return f"{name} = {value}  # {GUESS}: {' '.join(why.split())}"


def _mapping(values: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{quoted(name)} = {quoted(value)}" for name, value in values.items()) + " }"


def quoted(text: str) -> str:
    """A TOML string; JSON's escapes are among TOML's, and DEL alone must be escaped besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
