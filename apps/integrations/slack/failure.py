"""What went wrong between Root and Slack, and whether asking again makes sense (contract §8.2)."""

from __future__ import annotations

from typing import Any, Final

from slack_sdk.errors import SlackApiError

from apps.foundation.errors import Unavailable

DEFAULT_REST: Final = 30.0
LONGEST_REST: Final = 3600.0
RATE_LIMITED: Final = "ratelimited"
# The token is no good, whatever is asked with it.
_DEAD_TOKEN: Final = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "org_login_required"}
)
_PASSING: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})


class SlackFailure(Unavailable):
    """A call that brought nothing. ``code`` is Slack's own word for it; the message names no token.

    ``retry_after`` is set when Slack asked for a rest: nothing of the same kind may be asked before it is over.
    """

    def __init__(
        self, code: str, message: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after

    @property
    def is_dead_token(self) -> bool:
        """Must an administrator connect Slack anew?"""
        return self.code in _DEAD_TOKEN or self.code == "not_connected"


def not_connected() -> SlackFailure:
    return SlackFailure("not_connected", "This community has no Slack token.")


def unreachable() -> SlackFailure:
    return SlackFailure("network", "Slack could not be reached.", retryable=True)


def bad_response() -> SlackFailure:
    return SlackFailure("bad_response", "Slack sent an answer that cannot be used.", retryable=True)


def refused(error: SlackApiError) -> SlackFailure:
    """The failure in an answer of Slack's; the SDK's own message quotes all of it, so it goes no further."""
    response: Any = error.response
    status = getattr(response, "status_code", None)
    said = (
        response.get("error") if hasattr(response, "get") and not isinstance(response.data, bytes) else None
    )
    code = said if isinstance(said, str) and said.replace("_", "").isalnum() and len(said) < 80 else ""
    if status == 429 or code in {RATE_LIMITED, "rate_limited"}:
        rest = _seconds(getattr(response, "headers", None) or {})
        return SlackFailure(RATE_LIMITED, "Slack asks for a rest.", retryable=True, retry_after=rest)
    if not code:
        return bad_response()
    retryable = code in _PASSING or (isinstance(status, int) and status >= 500)
    return SlackFailure(code, f"Slack answered {code}.", retryable=retryable)


def _seconds(headers: Any) -> float:
    given = next((value for name, value in headers.items() if str(name).lower() == "retry-after"), "")
    value = given[0] if isinstance(given, list) and given else given
    text = str(value).strip()
    return min(float(text), LONGEST_REST) if text.isascii() and text.isdigit() else DEFAULT_REST
