"""What goes wrong between us and a server, before it is worded for a model."""


class RpcError(Exception):
    """The server answered a request with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class BrokenAnswer(Exception):
    """The answer to one request cannot be read. The connection goes on."""


class TooLarge(BrokenAnswer):
    """The answer to one request is over the bound, and was skipped."""


class Lost(Exception):
    """The connection ended with the request under way."""


class NotSent(Exception):
    """The request never reached the server. `busy`: it takes nothing more at present; `retry_s` if it says how long."""

    def __init__(self, problem: str, *, busy: bool = False, retry_s: float | None = None) -> None:
        super().__init__(problem)
        self.busy = busy
        self.retry_s = retry_s


class CannotConnect(Exception):
    """No connection came about. `step` is what a person can do; `final`: trying again by itself is no use."""

    def __init__(self, problem: str, step: str, *, final: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.step = step
        self.final = final


class Expired(Exception):
    """The server has forgotten the session: it did nothing, and a new one may be opened at once."""


INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
