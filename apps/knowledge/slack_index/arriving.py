"""The job that brings messages into the index (contract §13)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from apps.integrations.slack.failure import SlackFailure
from apps.knowledge.slack_index import backfill, turns
from apps.knowledge.slack_index.events import take_in
from apps.knowledge.slack_index.lookup import Lookup
from apps.tenancy.jobs import Job, Later


def arrive(job: Job) -> None:
    """One message in its turn, or the next page of the history somebody asked for."""
    if job.payload.get("kind") == backfill.KIND:
        backfill.step(job)
        return
    turns.await_turn(job)
    said: dict[str, Any] = job.payload["message"]
    recorded = job.payload.get("recorded") is True
    try:
        take_in(said, lookup=Lookup.here(recorded=recorded))
    except SlackFailure as failure:
        if failure.retry_after is not None:
            raise Later(timedelta(seconds=failure.retry_after)) from None
        if failure.retryable and not job.is_last_attempt:
            raise
        # What the event itself says is enough to find the message by; names can be learned with a later one.
        take_in(said, lookup=Lookup(connected=False, recorded=recorded))
