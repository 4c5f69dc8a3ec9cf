"""One round-trip to the model: up to three attempts with the fixed pauses between them (contract §4.2)."""

import logging
from collections.abc import Callable

from apps.agent.kernel.shield import shielded
from apps.agent.kernel.types import ChatFailure, ChatReply, ChatRequest, RunContext, ToolCall

logger = logging.getLogger(__name__)

# A pause is slept in pieces, so that a cancelled turn need not sit it out.
_PIECE_SECONDS = 0.5


class ModelGone(Exception):
    """No attempt brought a usable reply."""

    def __init__(self, failure: ChatFailure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class Cancelled(Exception):
    """Somebody stopped the turn."""


def ask_model(request: ChatRequest, *, context: RunContext, on_attempt: Callable[[], None]) -> ChatReply:
    """Retries what may get better; raises `ModelGone` for the rest."""
    pauses = [*context.limits.retry_delays_ms]
    while True:
        stop_if_cancelled(context)
        on_attempt()
        try:
            return _attempt(request, context=context)
        except ChatFailure as failure:
            logger.warning("model call for %s failed: %s", request.purpose, failure.code)
            if not failure.retryable or not pauses:
                raise ModelGone(failure) from failure
            _pause(pauses.pop(0) / 1000, context=context)


def stop_if_cancelled(context: RunContext) -> None:
    if shielded(context.cancelled, otherwise=False, what="the cancel check"):
        raise Cancelled


def _attempt(request: ChatRequest, *, context: RunContext) -> ChatReply:
    try:
        reply = context.chat(request)
    except ChatFailure:
        raise
    except Exception as error:
        # Calls that have run must still reach the record, so even a broken port ends the run in order.
        raise ChatFailure("unexpected", type(error).__name__, retryable=False) from error
    if not _is_reply(reply):
        raise ChatFailure("unexpected", "the reply had not the agreed shape", retryable=True)
    return reply


def _is_reply(reply: object) -> bool:
    return (
        isinstance(reply, ChatReply)
        and isinstance(reply.text, str | None)
        and isinstance(reply.tool_calls, tuple)
        and all(isinstance(call, ToolCall) for call in reply.tool_calls)
        and isinstance(reply.finish_reason, str)
    )


def _pause(seconds: float, *, context: RunContext) -> None:
    while seconds > 0:
        stop_if_cancelled(context)
        context.limits.sleep(min(seconds, _PIECE_SECONDS))
        seconds -= _PIECE_SECONDS
