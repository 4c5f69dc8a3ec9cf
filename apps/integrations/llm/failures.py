"""What can go wrong between Root and a model, and whether asking again makes sense (contract §3.1)."""

from __future__ import annotations

from apps.foundation.errors import RootError

# Asking again cannot help: the key is wrong, the credit is gone, or the account may not.
FINAL_STATUSES = frozenset({401, 402, 403})

_CODES = {
    401: "unauthorized",
    402: "payment_required",
    403: "forbidden",
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
}


class LlmFailure(RootError):
    """A model call that brought no usable answer. The message names neither key nor prompt."""

    def __init__(self, code: str, message: str, *, retryable: bool, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.status = status


def from_status(status: int) -> LlmFailure:
    """The failure behind an HTTP status, or behind the same number hidden inside a 200."""
    default = "provider_error" if status >= 500 else "bad_request"
    return LlmFailure(
        _CODES.get(status, default),
        f"The model provider answered with status {status}.",
        retryable=status not in FINAL_STATUSES,
        status=status,
    )


def bad_response(reason: str, *, status: int | None = 200) -> LlmFailure:
    """An answer arrived but is none: HTML, no choices, a vector of the wrong length."""
    message = f"The model provider sent an answer that cannot be used: {reason}."
    return LlmFailure("bad_response", message, retryable=True, status=status)


def timed_out() -> LlmFailure:
    return LlmFailure("timeout", "The model provider did not answer in time.", retryable=True)


def unreachable() -> LlmFailure:
    return LlmFailure("network", "The model provider could not be reached.", retryable=True)


def no_key() -> LlmFailure:
    message = "No usable API key is set for this provider (OPENROUTER_API_KEY, PERPLEXITY_API_KEY)."
    return LlmFailure("no_api_key", message, retryable=False)


def empty_answer() -> LlmFailure:
    return LlmFailure("empty", "The model sent an answer without any text.", retryable=True, status=200)


def unstructured() -> LlmFailure:
    """Not retryable: the model was shown its mistakes and made them again."""
    message = "The model did not bring its answer into the form that was asked for."
    return LlmFailure("unstructured", message, retryable=False, status=200)


def no_web_research() -> LlmFailure:
    message = "No model that can search the web is connected (PERPLEXITY_API_KEY, OPENROUTER_API_KEY)."
    return LlmFailure("no_web_research", message, retryable=False)


def unsendable() -> LlmFailure:
    message = "The request to the model cannot be written as JSON."
    return LlmFailure("unsendable", message, retryable=False)
