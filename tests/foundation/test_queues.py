"""The queue table is a promise to deployed rows: names and numbers do not drift."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from apps.foundation import queues

# name: (at once, attempts, base of the exponential rest, schedule, without Redis, inactive tenant, limit of a run)
TABLE = {
    "email-inbound": (4, 5, 10, None, "refuse", "handle", 900),
    "conversation-memory": (2, 3, 5, None, "inline", "rest", 300),
    "conversation-work-saved": (2, 3, 10, None, "inline", "rest", 300),
    "follow-up-sweep": (1, 1, None, 60, "inline", "skip", 120),
    "slack-knowledge-ingest": (2, 3, 5, None, "inline", "rest", 300),
    "slack-thread-distill": (2, 2, 60, None, "inline", "rest", 600),
    "embedding-audit": (1, 2, 60, 300, "inline", "skip", 900),
    "knowledge-source-scheduler": (1, 1, None, 60, "inline", "skip", 120),
    "knowledge-source-sync": (3, 4, 30, None, "refuse", "handle", 1800),
    "slack-knowledge-extraction": (2, 3, 60, 3600, "inline", "skip", 1800),
    "channel-join-sweep": (2, 3, 5, 21600, "inline", "skip", 1800),
    "slack-admin-broadcast": (1, 1, None, None, "inline", "handle", 7200),
    "principal-roster-sweep": (2, 3, 60, 21600, "inline", "skip", 1800),
    "reply-mention-sweep": (1, 1, None, 3600, "inline", "skip", 900),
    "queue-metrics": (1, 1, None, 60, "inline", "skip", 60),
    "channel-turns": (8, 3, 5, None, "inline", "handle", 900),
    "notifications": (2, 3, 5, None, "inline", "handle", 180),
    "follow-up-run": (2, 1, None, None, "inline", "handle", 900),
}


def test_every_queue_has_its_agreed_numbers() -> None:
    found = {
        row.name: (
            row.concurrency,
            row.attempts,
            row.backoff.base_seconds if row.backoff.kind == "exponential" else None,
            row.schedule_seconds,
            row.without_redis,
            row.inactive,
            row.max_seconds,
        )
        for row in queues.QUEUES.values()
    }
    assert found == TABLE


def test_a_rest_doubles_with_each_attempt() -> None:
    backoff = queues.queue("email-inbound").backoff
    assert [backoff.after(attempt) for attempt in (1, 2, 3, 4)] == [
        timedelta(seconds=seconds) for seconds in (10, 20, 40, 80)
    ]


def test_a_queue_without_backoff_does_not_rest() -> None:
    assert queues.queue("queue-metrics").backoff.after(3) == timedelta(0)


def test_an_unknown_name_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(queues.UnknownQueue, match="no queue is called 'emails'"):
        queues.queue("emails")


def test_every_run_has_an_end() -> None:
    assert all(row.max_seconds > 0 for row in queues.QUEUES.values())


def test_an_operator_widens_the_conversations_only(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_channel_turns_concurrency": 3})
    widths = {name: queues.width(row) for name, row in queues.QUEUES.items()}
    assert widths["channel-turns"] == 3
    assert widths["email-inbound"] == 4
