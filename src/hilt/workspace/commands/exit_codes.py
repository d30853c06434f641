"""What exit codes mean: of signals and shells for all programs, and to single programs by their manuals."""

import signal
from collections.abc import Mapping

NOT_FOUND, NOT_EXECUTABLE, SIGNALLED = 127, 126, 128
KILLED = 137
PIPE_CLOSED = SIGNALLED + signal.SIGPIPE

MEANINGS: Mapping[str, Mapping[int, str]] = {
    "grep": {1: "nothing found", 2: "an error, such as a bad pattern or an unreadable file"},
    "rg": {1: "nothing found", 2: "an error, such as a bad pattern or an unreadable file"},
    "ag": {1: "nothing found"},
    "ack": {1: "nothing found"},
    "pgrep": {1: "no process matches"},
    "pkill": {1: "no process matches"},
    "diff": {1: "the inputs differ", 2: "an error, such as a missing file"},
    "cmp": {1: "the inputs differ", 2: "an error, such as a missing file"},
    "test": {1: "the condition is false", 2: "the condition is no valid expression"},
    "[": {1: "the condition is false", 2: "the condition is no valid expression"},
    "[[": {1: "the condition is false", 2: "the condition is no valid expression"},
    "expr": {1: "the result is zero or empty", 2: "no valid expression"},
    "let": {1: "the result is zero"},
    "((": {1: "the result is zero"},
    "which": {1: "not found on PATH"},
    "type": {1: "not found"},
    "command": {1: "not found"},
    "find": {1: "some paths could not be searched"},
    "ls": {1: "some entries could not be read", 2: "a path given does not exist or cannot be read"},
    "timeout": {124: "the time limit given to timeout passed", 125: "timeout itself failed"},
    "xargs": {
        1: "an error",
        123: "some invocations failed",
        124: "an invocation exited with 255",
        125: "an invocation was killed by a signal",
    },
    "pytest": {
        1: "tests failed",
        2: "interrupted, or errors in collecting",
        3: "an internal error of pytest",
        4: "wrong use of pytest, such as a path that does not exist",
        5: "no tests were collected",
    },
    "git diff": {1: "there are differences", 129: "wrong use of git"},
    "git grep": {1: "nothing found"},
    "git merge-base": {1: "not an ancestor"},
    "git show-ref": {1: "no such reference"},
    "git": {128: "a fatal error of git", 129: "wrong use of git"},
    "make": {1: "a target is out of date (asked with -q)", 2: "a target could not be made"},
    "curl": {
        3: "a malformed URL",
        5: "the proxy's name cannot be resolved",
        6: "the host's name cannot be resolved",
        7: "cannot connect",
        22: "the server answered with an error (asked with -f)",
        23: "the output cannot be written",
        28: "the time limit passed",
        35: "the TLS handshake failed",
        52: "the server sent nothing",
        56: "the connection broke",
        60: "the server's certificate cannot be verified",
    },
    "wget": {
        4: "a network failure",
        5: "the server's certificate cannot be verified",
        8: "the server answered an error",
    },
    "ssh": {255: "ssh itself failed, not the remote command"},
    "scp": {255: "the connection failed"},
    "rsync": {23: "some files could not be copied", 24: "some files vanished meanwhile"},
    "tar": {1: "some files differ or changed meanwhile", 2: "a fatal error"},
    "unzip": {1: "warnings only", 9: "no such archive", 11: "no file in it matches"},
    "zip": {12: "nothing to do"},
    "mypy": {1: "type errors found", 2: "mypy itself failed"},
    "pyright": {1: "type errors found", 2: "pyright itself failed"},
    "tsc": {1: "type errors found, nothing written", 2: "type errors found"},
    "ruff": {1: "violations found", 2: "ruff itself failed"},
    "eslint": {1: "violations found", 2: "eslint itself failed"},
    "flake8": {1: "violations found"},
    "pylint": {32: "wrong use of pylint"},
    "black": {1: "files would be changed", 123: "an internal error of black"},
    "shellcheck": {1: "issues found", 2: "some files could not be read"},
    "cargo": {101: "the build or the tests failed"},
    "go": {1: "the build or the tests failed", 2: "the build failed, or wrong use of go"},
    "systemctl": {3: "the unit is not active", 4: "no such unit"},
    "jq": {
        1: "the last output is false or null (asked with -e)",
        2: "wrong use",
        3: "the filter is no valid program",
        5: "the input is no valid JSON, or the filter failed on it",
    },
    "docker": {125: "docker itself failed, not the container's command"},
    "ping": {1: "no reply", 2: "an error, such as an unknown host"},
    "nc": {1: "cannot connect"},
    "read": {1: "the input ended"},
    "wait": {127: "no such child"},
}


def signal_name(number: int) -> str:
    """`SIGKILL` for 9; the number for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def signal_meaning(code: int) -> str:
    """What a code above 128 says; empty where it names no signal."""
    number = code - SIGNALLED
    if number not in signal.valid_signals():
        return ""
    because = {
        signal.SIGKILL: "killed from outside, maybe for want of memory",
        signal.SIGSEGV: "it touched memory that is not its own",
        signal.SIGABRT: "it gave up by itself",
        signal.SIGPIPE: "whoever read its output stopped reading",
        signal.SIGXCPU: "its processor time was used up",
        signal.SIGXFSZ: "a file grew over its limit",
    }.get(signal.Signals(number) if number in set(signal.Signals) else signal.SIGTERM, "")
    return f"ended by {signal_name(number)}" + (f": {because}" if because else "")


def program_meaning(program: str, subcommand: str, code: int) -> str:
    """What `code` means to one program, by its own manual; empty where that is not known."""
    own = MEANINGS.get(f"{program} {subcommand}", {}).get(code) or MEANINGS.get(program, {}).get(code)
    return own or ""
