"""What goes wrong on the way to a server, as failures a model can act on."""

import errno
import ssl
from typing import cast

import httpcore2

from hilt.results.failures import EnvironmentFailure, Retryable, ToolFailure

_REFUSED = (errno.ECONNREFUSED,)
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)


def failure_of(error: Exception, place: str, wait_s: float) -> ToolFailure:
    """The failure that an exception of the HTTP library stands for."""
    cause = _root(error)
    if isinstance(cause, ssl.SSLError):
        return _tls(cause, place)
    if isinstance(error, httpcore2.ConnectTimeout):
        return Retryable(f"{place} did not answer within {wait_s:g} s", "call again later", "fetch another source")
    if isinstance(error, httpcore2.ReadTimeout | httpcore2.WriteTimeout | httpcore2.PoolTimeout):
        return Retryable(f"{place} sent nothing for {wait_s:g} s", "call again later", "fetch another source")
    if isinstance(error, httpcore2.ConnectError):
        return _unconnected(cause, place)
    if isinstance(error, httpcore2.RemoteProtocolError | httpcore2.NetworkError):
        return Retryable(f"{place} broke the connection off: {_words(error)}", "call again", "fetch another source")
    return EnvironmentFailure(f"{place} cannot be spoken to: {_words(error)}", "fetch another source")


def _tls(error: ssl.SSLError, place: str) -> EnvironmentFailure:
    reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or "no common way to encrypt"
    return EnvironmentFailure(
        f"{place} cannot be trusted or spoken to over TLS: {str(reason).lower().replace('_', ' ')}",
        "fetch another source",
        "tell the person that the site's certificate or encryption is at fault",
    )


def _unconnected(cause: BaseException, place: str) -> ToolFailure:
    codes = _codes(cause)
    if codes & set(_REFUSED):
        return EnvironmentFailure(f"nothing answers at {place}: the connection was refused", "check host and port")
    if codes & set(_NO_WAY):
        return EnvironmentFailure(
            f"there is no way to {place} from here", "tell the person that the network may be off or closed"
        )
    return Retryable(f"{place} could not be connected to", "call again later", "fetch another source")


def _codes(cause: BaseException) -> set[int]:
    """Error numbers of a cause, also of several together, one for each address tried."""
    if isinstance(cause, BaseExceptionGroup):
        # cast: isinstance cannot say what is grouped
        group = cast("BaseExceptionGroup[BaseException]", cause)
        return {code for each in group.exceptions for code in _codes(each)}
    found = {cause.errno} if isinstance(cause, OSError) and cause.errno is not None else set[int]()
    return found | (_codes(cause.__cause__) if cause.__cause__ else set[int]())


def _root(error: BaseException) -> BaseException:
    """The first cause behind an exception that only stands for another."""
    while isinstance(error, httpcore2.NetworkError) and error.args and isinstance(error.args[0], BaseException):
        error = error.args[0]
    return error


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
