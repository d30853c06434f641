"""Errors and exit codes, one table for every verb.

On stderr: `error:` what, `cause:` why, `try:` a command; in JSON mode one object instead. No
condition of the machine or the network maps to 1, which is kept for verdicts.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

import click

from hilt.errors import EndpointError, HiltError, StoreError
from hilt.results.envelope import SCHEMA_VERSION

DEBUG = "HILT_DEBUG"
FORMAT = "HILT_OUTPUT_FORMAT"


class Code(IntEnum):
    """Exit codes."""

    FINE = 0
    FAILED = 1
    WRONG_USE = 2
    CONSENT = 3
    UNREACHABLE = 4
    NO_VERDICT = 5
    INTERRUPTED = 130


_WORST = (Code.FAILED, Code.CONSENT, Code.UNREACHABLE, Code.NO_VERDICT)


def worst(codes: Sequence[int]) -> int:
    """The code of several targets: the worst of 1 > 3 > 4 > 5 > 0."""
    return next((code for code in _WORST if code in codes), Code.FINE)


class CommandError(HiltError):
    """A command cannot go on. `code` is its exit code, `label` the stable name of the error in JSON."""

    def __init__(self, problem: str, *next_steps: str, code: int = Code.WRONG_USE, label: str = "usage") -> None:
        super().__init__(problem, *next_steps)
        self.code = code
        self.label = label


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An error as it is printed."""

    code: int
    label: str
    what: str
    why: str = ""
    steps: tuple[str, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict[str, object])

    def text(self) -> str:
        """Three lines at most for people: what, why, what to try."""
        lines = [f"error: {self.what}"]
        if self.why:
            lines.append(f"cause: {self.why}")
        return "\n".join([*lines, *(f"try: {step}" for step in self.steps)])

    def document(self) -> dict[str, object]:
        """One object for programs."""
        return {
            "schema_version": SCHEMA_VERSION,
            "error": {
                "code": self.label,
                "message": self.what,
                "hint": "; ".join(self.steps),
                "details": {"exit_code": self.code, **({"cause": self.why} if self.why else {}), **self.details},
            },
        }


def fault_of(error: HiltError) -> Fault:
    """The printed form of a host's mistake."""
    code, label = _code(error)
    why = _cause(error.__cause__)
    return Fault(
        code=code, label=label, what=error.problem, why="" if why in error.problem else why, steps=error.next_steps
    )


def _cause(cause: BaseException | None) -> str:
    """The first line of what lay behind an error."""
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    lines = str(cause or "").strip().splitlines()
    return lines[0] if lines else ""


def _code(error: HiltError) -> tuple[int, str]:
    if isinstance(error, CommandError):
        return error.code, error.label
    unreachable = isinstance(error, StoreError | EndpointError) or getattr(error, "unreachable", False)
    label = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(error).__name__)
    return (Code.UNREACHABLE if unreachable else Code.WRONG_USE), label.lstrip("_").removesuffix("_error")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether errors are to be JSON, told from the bare arguments: they may be what is wrong."""
    ours = list(arguments)[: list(arguments).index("--")] if "--" in arguments else list(arguments)
    if "--json" in ours or "--output-format=json" in ours:
        return True
    pairs = pairwise(ours)
    return ("--output-format", "json") in pairs or os.environ.get(FORMAT) == "json"


def explained(work: Callable[[], object], *, as_json: bool) -> int:
    """The exit code of `work`; what it raises is printed as the law says."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has gone: nothing is left to say, and the interpreter must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Code.FINE
    except (KeyboardInterrupt, click.Abort):  # click has ended the line that ^C stands on
        return Code.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as asked:
        sys.stdout.write(asked.format_message() + "\n")
        return Code.WRONG_USE
    except click.ClickException as error:
        return report(_usage(error), as_json=as_json)
    except HiltError as error:
        _trace()
        return report(fault_of(error), as_json=as_json)
    except Exception as error:  # the last door: a fault of Hilt itself must not look like a verdict
        _trace()
        return report(_ours(error), as_json=as_json)
    return code if isinstance(code, int) else Code.FINE


def _trace() -> None:
    """The traceback, for whoever asked for it."""
    if os.environ.get(DEBUG) or "-vv" in sys.argv:
        traceback.print_exc()


def _ours(error: Exception) -> Fault:
    what = f"hilt itself failed: {type(error).__name__}: {error}"
    return Fault(
        code=Code.NO_VERDICT, label="internal", what=what, steps=(f"run it again with {DEBUG}=1, and report it",)
    )


def report(fault: Fault, *, as_json: bool) -> int:
    """Print one error on stderr; returns its exit code."""
    text = json.dumps(fault.document(), ensure_ascii=False) if as_json else fault.text()
    sys.stderr.write(text + "\n")
    return fault.code


def _usage(error: click.ClickException) -> Fault:
    """click's complaint: what is wrong, and the one command that is most likely meant."""
    context = getattr(error, "ctx", None)
    path = context.command_path if isinstance(context, click.Context) else "hilt"
    near: Sequence[str] = getattr(error, "possibilities", None) or ()
    message = error.message if near else error.format_message()
    what = f"{message[:1].lower()}{message[1:].rstrip('.')}"
    if near:
        return Fault(
            code=Code.WRONG_USE, label="usage", what=f"{what}; did you mean {near[0]}?", steps=(f"{path} {near[0]}",)
        )
    return Fault(code=Code.WRONG_USE, label="usage", what=what, steps=(f"{path} --help",))
