"""A tool of one's own, begun: its module, its test, and its line in `hilt.toml`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from hilt.assembly.sources import FILE
from hilt.declarations.names import LONGEST_NAME
from hilt.errors import ConfigError

TOOLS, TESTS = "tools", "tests"
TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The files that were written, and the one that was changed."""

    tool: Path
    test: Path
    config: Path


def begin_tool(name: str, folder: Path) -> Begun:
    """Write the files for a tool. Raises `ConfigError` when the name is unfit or a file is there already."""
    if re.fullmatch(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}", name) is None:
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "search_notes"
        raise ConfigError(f"{name!r} is no name for a Python module and a tool", f"hilt new tool {better}")
    begun = Begun(tool=folder / TOOLS / f"{name}.py", test=folder / TESTS / f"test_{name}.py", config=folder / FILE)
    for path in (begun.tool, begun.test):
        if path.exists():
            raise ConfigError(f"{path} is there already", "choose another name, or remove it")
    document = _with_tool(begun.config, f"{TOOLS}/{name}.py")
    for path, template in ((begun.tool, "tool.txt"), (begun.test, "test.txt")):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(name=name)
        path.write_text(text, encoding="utf-8")
    begun.config.write_text(document, encoding="utf-8")
    return begun


def _with_tool(config: Path, target: str) -> str:
    """The configuration with one tool more, comments and order kept."""
    text = config.read_text(encoding="utf-8") if config.exists() else ""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise ConfigError(f"{config} is not TOML: {error}", "correct that line") from None
    tools = cast("Mapping[str, object]", document).get("tools")
    if not isinstance(tools, Array):
        # Top-level keys stand before the first table, or they would belong to it.
        return f'tools = ["{target}"]\n' + (f"\n{text}" if text else "")
    cast("list[str]", tools).append(target)
    return tomlkit.dumps(document)
