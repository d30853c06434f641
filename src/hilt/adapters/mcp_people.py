"""The person behind an MCP client, asked through the client: by elicitation, or with the answer `input_required`."""

from contextvars import ContextVar
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ClientCapabilities, ElicitResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hilt.adapters.mcp_forms import ALLOW, REACH, REASON, approval_form, question_text
from hilt.results.envelope import Denier
from hilt.results.failures import Refused
from hilt.review.asked import scope_named
from hilt.review.people import Question, Reachable, Reply

Request = ServerRequestContext[Any, Any]  # the SDK's own parameters, which nothing here reads

current_request: ContextVar[Request | None] = ContextVar("current_request", default=None)
"""The request on whose behalf this task runs; a question is put to the client that sent it."""


class ClientPerson:
    """Whoever sits at the client of the current request. Give it to the runtime that a server serves.

    A client of 2026-07-28 asks its person between two requests, so the call is kept as pending
    meanwhile; an older one is asked while the call waits; for one that cannot ask the question is
    kept for `hilt approvals` where there is an `inbox`, and else it has nobody.
    """

    def __init__(self, *, inbox: bool = False) -> None:
        self._inbox = inbox

    @property
    def reachable(self) -> Reachable:
        """`later` where the protocol has no requests from server to client."""
        request = current_request.get()
        if request is not None and asks_between_requests(request):
            return "later"
        here = request is not None and asks(request.session.client_capabilities)
        return "inbox" if self._inbox and not here else "now"

    async def ask(self, question: Question) -> Reply:
        """The person's word. Raises `Refused` where the client has no way to ask."""
        request = current_request.get()
        if request is None or not asks(request.session.client_capabilities):
            raise _nobody(question)
        try:
            said = await request.session.elicit_form(
                question_text(question), approval_form(question), related_request_id=request.request_id
            )
        except MCPError as error:
            raise _nobody(question, f" (it answered: {error.error.message})") from None
        return reply(said)


def asks(capabilities: ClientCapabilities | None) -> bool:
    """Whether a client can show a form to a person."""
    elicitation = capabilities.elicitation if capabilities is not None else None
    # A client that names no mode has forms only; one that names another mode alone has none.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def asks_between_requests(request: Request) -> bool:
    """Whether this client asks its person when a result tells it to."""
    return request.protocol_version in MODERN_PROTOCOL_VERSIONS and asks(request.session.client_capabilities)


def reply(said: ElicitResult) -> Reply:
    """A filled-in form as a word: yes only where the box was ticked, and nothing where it was dismissed."""
    if said.action == "cancel":
        return Reply(word="absent")
    content = said.content or {}
    if said.action == "accept" and content.get(ALLOW) is True:
        return Reply(word="approve", scope=scope_named(content.get(REACH)))
    reason = content.get(REASON)
    return Reply(word="reject", reason=reason.strip() if isinstance(reason, str) else "")


def _nobody(question: Question, why: str = "") -> Refused:
    return Refused(
        f"{question.tool} needs a person's leave ({'; '.join(question.reasons)}) and this client cannot ask one{why}",
        f"the person can add a rule that allows {question.tool} to their own hilt.toml, or for a tool of a server an "
        "effects file that says what it does: hilt audit --draft",
        "the person can use a client that has elicitation",
        by=Denier.NOBODY_TO_ASK,
    )
