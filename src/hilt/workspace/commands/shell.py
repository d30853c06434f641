"""A command line for bash: handed over as it is, one argument, with word at the end of where it stood.

bash reads a file of ours first (`BASH_ENV`), which takes that variable back and sets an EXIT trap
that notes the folder and the codes of the last pipeline in a file. The alternatives lost: a line
added to the command changes what `set -e`, `exit` and a syntax error do; a wrapper changes quoting.
"""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hilt.errors import StoreError
from hilt.results.failures import EnvironmentFailure
from hilt.workspace.processes import Processes
from hilt.workspace.processes.found import read_regular

PROGRAMS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")
RC_FILE, REPORT_FILE = "rc", "report"
_VARIABLE = "BASH_ENV"
_WORD = r"""(?:[\w./+=:@,%^*?~-]|'[^'\n]*'|"[^"$`\\!\n]*")+"""
_ONE_PROGRAM = re.compile(rf"(?!(?:source|eval|\.) )[\w./][\w./+-]*(?: +{_WORD})*", re.ASCII)
_FUNCTION = "BASH_FUNC_"
"""How the names of variables begin that hold a function for bash."""
LONGEST_REPORT = 64 << 10
_MOVES = re.compile(r"(?<![\w./-])(?:cd|pushd|popd)(?![\w./-])")
LONGEST_COMMAND = (128 << 10) - 1
"""The longest single argument that Linux takes, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellReport:
    """What the shell noted at its end: its folder, and the codes of its last pipeline's members."""

    folder: str
    pipeline: tuple[int, ...]


def bash() -> str:
    """The path of bash. Raises EnvironmentFailure where there is none."""
    for each in PROGRAMS:
        if os.access(each, os.X_OK):
            return each
    raise EnvironmentFailure(
        "this machine has no bash to run command with", "give argv instead", "ask the person to install bash"
    )


def new_place(processes: Processes) -> Path:
    """A folder for a command's files. Raises EnvironmentFailure where there can be none."""
    try:
        return processes.new_place()
    except (OSError, StoreError) as fault:
        problem = f"there is no place for the output: {fault}"
        raise EnvironmentFailure(problem, "report it to the person") from fault


def prepare(command: str, place: Path, environment: Mapping[str, str]) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """The argv and environment that run `command`, with a report in `place` at its end where one can say something."""
    if _runs_one_program(command, environment):
        return (bash(), "--noprofile", "--norc", "-c", command), environment
    before = environment.get(_VARIABLE)
    rc = place / RC_FILE
    last = environment.get("_", bash())
    report = report_file(place)
    report.touch(mode=0o600)  # so that it can be written where nothing else of the folder can
    rc.write_bytes(_rc(report, before, last).encode("utf-8", "surrogateescape"))
    return (bash(), "--noprofile", "--norc", "-c", command), {**environment, _VARIABLE: str(rc)}


def report_file(place: Path) -> Path:
    """The file in a job's folder that the shell notes its end in."""
    return place / REPORT_FILE


def _rc(report: Path, before: str | None, last: str) -> str:
    """The file that bash reads first; `last` is what `$_` is at the start of any bash.

    The trap is one group with its errors turned off, so that `set -x` does not show it.
    """
    noted = f'builtin printf \'%s\\0\' "$PWD" "${{PIPESTATUS[@]}}" >|{shlex.quote(str(report))}'
    lines = [
        f"builtin unset {_VARIABLE}" if before is None else f"builtin export {_VARIABLE}={shlex.quote(before)}",
        f"builtin trap {shlex.quote(f'{{ {noted}; }} 2>/dev/null')} EXIT",
    ]
    if before is not None:
        lines.append(f'if [[ -r "{before}" ]]; then builtin source "{before}"; fi')  # as bash itself expands it
    lines.append(f"builtin : {shlex.quote(last)}")
    return "\n".join(lines) + "\n"


def _runs_one_program(command: str, environment: Mapping[str, str]) -> bool:
    """Whether this is one simple command that cannot change the folder: nothing to report of it.

    bash becomes the program then, which spares a file, a trap and a process: a third of a short command's time.
    """
    if _ONE_PROGRAM.fullmatch(command) is None or may_move(command):
        return False
    return _VARIABLE not in environment and not any(name.startswith(_FUNCTION) for name in environment)


def may_move(command: str) -> bool:
    """Whether the text names a builtin that changes the folder, so that an end nobody noted may be elsewhere."""
    return _MOVES.search(command) is not None


def read_report(place: Path) -> ShellReport | None:
    """What was noted; None where the shell did not come to its end, or had an EXIT trap of its own."""
    content = read_regular(place / REPORT_FILE, LONGEST_REPORT)
    if content is None:
        return None
    folder, *codes = content.decode("utf-8", "surrogateescape").split("\0")[:-1] or [""]
    numbers = tuple(int(code) for code in codes if code.isdigit())
    return ShellReport(folder=folder, pipeline=numbers) if folder.startswith("/") else None
