"""The queue table is a promise to deployed rows: names and numbers do not drift."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from apps.foundation import queues

# name: (at once, attempts, base of the exponential rest, schedule, without Redis)
TABLE = {
    "email-inbound": (4, 5, 10, None, "refuse"),
    "conversation-memory": (2, 3, 5, None, "inline"),
    "conversation-work-saved": (2, 3, 10, None, "inline"),
    "follow-up-sweep": (1, 1, None, 60, "inline"),
    "slack-knowledge-ingest": (2, 3, 5, None, "inline"),
    "slack-thread-distill": (2, 2, 60, None, "inline"),
    "embedding-audit": (1, 2, 60, 300, "inline"),
    "knowledge-source-scheduler": (1, 1, None, 60, "inline"),
    "knowledge-source-sync": (3, 4, 30, None, "refuse"),
    "slack-knowledge-extraction": (2, 3, 60, 3600, "inline"),
    "channel-join-sweep": (2, 3, 5, 21600, "inline"),
    "slack-admin-broadcast": (1, 1, None, None, "inline"),
    "principal-roster-sweep": (2, 3, 60, 21600, "inline"),
    "reply-mention-sweep": (1, 1, None, 3600, "inline"),
    "queue-metrics": (1, 1, None, 60, "inline"),
    "channel-turns": (8, 3, 5, None, "inline"),
    "notifications": (2, 3, 5, None, "inline"),
    "follow-up-run": (2, 1, None, None, "inline"),
}


def test_every_queue_has_its_agreed_numbers() -> None:
    found = {
        row.name: (
            row.concurrency,
            row.attempts,
            row.backoff.base_seconds if row.backoff.kind == "exponential" else None,
            row.schedule_seconds,
            row.without_redis,
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
