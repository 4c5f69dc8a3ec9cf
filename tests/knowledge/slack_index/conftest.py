"""A workspace to read from, and jobs brought to their end in this thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from apps.knowledge.slack_index.events import QUEUE
from apps.knowledge.slack_index.message import SlackMessage
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.models import QueueJob, Tenant, TenantChannel
from tests.fakes.slack import TOKEN, FakeSlack, channel, person

GENERAL = "C0GEN"
LONG = "The harbour office moves to pier nine next Tuesday at seven in the morning."


@pytest.fixture(autouse=True)
def _handlers() -> None:
    registry.autodiscover()


@pytest.fixture
def slack(in_tenant: Tenant, settings: Any) -> Iterator[FakeSlack]:
    """The community's own, with two people and a channel."""
    with FakeSlack() as running:
        settings.ENV = settings.ENV.model_copy(update={"slack_api_url": running.api_url})
        TenantChannel.objects.create(type="slack", secrets={"bot_token": TOKEN})
        running.people.update(U0ADA=person("Ada"), U0MO=person("Mo"), U0APP=person("App", is_bot=True))
        running.channels[GENERAL] = channel("general")
        yield running


def at(number: int) -> str:
    """The time of message number so-and-so."""
    return f"{1_790_000_000 + number}.000100"


def said(number: int, text: str = LONG, *, user: str = "U0ADA", **fields: Any) -> SlackMessage:
    """A message that needs nothing looked up."""
    names = {"U0ADA": "Ada", "U0MO": "Mo"}
    known = {"channel_name": "general", "user_id": user, "user_name": names.get(user)}
    return SlackMessage(channel_id=GENERAL, ts=at(number), text=text, **{**known, **fields})


def event(number: int, text: str = LONG, *, user: str = "U0ADA", **fields: Any) -> dict[str, Any]:
    """The same as Slack sends it."""
    told = {"type": "message", "channel": GENERAL, "channel_type": "channel", "user": user}
    return {**told, "text": text, "ts": at(number), **fields}


def make_due(*queues: str) -> None:
    """Ends every rest of these queues."""
    rows = QueueJob.objects.filter(state__in=["waiting", "retrying"], queue__in=queues or [QUEUE])
    rows.update(run_after="2020-01-01T00:00:00Z")


def work(*queues: str) -> int:
    """Runs what waits, whether due or not."""
    make_due(*queues)
    return run_due(*(queues or [QUEUE]))
