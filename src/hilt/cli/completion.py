"""Shell completion: the script that click writes, put where the shell looks for it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from hilt.cli.faults import CommandError

VARIABLE = "_HILT_COMPLETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Where a shell looks for scripts of completion, below the home folder, and what it needs once."""

    file: str
    once: str = ""


SHELLS: Mapping[str, Shell] = {
    "bash": Shell(file=".local/share/bash-completion/completions/hilt"),
    "zsh": Shell(file=".zfunc/_hilt", once="in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": Shell(file=".config/fish/completions/hilt.fish"),
}


def install(command: click.Command, program: str) -> str:
    """Write the script for the shell that `SHELL` names, and say what to do. Raises `CommandError`."""
    name = Path(os.environ.get("SHELL", "")).name
    shell, kind = SHELLS.get(name), get_completion_class(name)
    if shell is None or kind is None:
        shown = name or "no shell"
        raise CommandError(
            f"SHELL names {shown}, and completion is for {', '.join(SHELLS)}", "SHELL=bash hilt --install-completion"
        )
    file = Path.home() / shell.file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(kind(command, {}, program, VARIABLE).source(), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}", "give this user write access to it") from None
    return "\n".join(filter(None, (f"wrote {file}", shell.once, f"open a new {name} to use it")))
