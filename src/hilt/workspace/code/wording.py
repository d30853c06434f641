"""How a run of code is told: how it ended, what an exception means here, and how much of a value is shown."""

import re
import signal
from collections.abc import Iterator, Set

from hilt.workspace.code.interpreters import Fault, Ran
from hilt.workspace.code.limits import FILE_MIB, LOST_EXIT, MEMORY_GIB

RESULT_SHOWN = 2_000
"""Characters of a value up to which it is shown whole."""
HEAD_CHARS = 1_500
"""Characters of a longer one that are shown of its start; its end has the rest."""
SUMMARY_CHARS = 200
EXTRA = "compute"
_IN_EXTRA = ("sympy", "numpy", "mpmath")
COMMAND_TOOL = "run_command"
_TOO_LARGE = "[Errno 27]"
_RELATIVE = re.compile(r": '[^/']")


def ending(ran: Ran) -> str:
    """How a run ended that was not out of time, for a summary."""
    if ran.reply is None:
        return _died(ran.status)
    fault = ran.reply.get("error")
    if fault is None:
        return "ran to its end"
    line = f" in line {fault['line']:,}" if "line" in fault else ""
    if fault["type"] == "SystemExit":
        return f"ended by sys.exit({'' if fault['message'] == 'None' else fault['message']}){line}"
    first = headline(fault)
    return f"{fault['type']}{line}{': ' if first else ''}{first}"


def headline(fault: Fault) -> str:
    """The first line of an exception's message, as much of it as a summary takes."""
    first = fault["message"].partition("\n")[0]
    return first if len(first) <= SUMMARY_CHARS else f"{first[: SUMMARY_CHARS - 3]}..."


def fault_lines(fault: Fault) -> Iterator[str]:
    """What a summary has no room for: a long message, where it was raised, and the exception before it."""
    if fault["message"] != headline(fault):
        yield fault["message"]
    yield from (f"  {each}" for each in fault.get("trace", ()))
    yield from (f"  with {each}" for each in fault.get("holds", ()))
    if "after" in fault:
        yield f"  after {fault['after']}"


def is_exit(fault: Fault) -> bool:
    """Whether this is how code ends on purpose, and well."""
    return fault["type"] == "SystemExit" and fault["message"] in {"", "0", "None"}


def hints(fault: Fault, offered: Set[str] = frozenset()) -> Iterator[str]:
    """What an exception means here, where its own message does not say so."""
    kind, message = fault["type"], fault["message"]
    if kind == "ModuleNotFoundError":
        yield _missing_module(message, offered)
    elif kind == "EOFError":
        yield "there is nobody to type: put what is to be read into the code"
    elif kind == "MemoryError" or kind.endswith("ArrayMemoryError"):
        yield f"a process may hold {MEMORY_GIB} GiB: work on smaller parts"
    elif kind == "OSError" and message.startswith(_TOO_LARGE):
        yield f"a file may have at most {FILE_MIB} MiB"
    elif kind == "FileNotFoundError" and _RELATIVE.search(message):
        yield "the current folder is a scratch one: give absolute paths of other files"


def _missing_module(message: str, offered: Set[str]) -> str:
    missing = next((name for name in _IN_EXTRA if f"'{name}" in message), None)
    if missing:
        return f"{missing} comes with hilt[{EXTRA}]: ask the person to install it, or do without"
    other = f"; {COMMAND_TOOL} can use the project's" if COMMAND_TOOL in offered else ""
    return f"this is the Python that Hilt is installed in, with what is installed there{other}"


def shown_result(text: str, length: int) -> tuple[str, int]:
    """A value's text, without its middle where it is long, and how many of its characters that shows."""
    if length <= RESULT_SHOWN:
        return text, length
    tail = "" if length > len(text) else text[len(text) - (RESULT_SHOWN - HEAD_CHARS) :]
    shown = HEAD_CHARS + len(tail)
    return f"{text[:HEAD_CHARS]} [... {length - shown:,} characters ...] {tail}".rstrip(), shown


def _died(status: int | None) -> str:
    if status is None:
        return "the process was ended from outside before it told what the code came to"
    if status < 0:
        return f"the process died of {_signal(-status)}, before the code's last line was done"
    why = ": it had broken the way its answer takes" if status == LOST_EXIT else " before its last line was done"
    return f"the code ended its process with exit code {status}{why}"


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    told = {"SIGSEGV": ", bad memory access", "SIGKILL": ", perhaps for want of memory", "SIGABRT": ", given up"}
    return name + told.get(name, "")
