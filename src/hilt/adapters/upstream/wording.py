"""What a model is told of a call that failed on its way, and a person of a server: one line, without secrets."""

from collections.abc import Callable, Iterable

from hilt.adapters.upstream.faults import INVALID_PARAMS, METHOD_NOT_FOUND, Expired, Lost, NotSent, RpcError, TooLarge
from hilt.results.failures import Aborted, EnvironmentFailure, InvalidArguments, Retryable, ToolFailure

LONGEST_SAID = 2_000
"""Characters of a server's own error that a model is shown."""
LINES_SAID = 3
REPORT = "take another way, or report it to the person"


def call_failed(server: str, tool: str, error: Exception, retry_s: float, mask: Callable[[str], str]) -> ToolFailure:
    """A call that came to no result, as the failure the model reads."""
    said = cut(mask(str(error)))
    match error:
        case RpcError(code=code):
            return _refused(server, tool, code, said)
        case Lost():
            return Aborted(
                f"the connection to the server {server} was lost while {tool} ran: {said}. "
                "Whether it was done is not known, and it is not repeated by itself",
                "find out what was done before calling it again",
                REPORT,
            )
        case NotSent(busy=True, retry_s=after):
            wait_s = retry_s if after is None else after
            return Retryable(
                f"the server {server} is too busy to take {tool}: {said}",
                f"call it again in {wait_s:g} s",
                REPORT,
                retry_after_s=wait_s,
            )
        case NotSent() | Expired():
            return Retryable(
                f"the server {server} is being restarted; {tool} did not reach it: {said}",
                f"call it again in {retry_s:g} s",
                REPORT,
                retry_after_s=retry_s,
            )
        case TooLarge():
            return EnvironmentFailure(
                f"{tool} of the server {server} was done, but {said}", "ask it for less at a time", REPORT
            )
        case _:
            return EnvironmentFailure(f"{tool} of the server {server} gave no result: {said}", REPORT)


def _refused(server: str, tool: str, code: int, said: str) -> ToolFailure:
    if code == INVALID_PARAMS:
        return InvalidArguments(
            f"the server {server} does not take these arguments for {tool}: {said}", "change what its words name"
        )
    if code == METHOD_NOT_FOUND:
        return EnvironmentFailure(f"the server {server} has no such call: {said}", REPORT)
    return EnvironmentFailure(f"the server {server} answered {tool} with error {code}: {said}", REPORT)


def down(server: str, fault: str, step: str) -> EnvironmentFailure:
    """A server that does not come up."""
    return EnvironmentFailure(f"the server {server} cannot be reached: {fault}", REPORT, f"the person can: {step}")


def restarting(server: str, fault: str, retry_s: float) -> Retryable:
    """A server between two tries."""
    return Retryable(
        f"the server {server} is being restarted: {fault}",
        f"call it again in {retry_s:g} s",
        REPORT,
        retry_after_s=retry_s,
    )


def with_lines(fault: str, lines: Iterable[str]) -> str:
    """A fault and the last the server wrote."""
    said = " | ".join(tuple(lines)[-LINES_SAID:])
    return f"{fault}; it last wrote: {said}" if said else fault


def cut(text: str) -> str:
    """A server's words on one line, bounded."""
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_SAID else plain[: LONGEST_SAID - 3] + "..."
