"""Asking for a thread to be distilled (contract §10.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from apps.foundation.environment import env
from apps.tenancy import jobs

QUEUE: Final = "slack-thread-distill"
DEBOUNCE: Final = timedelta(minutes=10)


def ask_distill(channel_id: str, thread_ts: str, *, delay: timedelta = DEBOUNCE) -> bool:
    """Ten minutes after the last time it is asked; a thread being distilled is distilled once more."""
    if not env().slack_thread_artifacts:
        return False
    payload = {"channel_id": channel_id, "thread_ts": thread_ts}
    jobs.enqueue(QUEUE, key=f"{channel_id}:{thread_ts}", payload=payload, delay=delay, debounce=True)
    return True
