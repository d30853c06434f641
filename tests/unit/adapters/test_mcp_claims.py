"""Words of an upstream that say error: in a success, and of a failure."""

import pytest

from hilt.adapters.mcp_claims import LONGEST_CLAIM, claim_of, reading_of
from hilt.results.failures import FailureKind, Outcome


@pytest.mark.parametrize(
    "text",
    [
        "Error: no such issue",
        "error - page missing",
        "ERROR: permission denied",
        "  Error executing tool search: boom",
        "Error calling tool 'x'",
        "Error 404: not found",
        "[ERROR] could not connect",
        "McpError: MCP error -32603: boom",
        "ValueError: invalid literal",
        "An error occurred while fetching the page",
        "Failed to fetch https://example.org: 500",
        "Failed: no token",
        "Unable to open the repository",
        "Could not find the issue",
        "Cannot read properties of undefined",
        "Invalid arguments for tool read_file",
        "Request failed with status code 502",
        "HTTP 500 Internal Server Error",
        "HTTP error 403",
        "404 Not Found",
        "Traceback (most recent call last):\n  File ...",
        "Rate limit exceeded",
        "❌ Error: no access",
        "错误：没有权限",
        '{"error": "no such table"}',
        '{"error": {"code": 3, "message": "no such table"}}',
        '{"success": false, "message": "not allowed"}',
        '{"status": "error", "detail": "quota"}',
        '{"isError": true}',
    ],
)
def test_a_success_that_says_error_is_recognised(text: str) -> None:
    assert claim_of([text])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 errors were fixed",
        "Errors are documented in docs/errors.md",
        "errorless run: 4 tests passed",
        "The function returns an error when the file is missing.",
        "found 404 pages",
        "404 issues are open",
        "Failure modes of pumps are described in chapter 3",
        "Invalidated 3 cache entries",
        "Cannot-link constraints were used",
        '{"error": null, "items": []}',
        '{"errors": 0, "ok": true}',
        '{"status": "ok"}',
        '{"success": true, "error": ""}',
        '{"not json',
        "[1, 2]",
        "Error: " + "log line\n" * LONGEST_CLAIM,
    ],
)
def test_content_that_speaks_of_errors_is_no_claim(text: str) -> None:
    assert claim_of([text]) == ""


def test_the_first_text_that_says_something_and_the_structured_content_are_looked_at() -> None:
    assert claim_of(["", "Error: x"]) == "Error: x"
    assert claim_of(["fine"], {"error": "no such table"}) == "no such table"
    assert claim_of(["a", "Error: x"]) == ""


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("429 Too Many Requests", FailureKind.RETRYABLE),
        ("API rate limit exceeded for user", FailureKind.RETRYABLE),
        ("the service is temporarily unavailable", FailureKind.RETRYABLE),
        ("Request timed out after 30 s", FailureKind.RETRYABLE),
        ("MCP error -32602: Invalid arguments", FailureKind.INVALID_ARGUMENTS),
        ("1 validation error for call[search]\nquery\n  Field required", FailureKind.INVALID_ARGUMENTS),
        ("missing required parameter: timeout", FailureKind.INVALID_ARGUMENTS),
        ("limit must be between 1 and 100", FailureKind.INVALID_ARGUMENTS),
        ("HTTP 422: Unprocessable Entity", FailureKind.INVALID_ARGUMENTS),
        ("ENOENT: no such file or directory", FailureKind.ENVIRONMENT),
        ("404 Not Found: the issue does not exist", FailureKind.ENVIRONMENT),
        ("401 Unauthorized: bad credentials", FailureKind.ENVIRONMENT),
        ("boom", FailureKind.ENVIRONMENT),
    ],
)
def test_words_of_a_failure_give_its_class(words: str, kind: FailureKind) -> None:
    assert reading_of(words).kind is kind


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("429: retry after 30 seconds", 30.0),
        ("rate limit; Retry-After: 5", 5.0),
        ("overloaded, try again in 2 minutes", 120.0),
        ("rate limited, retry in 250ms", 0.25),
        ("429 Too Many Requests", None),
    ],
)
def test_a_busy_server_says_when_to_come_back(words: str, seconds: float | None) -> None:
    assert reading_of(words).retry_after_s == seconds


def test_after_a_time_out_nobody_knows_what_was_done() -> None:
    assert reading_of("the operation timed out").outcome is Outcome.UNKNOWN
    assert reading_of("429").outcome is None
