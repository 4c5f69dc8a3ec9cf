"""Questions to a model outside the agent loop: their defaults and their retries (contract §3.1)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Final, TypedDict, TypeVar

from apps.foundation.database import released
from apps.integrations.llm import chat
from apps.integrations.llm.chat_reply import ChatReply
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.roles import Role

Json = dict[str, Any]
T = TypeVar("T")

# The agent loop's table: three attempts, the second at once, the third after five seconds.
RETRY_DELAYS_MS: Final = (0, 5000)
EFFORT: Final = "low"
_log = logging.getLogger(__name__)


class AskOptions(TypedDict, total=False):
    """What callers may decide about a question; everything has a default."""

    role: Role
    model: str | None
    temperature: float | None
    max_tokens: int | None
    reasoning_effort: str | None
    timeout: float
    retry_delays_ms: tuple[int, ...]


def ask_once(
    messages: list[Json], *, purpose: str, options: AskOptions, response_format: Json | None = None
) -> ChatReply:
    """One attempt."""
    return chat.complete(
        messages,
        purpose=purpose,
        role=options.get("role", "default"),
        model=options.get("model"),
        temperature=options.get("temperature"),
        max_tokens=options.get("max_tokens"),
        reasoning_effort=options.get("reasoning_effort", EFFORT),
        response_format=response_format,
        timeout=options.get("timeout", chat.TIMEOUT_SECONDS),
    )


def attempted(attempt: Callable[[], T], *, purpose: str, delays_ms: tuple[int, ...] = RETRY_DELAYS_MS) -> T:
    """The first attempt that succeeds. What cannot get better (401, 402, 403, no key) is not repeated."""
    for delay in delays_ms:
        try:
            return attempt()
        except LlmFailure as failure:
            if not failure.retryable:
                raise
            _log.warning("model call for %s failed: %s", purpose, failure.code)
        with released():
            time.sleep(delay / 1000)
    return attempt()


def delays(options: AskOptions) -> tuple[int, ...]:
    return options.get("retry_delays_ms", RETRY_DELAYS_MS)
