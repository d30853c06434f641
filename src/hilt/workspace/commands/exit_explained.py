"""An exit code in words: what it means to the program it came from, and which member of a pipeline failed."""

import os
from collections.abc import Mapping, Sequence

from hilt.declarations.names import nearest
from hilt.workspace.commands.exit_codes import (
    NOT_EXECUTABLE,
    NOT_FOUND,
    PIPE_CLOSED,
    program_meaning,
    signal_meaning,
)
from hilt.workspace.commands.last_command import Invoked, LastCommand

TIMED_OUT = 124
MOST_NEAR = 3


def explained(code: int, last: LastCommand, pipeline: Sequence[int], environment: Mapping[str, str]) -> str:
    """`exit code 1 (grep: nothing found)`: what happened, and never more than the code says."""
    said = f"exit code {code}"
    if code and (meaning := _meaning(code, last.candidates, environment)):
        said += f" ({meaning})"
    failed = _failed_members(code, last, pipeline)
    if failed:
        said += f" from the end of the pipeline, but {'; '.join(failed)}"
    return said


def _meaning(code: int, candidates: Sequence[Invoked], environment: Mapping[str, str]) -> str:
    known = [(each, meaning) for each in candidates if (meaning := _one_meaning(code, each, environment))]
    if known:
        invoked, meaning = known[-1]
        alone = len(candidates) == 1
        return f"{invoked.program}: {meaning}" if alone else f"if it is from {invoked.program}: {meaning}"
    if code in (NOT_FOUND, NOT_EXECUTABLE):
        return "maybe a program was not found" if code == NOT_FOUND else "maybe a file could not be executed"
    return signal_meaning(code)


def _one_meaning(code: int, invoked: Invoked, environment: Mapping[str, str]) -> str:
    if code == TIMED_OUT and "timeout" in invoked.wrappers:
        return "the time limit given to timeout passed"
    if code == NOT_FOUND and invoked.program and not _is_path(invoked):
        return missing_program(invoked.program, environment)
    if code == NOT_EXECUTABLE:
        return "it is no program, or may not be executed"
    return program_meaning(invoked.program, invoked.subcommand, code)


def _is_path(invoked: Invoked) -> bool:
    return "/" in invoked.text.split()[0]


def missing_program(name: str, environment: Mapping[str, str]) -> str:
    """That a program is not on PATH, and which are named alike. Empty where there is one of that name."""
    programs = programs_on(environment.get("PATH", os.defpath))
    if name in programs:
        return ""
    near = nearest(name, sorted(programs), most=MOST_NEAR)
    return "no such program on PATH" + (f"; there is {', '.join(near)}" if near else "")


def programs_on(path: str) -> frozenset[str]:
    """The names of the files in PATH's folders."""
    found: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            found.update(os.listdir(folder or "."))
        except OSError:
            continue
    return frozenset(found)


def _failed_members(code: int, last: LastCommand, pipeline: Sequence[int]) -> list[str]:
    """Members before the last that failed; one whose reader had enough did not."""
    if len(pipeline) < 2 or pipeline[-1] != code:
        return []
    named = last.pipeline if len(last.pipeline) == len(pipeline) else ()
    found: list[str] = []
    for place, status in enumerate(pipeline[:-1]):
        if status in (0, PIPE_CLOSED):
            continue
        who = f"`{named[place].text}`" if named else f"member {place + 1} of {len(pipeline)}"
        meaning = program_meaning(named[place].program, named[place].subcommand, status) if named else ""
        found.append(f"{who} exited with {status}" + (f" ({meaning or signal_meaning(status)})".replace(" ()", "")))
    return found
