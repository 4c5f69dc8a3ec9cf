"""Jobs under one key in every queue that somebody handles; they are run afterwards, by several threads at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apps.tenancy import jobs
from tests.isolation.cast import Community

# How a job of a queue is asked for. A queue with a handler that is neither here nor below fails a test.
PAYLOADS: dict[str, Callable[[Community], dict[str, Any]]] = {
    "embedding-audit": lambda _community: {},
    "principal-roster-sweep": lambda _community: {},
    "slack-knowledge-extraction": lambda _community: {},
}
NO_COMMUNITY = {
    "queue-metrics": "counts the rows of all queues; its ticks belong to nobody",
    "knowledge-source-scheduler": "its ticks ask for the syncs of each community in turn",
}
ASKED_ELSEWHERE = {
    "notifications": "asked for by interventions, which the agent's drivers open",
    "knowledge-source-sync": "asked for by the drivers of sources",
    "slack-knowledge-ingest": "asked for by the drivers of Slack",
    "slack-thread-distill": "asked for by what those say in threads",
}


def asked_for(community: Community) -> object:
    for queue, payload in PAYLOADS.items():
        jobs.enqueue(queue, key="same-key", payload=payload(community))
    return None


DRIVERS = (asked_for,)
