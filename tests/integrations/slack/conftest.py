"""A workspace to speak to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from apps.tenancy.models import Tenant, TenantChannel
from tests.fakes.slack import TOKEN, FakeSlack, channel, person


@pytest.fixture
def slack(in_tenant: Tenant, settings: Any) -> Iterator[FakeSlack]:
    with FakeSlack() as running:
        settings.ENV = settings.ENV.model_copy(update={"slack_api_url": running.api_url})
        TenantChannel.objects.create(type="slack", secrets={"bot_token": TOKEN})
        running.people["U0ADA"] = person("Ada")
        running.channels["C0GEN"] = channel("general")
        yield running
